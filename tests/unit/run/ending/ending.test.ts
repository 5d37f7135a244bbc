import assert from "node:assert/strict";
import { test } from "node:test";
import { decideEnding, type EndingView } from "../../../../src/run/ending/ending.ts";

const patience = { settleMs: 500, quietMs: 2_000, backgroundMs: 30_000 };
const NOW = 100_000;
const decide = (view: Partial<EndingView>, now = NOW) => decideEnding({ ...working, ...view }, patience, now);

/** An agy in the middle of its work. */
const working: EndingView = {
	exited: false,
	resultAt: undefined,
	resultIsAnswer: true,
	recorded: false,
	databaseLives: true,
	lastNewsAt: NOW,
	openTools: 0,
	backgroundTools: 0,
	backgroundSince: undefined,
};

test("a working agy goes on, and only news can change that", () => {
	assert.deepEqual(decide({}), { kind: "going-on" });
	assert.deepEqual(decide({}, NOW + 1_000_000), { kind: "going-on" });
});

test("an exit ends the turn, whatever else is open", () => {
	assert.deepEqual(decide({ exited: true, openTools: 2, backgroundTools: 1 }), { kind: "over", sign: "exit" });
});

test("a result ends the turn at once when everything before it is in the database", () => {
	assert.deepEqual(decide({ resultAt: NOW, recorded: true, backgroundTools: 1 }), { kind: "over", sign: "result" });
});

test("a result ends the turn at once when no database is to be expected", () => {
	assert.deepEqual(decide({ resultAt: NOW, databaseLives: false }), { kind: "over", sign: "result" });
});

test("after a result, commits that are under way are waited for a moment", () => {
	assert.deepEqual(decide({ resultAt: NOW }), { kind: "going-on", lookAgainAt: NOW + 500 });
	assert.deepEqual(decide({ resultAt: NOW }, NOW + 500), { kind: "over", sign: "result" });
});

test("after a result that is no answer, stderr and the exit are waited for a moment", () => {
	const failed = { resultAt: NOW, resultIsAnswer: false, recorded: true };
	assert.deepEqual(decide(failed), { kind: "going-on", lookAgainAt: NOW + 500 });
	assert.deepEqual(decide({ ...failed, exited: true }), { kind: "over", sign: "exit" });
});

test("without a result, the record of the end counts after a quiet time", () => {
	assert.deepEqual(decide({ recorded: true }), { kind: "going-on", lookAgainAt: NOW + 2_000 });
	assert.deepEqual(decide({ recorded: true, lastNewsAt: NOW - 1_000 }, NOW + 500), {
		kind: "going-on",
		lookAgainAt: NOW + 1_000,
	});
	assert.deepEqual(decide({ recorded: true }, NOW + 2_000), { kind: "over", sign: "record" });
});

test("the record does not count while a tool is open", () => {
	assert.deepEqual(decide({ recorded: true, openTools: 1 }, NOW + 60_000), { kind: "going-on" });
});

test("background tasks are given their time, once the answer is complete", () => {
	const left = { recorded: true, backgroundTools: 1 };
	assert.deepEqual(decide(left), { kind: "going-on", lookAgainAt: NOW + 2_000 });
	assert.deepEqual(decide(left, NOW + 2_000), { kind: "background", lookAgainAt: NOW + 32_000 });
	const waiting = { ...left, backgroundSince: NOW + 2_000 };
	assert.deepEqual(decide(waiting, NOW + 31_999), { kind: "background", lookAgainAt: NOW + 32_000 });
	assert.deepEqual(decide(waiting, NOW + 32_000), { kind: "over", sign: "background-left" });
});
