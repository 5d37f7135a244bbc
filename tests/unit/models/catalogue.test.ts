import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { RefreshModelsContext } from "@earendil-works/pi-ai";
import { silentLog } from "../../../src/engine/log.ts";
import { writePrivateFile } from "../../../src/files/private-file.ts";
import { modelCacheText, readModelCache } from "../../../src/models/cache.ts";
import { createCatalogue, type LocateAgy } from "../../../src/models/catalogue.ts";
import { refreshModels } from "../../../src/models/refresh.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { stubAgy } from "./stub-agy.ts";

const DAY = 24 * 60 * 60 * 1000;
const flash = { accepts: "gemini-3.8-flash-high", label: "Gemini 3.8 Flash (High)" };
const sonnet = { accepts: "claude-sonnet-4-6", label: "Claude Sonnet 4.6" };

/** A catalogue over a stub agy that lists the lines of the file `list` and counts its runs in `runs`. */
function setUp(t: TestContext, options: { cachePath?: string; version?: () => string | undefined } = {}) {
	const folder = temporaryFolder(t);
	const clock = new FakeClock(10 * DAY);
	const cachePath = options.cachePath ?? join(folder, "data", "models.json");
	const list = join(folder, "list");
	const runs = join(folder, "runs");
	const command = stubAgy(t, `echo run >> ${runs}; cat ${list}`);
	const locateAgy: LocateAgy = async () => {
		const version = options.version?.();
		return { ok: true, command, ...(version !== undefined && { version }) };
	};
	const open = () => createCatalogue({ cachePath, locateAgy, clock, log: silentLog });
	return {
		clock,
		cachePath,
		open,
		offer: (...slugs: string[]) => writeFileSync(list, slugs.join("\n")),
		countRuns: () => readFileSync(runs, "utf8").split("\n").length - 1,
	};
}

const ids = (catalogue: ReturnType<typeof createCatalogue>) => catalogue.models().map((model) => model.id);

test("without a cache the built-in list stands in, marked as such, and agy is not started", async (t) => {
	const { open, countRuns } = setUp(t);
	const catalogue = open();
	assert.deepEqual(catalogue.source(), { from: "built-in" });
	assert.equal(catalogue.isComplete(), false);
	assert.ok(ids(catalogue).includes("gemini-3.8-flash"));
	assert.throws(countRuns, /ENOENT/);
});

test("a refresh takes over what agy lists, drops what vanished, and leaves it for the next process", async (t) => {
	const { open, offer, cachePath, clock } = setUp(t, { version: () => "1.3.3" });
	offer("gemini-4.0-flash-high", "claude-sonnet-4-6");
	const catalogue = open();
	let changes = 0;
	catalogue.onChange(() => changes++);
	const outcome = await catalogue.refresh();
	assert.equal(outcome.kind, "updated");
	assert.deepEqual(outcome.kind === "updated" && outcome.added, ["gemini-4.0-flash"]);
	assert.ok(outcome.kind === "updated" && outcome.removed.includes("gpt-oss-120b-medium"));
	assert.deepEqual(ids(catalogue), ["gemini-4.0-flash", "claude-sonnet-4-6"]);
	assert.deepEqual(catalogue.source(), { from: "agy", at: clock.now(), agyVersion: "1.3.3" });
	assert.equal(changes, 1);
	assert.equal(statSync(cachePath).mode & 0o777, 0o600);

	const next = open();
	assert.deepEqual(ids(next), ids(catalogue));
	assert.deepEqual(next.source(), { from: "cache", at: clock.now(), agyVersion: "1.3.3" });
	assert.ok("unknown" in next.resolve("gpt-oss-120b-medium", undefined));
});

test("a young list is not asked for again, an old one, a forced one and one of another agy are", async (t) => {
	let version: string | undefined = "1.3.3";
	const { open, offer, clock, countRuns } = setUp(t, { version: () => version });
	offer("claude-sonnet-4-6");
	const catalogue = open();
	await catalogue.refresh();
	clock.advance(DAY - 1);
	assert.equal((await catalogue.refresh()).kind, "not-needed");
	assert.equal(countRuns(), 1);
	assert.equal((await catalogue.refresh({ force: true })).kind, "updated");
	assert.equal(countRuns(), 2);
	version = "1.3.4";
	assert.equal((await catalogue.refresh()).kind, "updated");
	assert.equal(countRuns(), 3);
	version = undefined;
	assert.equal((await catalogue.refresh()).kind, "not-needed");
	clock.advance(DAY);
	assert.equal((await catalogue.refresh()).kind, "updated");
});

test("agy is asked for a model it was never asked about, once, and not for one that is built in", async (t) => {
	const { open, offer, countRuns } = setUp(t);
	offer("gemini-4.0-flash-high");
	const catalogue = open();
	for (const known of ["gemini-3.8-flash", "claude-sonnet-4-6", "flash high"]) await catalogue.learn(known);
	assert.throws(countRuns, /ENOENT/);
	await catalogue.learn("gemini-4.0-flash-high");
	assert.ok("choice" in catalogue.resolve("gemini-4.0-flash-high", undefined));
	assert.ok("unknown" in catalogue.resolve("no-such-model", undefined));
	await catalogue.learn("no-such-model");
	assert.equal(countRuns(), 1);
});

test("where agy cannot be asked, a well-formed slug is left to it", async (t) => {
	const { open, offer } = setUp(t);
	offer("Please sign in");
	const catalogue = open();
	await catalogue.learn("no-such-model");
	assert.ok("choice" in catalogue.resolve("no-such-model", undefined));
});

test("a failure keeps the list, and agy is left alone for a while unless the user asks", async (t) => {
	const { open, offer, clock, countRuns } = setUp(t);
	const catalogue = open();
	const before = ids(catalogue);
	offer("Please sign in");
	assert.deepEqual(await catalogue.refresh(), { kind: "failed", failure: { kind: "not-signed-in" } });
	assert.deepEqual(ids(catalogue), before);
	await catalogue.refresh();
	assert.equal(countRuns(), 1);
	await catalogue.refresh({ force: true });
	assert.equal(countRuns(), 2);
	clock.advance(5 * 60 * 1000);
	offer("claude-sonnet-4-6");
	assert.equal((await catalogue.refresh()).kind, "updated");
});

test("callers at the same time share one question; one that gives up does not end it", async (t) => {
	const { open, offer, countRuns } = setUp(t);
	offer("claude-sonnet-4-6");
	const catalogue = open();
	const impatient = new AbortController();
	const gaveUp = catalogue.refresh({ signal: impatient.signal });
	const patient = catalogue.refresh();
	impatient.abort();
	assert.deepEqual(await gaveUp, { kind: "failed", failure: { kind: "cancelled" } });
	assert.equal((await patient).kind, "updated");
	assert.equal(countRuns(), 1);
});

test("what another process fetched is taken over, what is older or damaged is not", async (t) => {
	const { open, cachePath, clock } = setUp(t);
	const catalogue = open();
	await writePrivateFile(cachePath, modelCacheText({ fetchedAt: clock.now(), models: [flash] }));
	catalogue.restore();
	assert.deepEqual(ids(catalogue), ["gemini-3.8-flash"]);
	await writePrivateFile(cachePath, modelCacheText({ fetchedAt: clock.now() - 1, models: [sonnet] }));
	catalogue.restore();
	assert.deepEqual(ids(catalogue), ["gemini-3.8-flash"]);
	for (const damaged of ["", "{", "[]", '{"version":2}', '{"version":1,"fetchedAt":1,"models":[]}']) {
		writeFileSync(cachePath, damaged);
		assert.equal(readModelCache(cachePath), undefined, damaged);
		catalogue.restore();
		assert.deepEqual(ids(catalogue), ["gemini-3.8-flash"]);
	}
});

test("a cache that cannot be written costs nothing but the next start", async (t) => {
	const { open, offer } = setUp(t, { cachePath: "/dev/null/models.json" });
	offer("claude-sonnet-4-6");
	const catalogue = open();
	assert.equal((await catalogue.refresh()).kind, "updated");
	assert.deepEqual(ids(catalogue), ["claude-sonnet-4-6"]);
});

test("closing ends the question that is under way", async (t) => {
	const folder = temporaryFolder(t);
	const command = stubAgy(t, "sleep 600");
	const catalogue = createCatalogue({
		cachePath: join(folder, "models.json"),
		locateAgy: async () => ({ ok: true, command }),
		clock: new FakeClock(),
		log: silentLog,
	});
	const outcome = catalogue.refresh();
	catalogue.close();
	assert.deepEqual(await outcome, { kind: "failed", failure: { kind: "cancelled" } });
});

test("pi's refresh starts agy only with leave to use the network", async (t) => {
	const { open, offer, countRuns, cachePath, clock } = setUp(t);
	offer("claude-sonnet-4-6");
	const catalogue = open();
	const context = (allowNetwork: boolean): RefreshModelsContext => ({
		allowNetwork,
		signal: new AbortController().signal,
		publish: async ({ update }) => {
			update?.();
			return true;
		},
	});
	await writePrivateFile(cachePath, modelCacheText({ fetchedAt: clock.now() - DAY, models: [flash] }));
	await refreshModels(catalogue, context(false));
	assert.deepEqual(ids(catalogue), ["gemini-3.8-flash"]);
	assert.throws(countRuns, /ENOENT/);
	await refreshModels(catalogue, context(true));
	assert.deepEqual(ids(catalogue), ["claude-sonnet-4-6"]);
	assert.equal(countRuns(), 1);
});
