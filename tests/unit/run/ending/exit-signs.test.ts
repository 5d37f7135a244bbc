import assert from "node:assert/strict";
import { test } from "node:test";
import type { FailureKind } from "../../../../src/engine/failure.ts";
import { type ExitFacts, failureAtExit } from "../../../../src/run/ending/exit-signs.ts";
import { StderrSigns } from "../../../../src/run/ending/stderr-signs.ts";
import type { StreamResult } from "../../../../src/stdout/stream-message.ts";

const success: StreamResult = {
	event: "result",
	conversationId: "c1",
	status: "SUCCESS",
	response: "pong\n",
	error: undefined,
	deniedActions: [],
	usage: undefined,
};
const empty: StreamResult = { ...success, response: "" };

interface Case {
	readonly what: string;
	readonly facts: Partial<Omit<ExitFacts, "stderr">>;
	readonly stderr?: readonly string[];
	readonly expected: FailureKind | undefined;
}

const exit = (code: number): ExitFacts["exit"] => ({ code, signal: undefined });
const quotaText = "Individual quota reached. Please upgrade. Resets in 1h0m0s.";
const agyError = 'AGY_ERROR: {"status":"INTERNAL","error_code":500,"short_error":"boom"}';
const softDeny =
	'jetski: no output produced — a tool required the "command" permission that headless mode cannot prompt for';

const cases: readonly Case[] = [
	{ what: "a result with an answer", facts: { result: success }, expected: undefined },
	{ what: "the older word for success", facts: { result: { ...success, status: "OK" } }, expected: undefined },
	{
		what: "success without text, answer seen in the database",
		facts: { result: empty, answered: true },
		expected: undefined,
	},
	{ what: "success with nothing at all", facts: { result: empty }, expected: "empty-answer" },
	{
		what: "success with nothing because a tool was refused",
		facts: { result: { ...empty, deniedActions: [{ action: "command", displayName: "RunCommand" }] } },
		expected: "permission-denied",
	},
	{
		what: "success with nothing, refusal only on stderr",
		facts: { result: empty },
		stderr: [softDeny],
		expected: "permission-denied",
	},
	{
		what: "success with nothing after retries at the quota",
		facts: { result: empty },
		stderr: [quotaText],
		expected: "quota",
	},
	{
		what: "a refusal that the answer got around",
		facts: { result: { ...success, deniedActions: [{ action: "command", displayName: undefined }] } },
		expected: undefined,
	},
	{
		what: "success cut by agy's time limit",
		facts: { result: success },
		stderr: ["[agy] print timeout after 15s with turn in progress; returning partial output"],
		expected: "print-timeout",
	},
	{ what: "cancelled inside agy", facts: { result: { ...success, status: "CANCELED" } }, expected: "cancelled-by-agy" },
	{ what: "waiting for somebody", facts: { result: { ...empty, status: "WAITING" } }, expected: "permission-denied" },
	{
		what: "a quota error in the result",
		facts: { result: { ...empty, status: "ERROR", error: quotaText } },
		expected: "quota",
	},
	{
		what: "a time limit of agy 1.1.x",
		facts: { result: { ...empty, status: "ERROR", error: "timeout waiting for response" }, exit: exit(1) },
		expected: "print-timeout",
	},
	{
		what: "ended by a signal while working",
		facts: { result: { ...empty, status: "ERROR", error: "context canceled" } },
		expected: "cancelled-by-agy",
	},
	{ what: "an error of a new kind", facts: { result: { ...empty, status: "EXPLODED" } }, expected: "model-error" },
	{
		what: "an error that only stderr names precisely",
		facts: { result: { ...empty, status: "ERROR", error: "INTERNAL: request failed" } },
		stderr: ["dial tcp: no such host"],
		expected: "no-network",
	},
	{
		what: "exit 3 after partial output",
		facts: { result: success, exit: exit(3) },
		stderr: [agyError],
		expected: "model-error",
	},
	{ what: "exit 3 without a word", facts: { exit: exit(3) }, expected: "model-error" },
	{ what: "exit 3 with the quota in a step", facts: { exit: exit(3), stepError: quotaText }, expected: "quota" },
	{ what: "exit 2", facts: { exit: exit(2) }, expected: "flag-rejected" },
	{ what: "exit 1 without a word", facts: { exit: exit(1) }, expected: "crashed" },
	{
		what: "exit 1, signed out",
		facts: { exit: exit(1) },
		stderr: ["Error: authentication required."],
		expected: "not-signed-in",
	},
	{ what: "exit 255", facts: { exit: exit(255) }, expected: "crashed" },
	{ what: "killed", facts: { exit: { code: undefined, signal: "SIGKILL" } }, expected: "killed" },
	{
		what: "exit 0 with an answer and no result (old agy)",
		facts: { exit: exit(0), answered: true },
		expected: undefined,
	},
	{ what: "exit 0 with nothing", facts: { exit: exit(0) }, expected: "empty-answer" },
	{
		what: "killed after the result",
		facts: { result: success, exit: { code: undefined, signal: "SIGKILL" } },
		expected: undefined,
	},
];

for (const { what, facts, stderr = [], expected } of cases) {
	test(`${what}: ${expected ?? "no failure"}`, () => {
		const context = { now: 0, model: "gemini-3.8-flash-low" };
		const signs = new StderrSigns(() => context);
		for (const line of stderr) signs.push(line);
		const failure = failureAtExit({
			exit: undefined,
			result: undefined,
			stepError: undefined,
			answered: false,
			promptBytes: 5,
			context,
			...facts,
			stderr: signs,
		});
		assert.equal(failure?.kind, expected);
	});
}

test("the account of the quota that has its reset time counts, wherever it stands", () => {
	const withoutTime = "RESOURCE_EXHAUSTED (code 429): Individual quota reached.";
	const signs = new StderrSigns(() => ({ now: 0 }));
	signs.push(quotaText);
	const failure = failureAtExit({
		exit: exit(3),
		result: { ...empty, status: "ERROR", error: withoutTime },
		stepError: withoutTime,
		stderr: signs,
		answered: false,
		promptBytes: 5,
		context: { now: 0 },
	});
	assert.deepEqual(failure, { kind: "quota", resetAt: 3_600_000, adminManaged: false });
});

test("the details of a failure come along", () => {
	const facts: ExitFacts = {
		exit: exit(134),
		result: undefined,
		stderr: {
			failure: { kind: "crashed", exitCode: 1, hint: "it failed inside" },
			deniedAction: undefined,
			printTimeout: false,
		},
		stepError: undefined,
		answered: false,
		promptBytes: 26_000,
		context: { now: 0 },
	};
	assert.deepEqual(failureAtExit(facts), { kind: "crashed", exitCode: 134, hint: "it failed inside" });
	const silent = { ...facts, exit: exit(0), stderr: { ...facts.stderr, failure: undefined } };
	assert.deepEqual(failureAtExit(silent), { kind: "empty-answer", promptBytes: 26_000 });
});
