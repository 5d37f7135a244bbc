import assert from "node:assert/strict";
import { test } from "node:test";
import { readLog } from "../../../src/command/log-lines.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const RUN = "a9deacb1-5ec7-41bf-89c0-b91743487fb3";

const log = (...entries: readonly object[]) =>
	entries.map((entry) => JSON.stringify({ at: new Date(NOW).toISOString(), pid: 7, ...entry })).join("\n");

/** What is said behind the time and the run. */
const words = (entry: object) => (readLog(log(entry), 1, NOW).lines[0] ?? "").slice(20);

test("an entry is one line: the time, the short id of the run, what happened, the facts that matter", () => {
	const argv = ["--add-dir", "~/work", "--model", "gemini-3.8-flash-medium", "-p", "secret plans"];
	const { lines } = readLog(log({ event: "run.start", run: RUN, agy: "1.3.3", argv, agyPid: 9 }), 20, NOW);
	const time = new Date(NOW).toTimeString().slice(0, 8);
	assert.deepEqual(lines, [`${time}  a9deacb1  run start: agy 1.3.3, model gemini-3.8-flash-medium`]);
});

test("how a run ended comes first, and nothing is said of what is not so", () => {
	const end = {
		event: "run.end",
		run: RUN,
		conversation: RUN,
		ms: 65_000,
		sign: "result",
		lastStep: 2,
		toolsRan: true,
	};
	assert.equal(words({ ...end, outcome: "answered" }), "run end: answered, conversation a9deacb1, after 1 min 5 s");
	assert.match(words({ ...end, outcome: "failed", failure: "quota" }), /^run end: failed, quota, /);
	assert.equal(words({ event: "conversation.chosen", kind: "fresh", leftOut: 0 }), "conversation chosen: fresh");
	assert.equal(words({ event: "tools.not-offered", cause: "EACCES\n    at open" }), "tools not offered: EACCES");
	assert.equal(words({ event: "run.end", ms: 26 }), "run end: after 26 ms");
	assert.equal(words({ event: "run.end", cancelledBy: "user" }), "run end: cancelled by user");
	assert.equal(words({ dropped: 3 }), "dropped 3");
});

test("an entry that is long, or has escape sequences, stays one short line", () => {
	assert.equal(words({ event: "x", cause: "y".repeat(5_000) }).length, 160);
	assert.equal(words({ event: "x", cause: "\u001b[31mred\u001b[0m" }), "x: red");
});

test("the day is told where it is another one", () => {
	const { lines } = readLog(log({ event: "x" }), 1, NOW + 3 * 24 * 60 * 60 * 1000);
	assert.match(lines[0] ?? "", /^Fri Nov 20 2026 \d\d:\d\d:\d\d /);
});

test("only so many are shown, and what is no entry is counted", () => {
	const text = `${log({ event: "a" }, { event: "b" }, { event: "c" })}\nnonsense\n{"event":"no time"}\n\n`;
	const { lines, broken } = readLog(text, 2, NOW);
	assert.deepEqual([lines.map((line) => line.at(-1)), broken], [["b", "c"], 2]);
});
