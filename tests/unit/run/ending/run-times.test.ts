import assert from "node:assert/strict";
import { test } from "node:test";
import { createLedger } from "../../../../src/ledger/ledger.ts";
import { checkDeadlines, type Limits } from "../../../../src/run/ending/deadlines.ts";
import { LOOK_EVERY_MS, RunTimes } from "../../../../src/run/ending/run-times.ts";
import { answer, bound, feed, row, tool } from "../../ledger/make.ts";

const facts = createLedger().facts();
const START = 1_000_000;
const HOUR = 3_600_000;
const limits: Limits = { startUpMs: 120_000, inactivityMs: 600_000, totalMs: 2 * HOUR };

/** Time passes with a look at every heartbeat, as while pi runs. */
function awake(times: RunTimes, from: number, ms: number): number {
	for (let at = from; at < from + ms; at += LOOK_EVERY_MS) times.look(at);
	times.look(from + ms);
	return from + ms;
}

test("time that the machine slept is nobody's silence, and no part of the turn", () => {
	const times = new RunTimes(START);
	times.news(START + 1_000);
	let now = awake(times, START + 1_000, 300_000);
	now += 9 * HOUR;
	times.look(now);
	assert.equal(checkDeadlines(times.vitals(facts), limits, now).kind, "alive");
	now = awake(times, now, 299_000);
	assert.equal(checkDeadlines(times.vitals(facts), limits, now).kind, "alive");
	now = awake(times, now, 20_000);
	const verdict = checkDeadlines(times.vitals(facts), limits, now);
	assert.deepEqual(verdict, { kind: "expired", which: "inactivity", seconds: 600 });
});

test("what comes first after a sleep is no news from before it", () => {
	const times = new RunTimes(START);
	const now = START + 9 * HOUR;
	times.news(now);
	const { lastSignAt, startedAt } = times.vitals(facts);
	assert.deepEqual([startedAt, lastSignAt], [now, now]);
});

test("a command that goes on in the background is alive, however silent", () => {
	const times = new RunTimes(START);
	times.news(START);
	const now = awake(times, START, HOUR);
	const waiting = createLedger();
	feed(waiting, bound, row(2, "running", tool({ task: { id: "task-1" } })), row(3, "done", answer("It runs.")));
	assert.equal(checkDeadlines(times.vitals(waiting.facts()), limits, now).kind, "alive");
	assert.equal(checkDeadlines(times.vitals(facts), limits, now).kind, "expired");
});

test("a silence with all its looks is one", () => {
	const times = new RunTimes(START);
	const now = awake(times, START, 120_000);
	const verdict = checkDeadlines(times.vitals(facts), limits, now);
	assert.deepEqual(verdict, { kind: "expired", which: "start-up", seconds: 120 });
});
