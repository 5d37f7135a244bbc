import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Failure, FailureKind } from "../../../src/engine/failure.ts";
import { classify, failureText, finalText } from "../../../src/provider/failure-text.ts";
import { type FailureClass, failureWords } from "../../../src/words/failure-words.ts";

const NOW = new Date(2026, 10, 30, 12, 0).getTime();

/** Words from outside that would each make pi repeat a prompt or compact the session. */
const MISLEADING = "timed out, ECONNRESET 503, rate limit, context_length_exceeded, terminated";

/** Every kind, with its class while agy has done nothing, and variants with the worst that may stand in it. */
const failures: { readonly [Kind in FailureKind]: [FailureClass, ...Extract<Failure, { kind: Kind }>[]] } = {
	"not-installed": ["final", { kind: "not-installed", searched: ["/usr/bin/agy"] }, notInstalled(MISLEADING)],
	"cannot-start": ["final", { kind: "cannot-start", path: "/bin/agy", cause: MISLEADING }],
	"too-old": ["final", { kind: "too-old", version: "1.0.2", floor: "1.0.10" }],
	"not-signed-in": ["final", { kind: "not-signed-in", expired: true }, { kind: "not-signed-in", expired: false }],
	"no-network": ["retry", { kind: "no-network" }],
	"unknown-model": [
		"final",
		{ kind: "unknown-model", model: "gemini-500", available: [] },
		{ kind: "unknown-model", model: "x", available: ["a", "b"] },
	],
	"bad-effort": ["final", { kind: "bad-effort", model: "gpt-oss", available: [] }],
	"flag-rejected": ["final", { kind: "flag-rejected", flag: "--timeout" }],
	quota: [
		"final",
		{ kind: "quota", adminManaged: false, pool: "5h", resetAt: NOW + 3 * 3_600_000 },
		{ kind: "quota", adminManaged: true, pool: MISLEADING },
	],
	"rate-limit": ["retry", { kind: "rate-limit" }],
	overloaded: ["retry", { kind: "overloaded" }, { kind: "overloaded", code: 503 }],
	"model-unreachable": [
		"final",
		{ kind: "model-unreachable", attempts: 25 },
		{ kind: "model-unreachable", attempts: 429, because: "rate-limit" },
		{ kind: "model-unreachable", attempts: 503, because: "overloaded" },
		{ kind: "model-unreachable", attempts: 25, because: "no-network" },
	],
	"context-too-long": ["overflow", { kind: "context-too-long" }],
	"model-error": ["final", { kind: "model-error", message: MISLEADING, code: 400 }],
	"permission-denied": ["final", { kind: "permission-denied", action: "run", target: MISLEADING }],
	"hook-denied": ["final", { kind: "hook-denied" }, { kind: "hook-denied", hook: "h", reason: MISLEADING }],
	"cancelled-by-agy": ["final", { kind: "cancelled-by-agy" }],
	"print-timeout": ["final", { kind: "print-timeout" }],
	deadline: [
		"final",
		{ kind: "deadline", which: "start-up", seconds: 500 },
		{ kind: "deadline", which: "inactivity", seconds: 503 },
		{ kind: "deadline", which: "total", seconds: 7200 },
	],
	"empty-answer": [
		"final",
		{ kind: "empty-answer", promptBytes: 503 * 1024 },
		{ kind: "empty-answer", promptBytes: 0 },
	],
	"conversation-lost": [
		"final",
		{ kind: "conversation-lost", id: "429" },
		{ kind: "conversation-lost", id: "c", where: MISLEADING },
	],
	"conversation-replaced": ["retry", { kind: "conversation-replaced", id: "429" }],
	"conversation-locked": ["final", { kind: "conversation-locked", id: "c", pid: 503 }],
	"conversation-unbound": [
		"final",
		{ kind: "conversation-unbound", directory: "/c", candidates: [] },
		{ kind: "conversation-unbound", directory: MISLEADING, candidates: ["a"] },
		{ kind: "conversation-unbound", directory: MISLEADING, candidates: ["a", "b"] },
	],
	"database-unreadable": ["final", { kind: "database-unreadable", path: "/c/a.db", cause: MISLEADING }],
	"database-busy": ["final", { kind: "database-busy", path: "/c/a.db", cause: MISLEADING }],
	"schema-not-understood": ["final", { kind: "schema-not-understood", path: "/c/a.db", cause: MISLEADING }],
	"sqlite-missing": ["final", { kind: "sqlite-missing" }],
	killed: ["final", { kind: "killed", signal: "SIGTERM" }],
	crashed: ["final", { kind: "crashed", exitCode: 503 }, { kind: "crashed", exitCode: 1, hint: MISLEADING }],
	"bad-request": ["final", { kind: "bad-request", problem: `A ${MISLEADING}.`, remedy: "Mend it." }],
};

function notInstalled(path: string): Extract<Failure, { kind: "not-installed" }> {
	return { kind: "not-installed", searched: [path] };
}

for (const [kind, [expected, ...variants]] of Object.entries(failures)) {
	describe(kind, () => {
		for (const failure of variants) {
			test(`${JSON.stringify(failure)} is ${expected} before and final after tools`, () => {
				assert.equal(classify(failureText(failure, false, NOW)), expected);
				assert.equal(classify(failureText(failure, true, NOW)), "final");
			});
			test(`${JSON.stringify(failure)} has sentences that need no last resort`, () => {
				const { cause, plainCause, remedy } = failureWords(failure, NOW);
				if (kind !== "bad-request") assert.ok(failureText(failure, true, NOW).includes(remedy));
				for (const sentence of [cause, plainCause, remedy]) assert.match(sentence, /[.?!]$/);
				assert.doesNotMatch(
					failureText(failure, true, NOW),
					kind === "bad-request" ? /never/ : /the log has the reason/,
				);
			});
		}
	});
}

test("a failing server is worth another try, a refused request is not", () => {
	assert.equal(classify(failureText({ kind: "model-error", code: 503, message: "busy" }, false, NOW)), "retry");
	assert.equal(classify(failureText({ kind: "model-error", code: 503, message: "busy" }, true, NOW)), "final");
	assert.equal(classify(failureText({ kind: "model-error", code: 400, message: "bad" }, false, NOW)), "final");
});

test("the quota says when it resets, in words and on the clock", () => {
	const resetAt = NOW + (3 * 60 + 38) * 60_000;
	const text = failureText({ kind: "quota", adminManaged: false, pool: "5h", resetAt }, false, NOW);
	// As in the footer and in /agy quota, whatever the machine's language.
	const clock = new Date(resetAt).toTimeString().slice(0, 5);
	assert.ok(text.includes(`quota (5h) is used up; resets in 3 h 38 min (${clock})`), text);
	const managed = failureText({ kind: "quota", adminManaged: true, resetAt }, false, NOW);
	assert.ok(managed.includes(`an administrator manages it; resets in 3 h 38 min (${clock})`), managed);
	const later = failureText({ kind: "quota", adminManaged: false, resetAt: NOW + 30 * 3_600_000 }, false, NOW);
	assert.match(later, /resets in 1 d 6 h \(.+, /);
	assert.match(failureText({ kind: "quota", adminManaged: false, resetAt: NOW - 1 }, false, NOW), /available again/);
});

test("a database that is gone, or not known to be agy's, is named", () => {
	const lost = { kind: "conversation-lost", id: "c", where: "/c/c.db: it does not exist (any more)" } as const;
	assert.match(failureText(lost, false, NOW), /^agy's conversation c is gone \(\/c\/c\.db: it does not exist/);
	const text = (...candidates: string[]) =>
		failureText({ kind: "conversation-unbound", directory: "/c", candidates }, false, NOW);
	assert.match(text("a"), /whether a\.db in \/c is agy's/);
	assert.match(text("a", "b"), /which of 2 conversations in \/c/);
});

test("after tools the text says why nothing is repeated", () => {
	assert.match(failureText({ kind: "overloaded" }, true, NOW), /already run tools/);
	assert.doesNotMatch(failureText({ kind: "not-signed-in", expired: false }, true, NOW), /already run tools/);
});

test("what is not known is not named", () => {
	assert.match(
		failureText({ kind: "flag-rejected", flag: "" }, false, NOW),
		/^agy does not accept one of its options\. /,
	);
	assert.match(
		failureText({ kind: "permission-denied", action: "unknown" }, false, NOW),
		/^agy waits for a permission, which cannot be given here\. /,
	);
});

test("what was not allowed is said in plain words", () => {
	const failure = {
		kind: "permission-denied",
		action: "command",
		target: "rm -rf build",
	} as const;
	assert.equal(
		failureText(failure, false, NOW),
		"agy was not allowed to run rm -rf build. `/agy permissions skip` allows it, as does a rule in agy's own permissions, where no policy forbids it.",
	);
});

test("the length of a prompt is only named where it may be the cause", () => {
	assert.match(
		failureText({ kind: "empty-answer", promptBytes: 26_000 }, false, NOW),
		/26 KB\. Send a shorter message/,
	);
	assert.match(
		failureText({ kind: "empty-answer", promptBytes: 20 }, false, NOW),
		/^agy gave no answer\. Send the message/,
	);
});

test("of many models some are named", () => {
	const available = Array.from({ length: 14 }, (_, index) => `m${index}`);
	const text = failureText({ kind: "unknown-model", model: "x", available }, false, NOW);
	assert.match(text, /Choose one of: m0, m1, .*m7 and 6 more \(\/model lists them\)\.$/);
	assert.equal(
		failureText({ kind: "unknown-model", model: "a", available: ["a1", "b"], alike: ["a1"] }, false, NOW),
		"agy does not know the model a. Did you mean a1? Choose one of: a1, b.",
	);
});

test("words of others that would mislead pi are left out", () => {
	const text = failureText({ kind: "crashed", exitCode: 1, hint: "connection timed out" }, false, NOW);
	assert.equal(
		text,
		"agy stopped unexpectedly. `/agy logs` shows what it said last; `/agy doctor` checks the installation.",
	);
	assert.equal(finalText("blocked: timeout", "blocked"), "blocked");
	assert.equal(finalText("blocked: no", "blocked"), "blocked: no");
});
