import assert from "node:assert/strict";
import { test } from "node:test";
import { TurnState } from "../../../src/run/turn-state.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const limits = { startUpMs: 60_000, inactivityMs: 60_000, totalMs: 120_000 };

/** What a run that only ever says `stderr` is taken for when its time for a sign of life is over. */
function silentAfter(...stderr: readonly string[]) {
	const clock = new FakeClock();
	const state = new TurnState({
		request: {
			prompt: "hello",
			cwd: "/work",
			addDirs: [],
			mode: "accept-edits",
			permissions: "skip",
			purpose: "turn",
			literalPrompt: false,
		},
		output: "stream-json",
		limits,
		patience: { settleMs: 500, quietMs: 2_000, backgroundMs: 30_000 },
		clock,
		emit() {},
	});
	state.begin(undefined);
	for (const line of stderr) state.stderr(line);
	// In steps: a leap would be taken for a machine that slept.
	for (let waited = 0; waited < limits.startUpMs; waited += 10_000) {
		clock.advance(10_000);
		const verdict = state.judge();
		if (verdict.kind === "failed") return verdict.failure;
	}
	return assert.fail("it is still waited for");
}

test("an agy that gives no sign of life is told as that", () => {
	assert.deepEqual(silentAfter(), { kind: "deadline", which: "start-up", seconds: 60 });
	assert.deepEqual(silentAfter("loading"), { kind: "deadline", which: "start-up", seconds: 60 });
});

test("an agy that fell silent over its sign-in is told as signed out", () => {
	assert.deepEqual(silentAfter("⚠ Verifying your account..."), { kind: "not-signed-in", expired: false });
	assert.deepEqual(silentAfter("Authentication expired."), { kind: "not-signed-in", expired: true });
});
