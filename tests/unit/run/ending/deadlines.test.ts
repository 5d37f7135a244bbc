import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultSettings } from "../../../../src/config/schema.ts";
import { checkDeadlines, limitsOf, type Vitals } from "../../../../src/run/ending/deadlines.ts";

const limits = { startUpMs: 120_000, inactivityMs: 600_000, totalMs: 7_200_000 };
const vitals = (more: Partial<Vitals> = {}): Vitals => ({
	startedAt: 0,
	firstSignAt: 1_000,
	lastSignAt: 1_000,
	toolRunning: false,
	asksForSignIn: false,
	...more,
});
const silent = { firstSignAt: undefined, lastSignAt: 0 };

test("limits come from the settings, the total from the request where it names one", () => {
	assert.deepEqual(limitsOf(defaultSettings, undefined), limits);
	assert.equal(limitsOf(defaultSettings, 5_000).totalMs, 5_000);
});

test("start-up ends with the first sign of life", () => {
	assert.deepEqual(checkDeadlines(vitals(silent), limits, 119_999), { kind: "alive", untilMs: 120_000 });
	assert.deepEqual(checkDeadlines(vitals(silent), limits, 120_000), {
		kind: "expired",
		which: "start-up",
		seconds: 120,
	});
	assert.deepEqual(checkDeadlines(vitals(), limits, 120_000), { kind: "alive", untilMs: 601_000 });
});

test("output that means nothing does not end the start-up", () => {
	const verdict = checkDeadlines(vitals({ firstSignAt: undefined, lastSignAt: 119_000 }), limits, 120_000);
	assert.equal(verdict.kind, "expired");
});

test("an agy that asks for a sign-in gets less time to start", () => {
	const verdict = checkDeadlines(vitals({ ...silent, asksForSignIn: true }), limits, 15_000);
	assert.deepEqual(verdict, { kind: "expired", which: "start-up", seconds: 15 });
});

test("silence is counted from the last sign", () => {
	assert.equal(checkDeadlines(vitals({ lastSignAt: 50_000 }), limits, 649_999).kind, "alive");
	assert.deepEqual(checkDeadlines(vitals({ lastSignAt: 50_000 }), limits, 650_000), {
		kind: "expired",
		which: "inactivity",
		seconds: 600,
	});
});

test("a running tool is alive, however silent, but not beyond the total", () => {
	const quiet = vitals({ toolRunning: true });
	assert.deepEqual(checkDeadlines(quiet, limits, 5_000_000), { kind: "alive", untilMs: 5_600_000 });
	assert.deepEqual(checkDeadlines(quiet, limits, 7_200_000), { kind: "expired", which: "total", seconds: 7_200 });
});

test("of two deadlines that passed, the earlier one is named", () => {
	const verdict = checkDeadlines(vitals(silent), { ...limits, totalMs: 60_000 }, 200_000);
	assert.deepEqual(verdict, { kind: "expired", which: "total", seconds: 60 });
});
