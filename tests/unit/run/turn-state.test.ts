import assert from "node:assert/strict";
import { test } from "node:test";
import { type EndBinding, TurnState } from "../../../src/run/turn-state.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { bound, CONVERSATION } from "../ledger/make.ts";

const limits = { startUpMs: 60_000, inactivityMs: 60_000, totalMs: 120_000 };

function begun(output: "stream-json" | "text", clock = new FakeClock()): TurnState {
	const state = new TurnState({
		request: {
			prompt: "hello",
			cwd: "/project",
			addDirs: [],
			mode: "accept-edits",
			permissions: "skip",
			purpose: "turn",
			literalPrompt: false,
		},
		output,
		limits,
		patience: { settleMs: 500, quietMs: 2_000, backgroundMs: 30_000 },
		clock,
		emit() {},
	});
	state.begin(undefined);
	return state;
}

/** What a run that only ever says `stderr` is taken for when its time for a sign of life is over. */
function silentAfter(...stderr: readonly string[]) {
	const clock = new FakeClock();
	const state = begun("stream-json", clock);
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

/** What comes of a turn whose agy printed `text`, exited with 0 and left nothing in its database. */
function printed(text: string, binding: EndBinding = { conversationId: CONVERSATION }) {
	const state = begun("text");
	state.stdout(Buffer.from(text));
	state.exited({ code: 0, signal: undefined });
	if ("conversationId" in binding) state.learn([bound]);
	const { outcome } = state.conclude(undefined, binding);
	return outcome.kind === "failed" ? outcome.failure.kind : outcome.kind;
}

const nowhere = { directory: "/c", candidates: [] };

test("what an old agy printed is its answer where the database has none", () => {
	assert.equal(printed("It is 42.\n"), "answered");
	assert.equal(printed("Error: yes, that is the word you asked for.\n"), "answered");
	assert.equal(printed("Individual quota reached is what the log says.\n"), "answered");
});

test("a failure that an old agy printed in place of its answer is no answer", () => {
	assert.equal(printed("Error: timed out waiting for response\n"), "print-timeout");
	assert.equal(printed("Error: Individual quota reached. Resets in 1h0m0s.\n"), "quota");
	assert.equal(printed("\nAuthentication required. Please visit the URL to log in:\n", nowhere), "not-signed-in");
	assert.equal(printed("It is 42.\n", nowhere), "conversation-unbound");
});
