import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { createStaging, removeAbandonedStaging } from "../../../src/conversation/staging.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { pixel } from "./messages.ts";

const onWindows = process.platform === "win32" && "file modes mean nothing there";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("nobody else can read what is staged", { skip: onWindows }, async (t) => {
	const before = process.umask(0);
	t.after(() => process.umask(before));
	const staging = await createStaging(temporaryFolder(t), 7);
	await staging.writeImage(pixel);
	assert.equal(modeOf(staging.folder), "700");
	assert.equal(modeOf(staging.imagePath(pixel)), "600");
	assert.equal(modeOf(await staging.writeText("message", "secret")), "600");
});

test("an image is written once, as it is, under a name with its kind", async (t) => {
	const staging = await createStaging(temporaryFolder(t), 7);
	await staging.writeImage(pixel);
	await staging.writeImage(pixel);
	assert.deepEqual(readdirSync(staging.folder), [basename(staging.imagePath(pixel))]);
	assert.match(staging.imagePath(pixel), /\.png$/);
	assert.deepEqual(readFileSync(staging.imagePath(pixel)), Buffer.from(pixel.data, "base64"));
});

test("texts of different content do not overwrite each other", async (t) => {
	const staging = await createStaging(temporaryFolder(t), 7);
	const [one, two] = [await staging.writeText("message", "one"), await staging.writeText("message", "two")];
	assert.equal(readFileSync(one, "utf8"), "one");
	assert.equal(readFileSync(two, "utf8"), "two");
});

test("two stagings of one process keep apart, and each removes its own", async (t) => {
	const folder = temporaryFolder(t);
	const [one, two] = [await createStaging(folder, 7), await createStaging(folder, 7)];
	await one.writeText("message", "x");
	await one.remove();
	await one.remove();
	assert.deepEqual([existsSync(one.folder), existsSync(two.folder)], [false, true]);
});

test("folders of dead processes go; those of living ones, other names, files and links stay", async (t) => {
	const folder = temporaryFolder(t);
	const [dead, alive] = [await createStaging(folder, 7), await createStaging(folder, 8)];
	mkdirSync(join(folder, "pi-antigravity-notes"));
	writeFileSync(join(folder, "pi-antigravity-7-file"), "");
	symlinkSync(alive.folder, join(folder, "pi-antigravity-7-link"));
	await removeAbandonedStaging(folder, (pid) => pid === 8);
	assert.deepEqual(
		readdirSync(folder).sort(),
		[basename(alive.folder), "pi-antigravity-7-file", "pi-antigravity-7-link", "pi-antigravity-notes"].sort(),
	);
	assert.equal(existsSync(dead.folder), false);
});

test("a folder that cannot be made is an error, not silence", async () => {
	await assert.rejects(createStaging("/nonexistent/folder", 7));
	await removeAbandonedStaging("/nonexistent/folder", () => true);
});
