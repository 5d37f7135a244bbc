import assert from "node:assert/strict";
import { test } from "node:test";
import type { Failure } from "../../../../src/engine/failure.ts";
import { AGY_SENTENCES, type ErrorContext } from "../../../../src/run/ending/agy-sentences.ts";
import { failureInText } from "../../../../src/run/ending/error-text.ts";

const context: ErrorContext = { now: 1_000, model: "gemini-3.8-flash-high", resume: "c1", exitCode: 1 };
const HOUR = 3_600_000;

const quota = (ms: number, adminManaged = false): Failure => ({
	kind: "quota",
	pool: "Gemini Models",
	resetAt: 1_000 + ms,
	adminManaged,
});

/** What agy and the services behind it were seen to say, and what it means. */
const texts: readonly (readonly [string, Failure | undefined])[] = [
	[
		"Individual quota reached. Please upgrade your subscription to increase your limits. Resets in 100h25m46s.",
		quota(100 * HOUR + 25 * 60_000 + 46_000),
	],
	[
		"Individual quota reached. Contact your administrator to enable overages. Resets in 3h38m47s.",
		quota(3 * HOUR + 38 * 60_000 + 47_000, true),
	],
	["API error (attempt 3): RESOURCE_EXHAUSTED (code 429): Individual quota reached. Resets in 5s.", quota(5_000)],
	["Individual quota reached.", { kind: "quota", pool: "Gemini Models", adminManaged: false }],
	["Resource has been exhausted (e.g. check quota).", { kind: "rate-limit" }],
	["RESOURCE_EXHAUSTED (code 429): Resource has been exhausted (e.g. check quota).", { kind: "rate-limit" }],
	["Eligibility check failed: UNAVAILABLE (code 503)", { kind: "overloaded", code: 503 }],
	["The model is overloaded. Please try again later.", { kind: "overloaded" }],
	["Error: authentication required. Run 'agy' to log in, then retry.", { kind: "not-signed-in", expired: false }],
	["Authentication required. Please visit the URL to log in:", { kind: "not-signed-in", expired: false }],
	["Waiting for authentication (timeout 60s)...", { kind: "not-signed-in", expired: false }],
	["Authentication expired. Please log back in.", { kind: "not-signed-in", expired: true }],
	["⚠ Verifying your account...", { kind: "not-signed-in", expired: false }],
	[
		"Error: Please sign in to view available models. Launch the CLI without arguments to sign in.",
		{ kind: "not-signed-in", expired: false },
	],
	[
		"UNAUTHENTICATED (code 401): Request had invalid authentication credentials.",
		{ kind: "not-signed-in", expired: true },
	],
	[
		'error: invalid model selection (--model "nope 1" --effort ""): model nope 1 is not recognized as a known model or custom model in settings\nAvailable models:\n  gemini-3.8-flash-high\tGemini 3.8 Flash (High)\n  gpt-oss-120b-medium  GPT-OSS 120B (Medium)\n',
		{ kind: "unknown-model", model: "nope 1", available: ["gemini-3.8-flash-high", "gpt-oss-120b-medium"] },
	],
	["model x1 is not recognized", { kind: "unknown-model", model: "x1", available: [] }],
	[
		'error: invalid model selection (--model "gemini-3.8-flash" --effort ""): --model gemini-3.8-flash requires --effort (available: low, medium, high)',
		{ kind: "bad-effort", model: "gemini-3.8-flash", available: ["low", "medium", "high"] },
	],
	[
		'error: invalid model selection (--model "gemini-3.8-flash-low" --effort "high"): --model gemini-3.8-flash-low conflicts with --effort=high',
		{ kind: "bad-effort", model: "gemini-3.8-flash-low", available: [] },
	],
	[
		"error: --effort is not supported for model claude-sonnet-4-6",
		{ kind: "bad-effort", model: "claude-sonnet-4-6", available: [] },
	],
	["flag needs an argument: -print", { kind: "flag-rejected", flag: "-print" }],
	["flags provided but not defined: -output-format", { kind: "flag-rejected", flag: "-output-format" }],
	['invalid value "90" for flag -print-timeout: parse error', { kind: "flag-rejected", flag: "-print-timeout" }],
	[
		'jetski: no output produced — a tool required the "command" permission that headless mode cannot prompt for, so it was auto-denied. Add an allow-rule under permissions.allow in settings.json (e.g. command(<target>)).',
		{ kind: "permission-denied", action: "command" },
	],
	[
		"User denied permission to run command: git push",
		{ kind: "permission-denied", action: "command", target: "git push" },
	],
	["Tool call denied by jsonhook__acme_PreToolUse_0_0:", { kind: "hook-denied", hook: "acme" }],
	["tool call denied by pre-tool hook:", { kind: "hook-denied" }],
	["tool call denied by pre-tool hook: not on Fridays", { kind: "hook-denied", reason: "not on Fridays" }],
	["[agy] print timeout after 15s with turn in progress; returning partial output", { kind: "print-timeout" }],
	["timeout waiting for response", { kind: "print-timeout" }],
	["Error: timed out waiting for response", { kind: "print-timeout" }],
	["dial tcp: lookup cloudcode-pa.googleapis.com: no such host", { kind: "no-network" }],
	["read tcp 10.0.0.2:443: connection reset by peer", { kind: "no-network" }],
	["The input token count (1200000) exceeds the maximum number of tokens allowed", { kind: "context-too-long" }],
	["context_length_exceeded", { kind: "context-too-long" }],
	[
		"CLI error: bubbletea: could not open TTY: open /dev/tty: no such device or address",
		{ kind: "crashed", exitCode: 1, hint: "it wanted a terminal" },
	],
	[
		"failed to start language server: exec format error",
		{ kind: "crashed", exitCode: 1, hint: "its language server did not start" },
	],
	[
		"panic: runtime error: invalid memory address or nil pointer dereference",
		{ kind: "crashed", exitCode: 1, hint: "it failed inside" },
	],
	["plan model not specified", { kind: "conversation-lost", id: "c1" }],
	["context canceled", { kind: "cancelled-by-agy" }],
	[
		"INTERNAL (code 500): Internal error encountered.",
		{ kind: "model-error", code: 500, status: "INTERNAL", message: "INTERNAL (code 500): Internal error encountered." },
	],
	[
		"error: empty prompt",
		{ kind: "bad-request", problem: "The prompt is empty.", remedy: "Write something for agy to do." },
	],
	["I looked at the quota of the disk and it is fine", undefined],
	["starting", undefined],
	["", undefined],
];

for (const [text, expected] of texts) {
	test(`means ${expected?.kind ?? "nothing"}: ${text.slice(0, 70)}`, () => {
		assert.deepEqual(failureInText(text, context), expected);
	});
}

test("an unusable conversation is lost only if one was to be continued", () => {
	assert.equal(failureInText("plan model not specified", { now: 0 })?.kind, "model-error");
});

test("the order of the sentences matters for two pairs only", () => {
	const pairs = texts.flatMap(([text]) => {
		const kinds = AGY_SENTENCES.flatMap(({ pattern, failure }) => {
			const match = pattern.exec(text);
			return match === null ? [] : [failure(match, context).kind];
		});
		return kinds.length > 1 ? [kinds.join(" before ")] : [];
	});
	assert.deepEqual(new Set(pairs), new Set(["quota before rate-limit", "bad-effort before unknown-model"]));
});
