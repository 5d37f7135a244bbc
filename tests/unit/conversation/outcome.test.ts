import assert from "node:assert/strict";
import { test } from "node:test";
import type { Binding } from "../../../src/conversation/binding.ts";
import { answerFingerprint } from "../../../src/conversation/fingerprint.ts";
import { remember, type TurnFacts } from "../../../src/conversation/outcome.ts";
import type { Outcome, RunProgress } from "../../../src/engine/events.ts";
import type { Failure } from "../../../src/engine/failure.ts";

const answered: Outcome = { kind: "answered" };
const aborted: Outcome = { kind: "cancelled", by: "user" };
const failed = (failure: Failure): Outcome => ({ kind: "failed", failure });

function facts(outcome: Outcome, progress: Partial<RunProgress> = {}, more: Partial<TurnFacts> = {}): TurnFacts {
	return {
		memo: {
			sessionId: "s",
			cwd: "/project",
			family: "gemini",
			before: ["u1", "a1"],
			after: ["u1", "a1", "u2"],
			instructions: "new",
			instructionsBefore: "old",
		},
		resumed: "c1",
		end: {
			type: "end",
			outcome,
			progress: {
				conversationId: "c1",
				lastStep: 7,
				promptSeen: true,
				toolsRan: false,
				textSeen: false,
				...progress,
			},
		},
		answer: "",
		now: 5,
		...more,
	};
}

function binding(turn: TurnFacts) {
	const result = remember(turn);
	assert.equal(result.kind, "keep");
	return result.kind === "keep" ? result.binding : assert.fail();
}

test("an answered turn advances by the prompt and the answer", () => {
	assert.deepEqual(binding(facts(answered, { trajectory: "t" }, { answer: "Second.", agyVersion: "1.3.3" })), {
		conversationId: "c1",
		seen: ["u1", "a1", "u2", answerFingerprint("Second.")],
		state: "clean",
		lastStep: 7,
		family: "gemini",
		cwd: "/project",
		instructions: "new",
		updatedAt: 5,
		trajectory: "t",
		agyVersion: "1.3.3",
	});
});

test("an answered turn advances although nobody saw the prompt in the database", () => {
	assert.deepEqual(binding(facts(answered, { promptSeen: false })).seen, ["u1", "a1", "u2"]);
});

test("an aborted turn keeps the id and the step, and advances by the prompt alone", () => {
	const kept = binding(facts(aborted, { toolsRan: true }, { answer: "half" }));
	assert.deepEqual(
		[kept.conversationId, kept.lastStep, kept.state, kept.seen],
		["c1", 7, "interrupted", ["u1", "a1", "u2"]],
	);
});

test("a turn that failed with the prompt in agy's hands waits for its answer", () => {
	assert.equal(binding(facts(failed({ kind: "overloaded" }))).state, "prompt-seen-unanswered");
	assert.equal(binding(facts(failed({ kind: "overloaded" }), { textSeen: true })).state, "interrupted");
});

test("a turn that never reached agy changes nothing", () => {
	assert.deepEqual(remember(facts(failed({ kind: "no-network" }), { promptSeen: false })), { kind: "unchanged" });
	const locked: Failure = { kind: "conversation-locked", id: "c1" };
	const { conversationId: _, ...nowhere } = facts(aborted).end.progress;
	const turn = facts(failed(locked));
	const end = { ...turn.end, progress: { ...nowhere, promptSeen: false } };
	assert.deepEqual(remember({ ...turn, end }), { kind: "unchanged" });
});

test("a new conversation that never got the prompt is forgotten", () => {
	const { resumed: _, ...turn } = facts(aborted, { promptSeen: false });
	assert.deepEqual(remember(turn), { kind: "drop" });
});

test("an id that agy did not honour is forgotten, and so is what it began instead", () => {
	assert.deepEqual(remember(facts(answered, { conversationId: "c9" })), { kind: "drop" });
	assert.deepEqual(remember(facts(failed({ kind: "conversation-lost", id: "c1" }), { conversationId: "c9" })), {
		kind: "drop",
	});
});

for (const failure of [
	{ kind: "conversation-lost", id: "c1" },
	{ kind: "database-unreadable", path: "/c/c1.db", cause: "damaged" },
	{ kind: "schema-not-understood", path: "/c/c1.db", cause: "no steps" },
] satisfies Failure[]) {
	test(`a conversation that could not be opened is forgotten (${failure.kind})`, () => {
		const turn = facts(failed(failure));
		const { conversationId: _, ...progress } = turn.end.progress;
		assert.deepEqual(remember({ ...turn, end: { ...turn.end, progress } }), { kind: "drop" });
	});
}

test("a conversation whose database is locked just now is not forgotten", () => {
	const turn = facts(failed({ kind: "database-busy", path: "/c/c1.db", cause: "it is locked by another process" }));
	const { conversationId: _, ...progress } = turn.end.progress;
	assert.deepEqual(remember({ ...turn, end: { ...turn.end, progress } }), { kind: "unchanged" });
});

test("a quota poisons the conversation, whether or not the prompt arrived", () => {
	const quota = failed({ kind: "quota", adminManaged: false });
	assert.equal(binding(facts(quota)).state, "quota-poisoned");
	const early = binding(facts(quota, { promptSeen: false }));
	assert.deepEqual([early.state, early.seen, early.instructions], ["quota-poisoned", ["u1", "a1"], "old"]);
});

for (const failure of [
	{ kind: "context-too-long" },
	{ kind: "empty-answer", promptBytes: 30_000 },
	{ kind: "model-error", code: 400, message: "bad" },
	{ kind: "database-unreadable", path: "/c/c1.db", cause: "damaged" },
] satisfies Failure[]) {
	test(`${failure.kind} is the end of the conversation`, () => {
		assert.equal(binding(facts(failed(failure))).state, "dead");
	});
}

test("other model errors are not", () => {
	assert.equal(
		binding(facts(failed({ kind: "model-error", code: 500, message: "x" }))).state,
		"prompt-seen-unanswered",
	);
});

test("the last step never goes back within a trajectory, and does after a rewind", () => {
	const known: Binding = {
		conversationId: "c1",
		seen: [],
		state: "clean",
		lastStep: 40,
		trajectory: "t1",
		family: "gemini",
		cwd: "/project",
		instructions: "",
		updatedAt: 1,
	};
	assert.equal(binding(facts(answered, { trajectory: "t1" }, { stored: known })).lastStep, 40);
	assert.equal(binding(facts(answered, {}, { stored: known })).lastStep, 40);
	assert.equal(binding(facts(answered, { trajectory: "t2" }, { stored: known })).lastStep, 7);
});
