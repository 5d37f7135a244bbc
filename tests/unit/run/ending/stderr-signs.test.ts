import assert from "node:assert/strict";
import { test } from "node:test";
import { readStderrLine, type StderrSign, StderrSigns } from "../../../../src/run/ending/stderr-signs.ts";

const context = { now: 0, model: "claude-sonnet-4-6" };

const lines: readonly (readonly [string, StderrSign | undefined])[] = [
	['warning: conversation "0b9f-77" not found', { kind: "conversation-not-found", id: "0b9f-77" }],
	["root agent idle; waiting up to 5s for 2 background task(s)", { kind: "waiting-for-background", tasks: 2 }],
	[
		"root agent idle; waiting for 3 background task(s) (bounded by --print-timeout)",
		{ kind: "waiting-for-background", tasks: 3 },
	],
	["terminating 1 background task(s) on exit", { kind: "background-ended", tasks: 1 }],
	["terminating 2 background task(s) and 4 daemon task(s) on exit", { kind: "background-ended", tasks: 2 }],
	["[agy] print timeout after 15s with turn in progress; returning partial output", { kind: "print-timeout" }],
	[
		"API error (attempt 3): RESOURCE_EXHAUSTED (code 429): Individual quota reached. Resets in 2s.",
		{
			kind: "retrying",
			attempt: 3,
			failure: { kind: "quota", pool: "Claude and GPT models", resetAt: 2_000, adminManaged: false },
		},
	],
	["API error (attempt 1): something new", { kind: "retrying", attempt: 1, failure: undefined }],
	["Waiting for authentication (timeout 60s)...", { kind: "waiting-for-sign-in" }],
	["Authentication required. Please visit the URL to log in:", { kind: "waiting-for-sign-in" }],
	["warning: --mode plan has no effect while slash command expansion is disabled.", { kind: "plan-mode-lost" }],
	[
		'jetski: no output produced — a tool required the "mcp" permission that headless mode cannot prompt for, so it was auto-denied.',
		{ kind: "permission-denied", action: "mcp" },
	],
	[
		"Error: authentication required. Run 'agy' to log in, then retry.",
		{ kind: "failure", failure: { kind: "not-signed-in", expired: false } },
	],
	[
		'AGY_ERROR: {"status":"RESOURCE_EXHAUSTED","error_code":429,"retryable":true,"error_id":"e1","short_error":"Resource has been exhausted"}',
		{ kind: "failure", failure: { kind: "rate-limit" } },
	],
	[
		'AGY_ERROR: {"status":"RESOURCE_EXHAUSTED","error_code":429,"retryable":false,"short_error":"Individual quota reached. Resets in 1h0m0s."}',
		{
			kind: "failure",
			failure: { kind: "quota", pool: "Claude and GPT models", resetAt: 3_600_000, adminManaged: false },
		},
	],
	[
		'AGY_ERROR: {"status":"UNAVAILABLE","error_code":503,"short_error":"try later"}',
		{ kind: "failure", failure: { kind: "overloaded", code: 503 } },
	],
	[
		'error: AGY_ERROR: {"status":"SOMETHING_NEW","error_code":418,"short_error":"a teapot"}',
		{
			kind: "failure",
			failure: { kind: "model-error", code: 418, status: "SOMETHING_NEW", message: "a teapot" },
		},
	],
	[
		'AGY_ERROR: {"status":7,"error_code":"x"}',
		{ kind: "failure", failure: { kind: "model-error", message: "no reason given" } },
	],
	["AGY_ERROR: {not json}", undefined],
	["I0101 loading", undefined],
	["", undefined],
];

for (const [line, expected] of lines) {
	test(`says ${expected?.kind ?? "nothing"}: ${line.slice(0, 60)}`, () => {
		assert.deepEqual(readStderrLine(line, context), expected);
	});
}

function collect(...pushed: string[]): StderrSigns {
	const signs = new StderrSigns(() => context);
	for (const line of pushed) signs.push(line);
	return signs;
}

test("the models that follow an unknown one are collected from their own lines, and the list ends by itself", () => {
	const signs = collect(
		'error: invalid model selection (--model "x" --effort ""): model x is not recognized as a known model',
		"Available models:",
		"  gemini-3.8-flash-high\tGemini 3.8 Flash (High)",
		"  gpt-oss-120b-medium",
		"",
		"Usage of agy",
	);
	assert.deepEqual(signs.failure, {
		kind: "unknown-model",
		model: "x",
		available: ["gemini-3.8-flash-high", "gpt-oss-120b-medium"],
	});
});

test("agy's own account outranks what other lines say, before and after it", () => {
	const own = 'AGY_ERROR: {"status":"UNAVAILABLE","error_code":503,"short_error":"down"}';
	const other = "dial tcp: no such host";
	assert.equal(collect(other, own).failure?.kind, "overloaded");
	assert.equal(collect(own, other).failure?.kind, "overloaded");
});

test("an account of the quota without its reset time does not hide one that has it", () => {
	const agyError =
		'AGY_ERROR: {"status":"RESOURCE_EXHAUSTED","error_code":429,"short_error":"Individual quota reached."}';
	const { failure } = collect("Individual quota reached. Resets in 9s.", agyError);
	assert.ok(failure?.kind === "quota" && failure.resetAt !== undefined);
});

test("a bare 429 does not hide the quota it is about", () => {
	assert.equal(
		collect("Individual quota reached. Resets in 9s.", "RESOURCE_EXHAUSTED (code 429)").failure?.kind,
		"quota",
	);
	assert.equal(collect("RESOURCE_EXHAUSTED (code 429)", "Individual quota reached.").failure?.kind, "quota");
});

test("the attempts of the newest call count", () => {
	const call = (attempt: number) => `API error (attempt ${attempt}): UNAVAILABLE (code 503): busy`;
	assert.equal(collect(call(1), call(2), call(3)).attempts, 3);
	assert.equal(collect(call(1), call(2), "some noise", call(1)).attempts, 1);
});

test("facts of the whole run are kept", () => {
	const signs = collect(
		"terminating 1 background task(s) on exit",
		"terminating 2 background task(s) and 1 daemon task(s) on exit",
		"[agy] print timeout after 1m0s with turn in progress; returning partial output",
		'a tool required the "write_file" permission that headless mode cannot prompt for',
	);
	assert.equal(signs.backgroundEnded, 3);
	assert.equal(signs.printTimeout, true);
	assert.equal(signs.deniedAction, "write_file");
	assert.equal(signs.failure, undefined);
});
