import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Failure, FailureKind } from "../../../src/engine/failure.ts";
import { delegationRemedy } from "../../../src/tools/ask-antigravity/remedy.ts";

/** Every kind but `bad-request`, which brings its own remedy, with a part of what the calling model is told. */
const remedies: {
	readonly [Kind in Exclude<FailureKind, "bad-request">]: [Extract<Failure, { kind: Kind }>, RegExp][];
} = {
	"not-signed-in": [
		[{ kind: "not-signed-in", expired: false }, /^Tell the user to run `agy` once in a terminal and sign in/],
	],
	"not-installed": [[{ kind: "not-installed", searched: [] }, /^Tell the user: Install Google's/]],
	"cannot-start": [[{ kind: "cannot-start", path: "/agy", cause: "EACCES" }, /^Tell the user: Run it once/]],
	"too-old": [[{ kind: "too-old", version: "1.0.2", floor: "1.0.16" }, /^Tell the user: Update it/]],
	"no-network": [[{ kind: "no-network" }, /^Tell the user to check the network/]],
	"unknown-model": [
		[{ kind: "unknown-model", model: "x", available: ["a", "b"] }, /^Choose one of: a, b\.$/],
		[{ kind: "unknown-model", model: "x", available: [] }, /`model` out/],
	],
	"bad-effort": [
		[{ kind: "bad-effort", model: "x", available: ["low", "high"] }, /^It has: low, high\.$/],
		[{ kind: "bad-effort", model: "x", available: [] }, /`thinking` out/],
	],
	"flag-rejected": [[{ kind: "flag-rejected", flag: "--x" }, /^Tell the user: Update agy/]],
	quota: [
		[{ kind: "quota", adminManaged: false }, /`model` of another pool/],
		[{ kind: "quota", adminManaged: true }, /^Tell the user that an administrator/],
	],
	"rate-limit": [[{ kind: "rate-limit" }, /before you delegate again/]],
	overloaded: [[{ kind: "overloaded" }, /another `model`/]],
	"model-unreachable": [[{ kind: "model-unreachable", attempts: 9 }, /another `model`/]],
	"model-error": [[{ kind: "model-error", message: "x" }, /another `model`/]],
	"context-too-long": [[{ kind: "context-too-long" }, /without `conversationId`.*less `context`/]],
	"permission-denied": [[{ kind: "permission-denied", action: "command" }, /^Tell the user: `\/agy permissions skip`/]],
	"hook-denied": [[{ kind: "hook-denied" }, /^Tell the user: `\/agy doctor`/]],
	"cancelled-by-agy": [[{ kind: "cancelled-by-agy" }, /^Continue it by its `conversationId`/]],
	killed: [[{ kind: "killed", signal: "SIGKILL" }, /^Continue it by its `conversationId`/]],
	"print-timeout": [[{ kind: "print-timeout" }, /^Continue it .* Tell the user that the setting `extraArgs`/]],
	deadline: [
		[{ kind: "deadline", which: "start-up", seconds: 9 }, /^Tell the user to run `agy`/],
		[{ kind: "deadline", which: "inactivity", seconds: 9 }, /^Continue it by its `conversationId`/],
		[{ kind: "deadline", which: "total", seconds: 9 }, /allow more with `timeoutMinutes`/],
	],
	"empty-answer": [[{ kind: "empty-answer", promptBytes: 5 }, /another `model`/]],
	"conversation-lost": [[{ kind: "conversation-lost", id: "c" }, /without `conversationId`/]],
	"conversation-replaced": [[{ kind: "conversation-replaced", id: "c" }, /without `conversationId`/]],
	"conversation-locked": [[{ kind: "conversation-locked", id: "c" }, /^Wait .*without `conversationId`/]],
	"conversation-unbound": [[{ kind: "conversation-unbound", directory: "/c", candidates: [] }, /^Delegate again/]],
	"database-unreadable": [[{ kind: "database-unreadable", path: "/c", cause: "x" }, /without `conversationId`/]],
	"database-busy": [[{ kind: "database-busy", path: "/c", cause: "x" }, /without `conversationId`/]],
	"schema-not-understood": [[{ kind: "schema-not-understood", path: "/c", cause: "x" }, /^Tell the user: Update/]],
	"sqlite-missing": [[{ kind: "sqlite-missing" }, /^Tell the user: Run pi with Node/]],
	crashed: [[{ kind: "crashed", exitCode: 2 }, /^Tell the user: `\/agy logs`/]],
};

describe("the calling model is told what it can do itself, and else to tell the user,", () => {
	for (const [failure, expected] of Object.values(remedies).flat()) {
		test(`after ${JSON.stringify(failure)}`, () => {
			const remedy = delegationRemedy(failure, 0);
			assert.match(remedy, expected);
			assert.match(remedy, /\.$/);
			// It sends no messages, and these commands are the user's.
			assert.doesNotMatch(remedy, /[Ss]end (?:a|the) message|\/new|\/compact/);
		});
	}
});
