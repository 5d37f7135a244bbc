import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFileLog } from "../../../src/log/file-log.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const DAY = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 10, 20, 12);

function setUp(t: TestContext, options: { level?: "off" | "info" | "debug"; maxFileBytes?: number } = {}) {
	const folder = temporaryFolder(t);
	const directory = join(folder, "logs");
	const clock = new FakeClock(START);
	const log = createFileLog({
		directory,
		clock,
		level: () => options.level ?? "info",
		home: "/home/erika",
		...(options.maxFileBytes !== undefined && { maxFileBytes: options.maxFileBytes }),
	});
	const lines = (path: string) =>
		readFileSync(path, "utf8")
			.trim()
			.split("\n")
			.map((line): unknown => JSON.parse(line));
	return { log, clock, directory, lines };
}

test("lines are JSON with time, process and event, cleaned, in a file for the user alone", async (t) => {
	const { log, directory, lines } = setUp(t);
	log.info("run started", { argv: ["--add-dir", "/home/erika/p"], token: "abc", none: undefined });
	await log.flush();
	assert.equal(log.path(), join(directory, "agy-2026-11-20.log"));
	assert.deepEqual(lines(log.path()), [
		{
			at: "2026-11-20T12:00:00.000Z",
			pid: process.pid,
			event: "run started",
			argv: ["--add-dir", "~/p"],
			token: "[redacted]",
		},
	]);
	assert.equal(statSync(log.path()).mode & 0o777, 0o600);
	assert.equal(statSync(directory).mode & 0o777, 0o700);
});

test("debug lines are written at debug level only, and nothing when it is off", async (t) => {
	for (const [level, expected] of [
		["off", []],
		["info", ["a"]],
		["debug", ["a", "b"]],
	] as const) {
		const { log, lines } = setUp(t, { level });
		log.info("a");
		log.debug("b", { prompt: "p" });
		await log.flush();
		const events = existsSync(log.path()) ? lines(log.path()).map((line) => (line as { event: string }).event) : [];
		assert.deepEqual(events, expected);
	}
});

test("lines keep their order, also those that come while others are written", async (t) => {
	const { log, lines } = setUp(t);
	for (let i = 0; i < 50; i++) {
		log.info(`e${i}`);
		if (i % 7 === 0) await Promise.resolve();
	}
	await log.flush();
	assert.deepEqual(
		lines(log.path()).map((line) => (line as { event: string }).event),
		Array.from({ length: 50 }, (_, i) => `e${i}`),
	);
});

test("a flood is bounded, and what was lost is counted", async (t) => {
	const { log, lines } = setUp(t);
	for (let i = 0; i < 2_010; i++) log.info("x");
	await log.flush();
	assert.equal(lines(log.path()).length, 2_001);
	assert.deepEqual(lines(log.path()).at(-1), { at: "2026-11-20T12:00:00.000Z", dropped: 10 });
});

test("a file that grew too large is put aside", async (t) => {
	const { log, directory, lines } = setUp(t, { maxFileBytes: 10 });
	for (const event of ["first", "second", "third"]) {
		log.info(event);
		await log.flush();
	}
	assert.deepEqual(readdirSync(directory).sort(), ["agy-2026-11-20.1.log", "agy-2026-11-20.log"]);
	assert.equal(lines(log.path()).length, 1);
});

test("each day has its file, and those older than a week go, with nothing else", async (t) => {
	const { log, directory, clock } = setUp(t);
	mkdirSync(directory, { recursive: true });
	for (const name of ["agy-2026-11-12.log", "agy-2026-11-12.1.log", "agy-2026-11-13.log", "notes.txt"]) {
		writeFileSync(join(directory, name), "");
	}
	log.info("today");
	await log.flush();
	assert.deepEqual(readdirSync(directory).sort(), ["agy-2026-11-13.log", "agy-2026-11-20.log", "notes.txt"]);
	clock.advance(DAY);
	log.info("tomorrow");
	await log.flush();
	assert.deepEqual(readdirSync(directory).sort(), ["agy-2026-11-20.log", "agy-2026-11-21.log", "notes.txt"]);
});

test("a folder that cannot be written and facts that cannot be told are no failures", async () => {
	const log = createFileLog({ directory: "/dev/null/logs", level: () => "info", clock: new FakeClock(START) });
	log.info("lost");
	await log.flush();
	const broken = createFileLog({
		directory: "/dev/null/logs",
		clock: new FakeClock(START),
		level: () => {
			throw new Error("the settings are gone");
		},
	});
	broken.info("lost");
	await broken.flush();
});
