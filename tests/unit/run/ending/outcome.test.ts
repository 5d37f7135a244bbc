import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Failure } from "../../../../src/engine/failure.ts";
import type { LedgerFacts } from "../../../../src/ledger/facts.ts";
import { decideOutcome, type EndFacts } from "../../../../src/run/ending/outcome.ts";
import type { StreamResult } from "../../../../src/stdout/stream-message.ts";
import { stepError } from "./make.ts";

const nothingSeen: LedgerFacts = {
	promptSeen: true,
	textSeen: false,
	toolsRan: false,
	toolsDone: 0,
	lastStep: 0,
	trajectory: "t",
	rowsSeen: true,
	stdoutStepsSeen: false,
	lastGeneration: "none",
	answerComplete: false,
	lastGenerationText: "",
	openTools: [],
	backgroundTools: [],
	executor: undefined,
	result: undefined,
	openErrors: [],
	denied: [],
};
const answeredFacts: LedgerFacts = {
	...nothingSeen,
	textSeen: true,
	lastGeneration: "done",
	answerComplete: true,
	lastGenerationText: "It is 42.",
};
const record = (terminationReason: number, error = "") => ({ idx: 0, terminationReason, lastStepIdx: 3, error });
const result = (more: Partial<StreamResult> = {}): StreamResult => ({
	event: "result",
	conversationId: "c",
	status: "SUCCESS",
	response: "",
	error: undefined,
	deniedActions: [],
	usage: undefined,
	...more,
});
const quiet = { failure: undefined, deniedAction: undefined, printTimeout: false };
const locked = { kind: "busy", path: "/c/x.db", cause: "it is locked by another process", retryable: true } as const;

function decide(ledger: Partial<LedgerFacts>, more: Partial<EndFacts> = {}, from: LedgerFacts = answeredFacts) {
	return decideOutcome({
		ledger: { ...from, ...ledger },
		exit: { code: 0, signal: undefined },
		stderr: quiet,
		promptBytes: 5,
		context: { now: 1_000 },
		streamJson: true,
		databaseProblem: undefined,
		binding: { conversationId: "c" },
		...more,
	});
}

function failure(...args: Parameters<typeof decide>): Failure | undefined {
	const outcome = decide(...args);
	return outcome.kind === "failed" ? outcome.failure : undefined;
}

const exit = (code: number | undefined, signal?: NodeJS.Signals) => ({ exit: { code, signal } });
const noExit = { exit: undefined };

describe("an answer", () => {
	test("is text, by exit, by result or by agy's record", () => {
		assert.deepEqual(decide({}), { kind: "answered" });
		assert.deepEqual(decide({ result: result() }, noExit), { kind: "answered" });
		assert.deepEqual(decide({ executor: record(4) }, noExit), { kind: "answered" });
	});

	test("is finished work without words", () => {
		assert.deepEqual(decide({ toolsDone: 1, lastGeneration: "done" }, {}, nothingSeen), { kind: "answered" });
	});

	test("stays one when a tool's failure made the exit code non-zero, as before agy 1.1.20", () => {
		assert.deepEqual(decide({ executor: record(4) }, exit(1)), { kind: "answered" });
	});

	test("stays one when tools were denied on the way to it", () => {
		assert.deepEqual(decide({ denied: [{ by: "permission", action: "command" }] }), { kind: "answered" });
	});

	test("stays one when the database could not be read, where stdout stands in for it", () => {
		assert.deepEqual(decide({}, { databaseProblem: locked }), { kind: "answered" });
	});
});

describe("no answer", () => {
	test("is a success with nothing", () => {
		assert.deepEqual(failure({}, {}, nothingSeen), { kind: "empty-answer", promptBytes: 5 });
		assert.deepEqual(failure({ result: result() }, noExit, nothingSeen), { kind: "empty-answer", promptBytes: 5 });
	});

	test("is a denial after mere words, and it is named with its target", () => {
		const denied = [{ by: "permission", action: "command", target: "rm -r x", tool: "run_command" }] as const;
		const ledger = { denied, textSeen: true, lastGeneration: "done" } as const;
		assert.deepEqual(failure(ledger, {}, nothingSeen), {
			kind: "permission-denied",
			action: "command",
			target: "rm -r x",
		});
	});

	test("is a denial that made the exit code non-zero, as before agy 1.1.20", () => {
		const denied = [{ by: "permission", action: "command" }] as const;
		assert.equal(failure({ denied }, exit(1), nothingSeen)?.kind, "permission-denied");
		const stderr = { ...quiet, deniedAction: "command" };
		assert.equal(failure({}, { ...exit(1), stderr }, nothingSeen)?.kind, "permission-denied");
	});

	test("is a hook's refusal", () => {
		const denied = [{ by: "hook", action: "run_command", reason: "not on Fridays" }] as const;
		assert.deepEqual(failure({ denied }, {}, nothingSeen), { kind: "hook-denied", reason: "not on Fridays" });
	});

	test("is a turn that agy cancelled without being asked to", () => {
		assert.deepEqual(failure({ result: result({ status: "CANCELED" }) }), { kind: "cancelled-by-agy" });
		assert.deepEqual(failure({ executor: record(2) }, noExit), { kind: "cancelled-by-agy" });
	});

	test("is a time limit of agy's own, although it says success", () => {
		const stderr = { ...quiet, printTimeout: true };
		assert.deepEqual(failure({ result: result({ response: "Half" }) }, { stderr }), { kind: "print-timeout" });
	});

	test("is an error that the last model call ended with, whatever the exit code", () => {
		const openErrors = [stepError({ short: "the model is overloaded", code: 503 })];
		assert.deepEqual(failure({ openErrors, lastGeneration: "failed", executor: record(1) }), {
			kind: "overloaded",
			code: 503,
		});
	});

	test("is an unknown error in agy's own words", () => {
		const openErrors = [stepError({ short: "the teapot is empty", code: 418 })];
		assert.deepEqual(failure({ openErrors, executor: record(1) }), {
			kind: "model-error",
			code: 418,
			message: "the teapot is empty",
		});
		assert.deepEqual(failure({ executor: record(1, "the pot broke") }), {
			kind: "model-error",
			message: "the pot broke",
		});
		assert.deepEqual(failure({ lastGeneration: "failed", answerComplete: false }), {
			kind: "model-error",
			message: "the last model call did not finish",
		});
		const stderr = { ...quiet, failure: { kind: "print-timeout" } } as const;
		const unfinished = { lastGeneration: "failed", answerComplete: false } as const;
		assert.deepEqual(failure(unfinished, { stderr }), { kind: "print-timeout" });
	});

	test("is a process that was ended from outside, although it had said something", () => {
		assert.deepEqual(failure({ answerComplete: false }, exit(undefined, "SIGKILL")), {
			kind: "killed",
			signal: "SIGKILL",
		});
	});

	test("is a crash in the middle", () => {
		assert.deepEqual(failure({ answerComplete: false, lastGeneration: "open" }, exit(134)), {
			kind: "crashed",
			exitCode: 134,
		});
	});
});

describe("the database", () => {
	test("that could not be read is the reason when nothing else arrived", () => {
		const busy = { kind: "database-busy", path: "/c/x.db", cause: "it is locked by another process" };
		assert.deepEqual(failure({}, { databaseProblem: locked }, nothingSeen), busy);
		assert.deepEqual(failure({ answerComplete: false }, { databaseProblem: locked, streamJson: false }), busy);
	});

	test("that is not agy's, or is gone, is named as such", () => {
		const noSchema = { ...locked, kind: "no-schema", cause: "no tables" } as const;
		assert.equal(failure({}, { databaseProblem: noSchema }, nothingSeen)?.kind, "schema-not-understood");
		const missing = { ...locked, kind: "missing" } as const;
		assert.deepEqual(failure({}, { databaseProblem: missing }, nothingSeen), {
			kind: "conversation-lost",
			id: "c",
			where: "/c/x.db: it is locked by another process",
		});
	});

	test("that went away is the reason why the last model call was not seen to its end", () => {
		const broken = { lastGeneration: "failed", answerComplete: false } as const;
		const missing = { ...locked, kind: "missing" } as const;
		const plain = { streamJson: false } as const;
		assert.equal(failure(broken, { ...plain, databaseProblem: missing })?.kind, "conversation-lost");
		assert.equal(failure(broken, plain)?.kind, "model-error");
	});

	test("that is not known to be ours is refused, with what was seen", () => {
		const binding = { directory: "/c", candidates: ["a", "b"], printed: true };
		const unbound = { kind: "conversation-unbound", directory: "/c", candidates: ["a", "b"] };
		assert.deepEqual(failure({}, { binding, streamJson: false }, nothingSeen), unbound);
		const elsewhere = { directory: "/c", candidates: [], printed: true };
		assert.equal(failure({}, { binding: elsewhere, streamJson: false }, nothingSeen)?.kind, "conversation-unbound");
	});

	test("that could not be opened before agy was started is the reason why agy did not show it", () => {
		const binding = { directory: "/c", candidates: ["c"], printed: false };
		const found = failure({}, { binding, databaseProblem: locked, ...exit(1) }, nothingSeen);
		assert.equal(found?.kind, "database-busy");
	});

	test("that never appeared, of an agy that said nothing, is an empty answer", () => {
		const binding = { directory: "/c", candidates: [], printed: false };
		assert.equal(failure({}, { binding }, nothingSeen)?.kind, "empty-answer");
	});

	test("that is not known does not matter when stdout told the answer", () => {
		const binding = { directory: "/c", candidates: [], printed: false };
		assert.deepEqual(decide({ result: result({ response: "It is 42." }) }, { binding }), { kind: "answered" });
	});
});
