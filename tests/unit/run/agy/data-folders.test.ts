import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dataFolders, flagValue, realFolder } from "../../../../src/run/agy/data-folders.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const env = { HOME: "/home/me" };

test("agy keeps its data in the home folder unless told otherwise", () => {
	assert.deepEqual(dataFolders({ env }), {
		gemini: "/home/me/.gemini",
		conversations: "/home/me/.gemini/antigravity-cli/conversations",
		brain: "/home/me/.gemini/antigravity-cli/brain",
		scratch: "/home/me/.gemini/antigravity-cli/scratch",
	});
});

test("agy's hidden flags move it", () => {
	const moved = (...extraArgs: string[]) => dataFolders({ env, extraArgs }).conversations;
	assert.equal(moved("--gemini_dir=/g"), "/g/antigravity-cli/conversations");
	assert.equal(moved("--gemini_dir", "/g", "-app_data_dir=antigravity"), "/g/antigravity/conversations");
	assert.equal(moved("--app_data_dir=x"), "/home/me/.gemini/x/conversations");
});

test("a folder that was named decides", () => {
	const named = dataFolders({ env, conversationsDir: "~/c/conversations", extraArgs: ["--gemini_dir=/g"] });
	assert.equal(named.conversations, "/home/me/c/conversations");
	assert.equal(named.brain, "/home/me/c/brain");
});

test("the last value of a flag counts, in every form", () => {
	assert.equal(flagValue(["--a=1", "--a", "2", "--b"], "a"), "2");
	assert.equal(flagValue(["-a=x=y"], "a"), "x=y");
	assert.equal(flagValue(["--b", "--"], "a"), undefined);
});

test("links are resolved once the folder exists", async (t) => {
	const folder = temporaryFolder(t);
	const link = join(folder, "link");
	assert.equal(await realFolder(link), link);
	symlinkSync(folder, link);
	assert.equal(await realFolder(link), folder);
});
