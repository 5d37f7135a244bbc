import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { ModelChoice, RunRequest } from "../../src/engine/engine.ts";
import type { AgyEvent } from "../../src/engine/events.ts";
import type { Failure } from "../../src/engine/failure.ts";
import { FAKE_AGY, type FakeHome, fakeHome, type Scenario, type ScenarioStep } from "../support/scenario.ts";
import { noticeCodes, ofType, textOf } from "../unit/ledger/make.ts";
import { all, ask, asksForSignIn, endOf, engineIn, living, prompted } from "./engine.ts";

const onLinux = { skip: process.platform !== "linux" && "needs /proc" };

async function play(
	t: TestContext,
	scenario: Scenario,
	version?: string,
	request: Partial<RunRequest> = {},
): Promise<{ home: FakeHome; events: AgyEvent[] }> {
	const home = fakeHome(t, scenario, version);
	return { home, events: await all(engineIn(t, home).start(ask(home, request))) };
}

function failureIn(events: readonly AgyEvent[]): Failure | undefined {
	const { outcome } = endOf(events);
	return outcome.kind === "failed" ? outcome.failure : undefined;
}

describe("how agy ends, and what that means", () => {
	const before = (text: string, code: number): Scenario => ({ before: [{ stderr: `${text}\n` }, { exit: code }] });
	const QUOTA = "Individual quota reached. Contact your administrator to enable overages. Resets in 3h38m47s.";
	const cases: readonly (readonly [what: string, version: string, scenario: Scenario, expected: Partial<Failure>])[] = [
		["exit 1 without a word", "1.3.3", { before: [{ exit: 1 }] }, { kind: "crashed", exitCode: 1 }],
		["exit 2 without a word", "1.3.3", { before: [{ exit: 2 }] }, { kind: "flag-rejected", flag: "" }],
		["exit 3 without a word", "1.3.3", { before: [{ exit: 3 }] }, { kind: "model-error" }],
		["exit 255", "1.3.3", { before: [{ exit: 255 }] }, { kind: "crashed", exitCode: 255 }],
		[
			"an unknown flag",
			"1.3.3",
			before("flags provided but not defined: -print-timeout", 2),
			{ kind: "flag-rejected" },
		],
		["no terminal", "1.3.3", before("CLI error: bubbletea: could not open TTY: open /dev/tty", 1), { kind: "crashed" }],
		["no language server", "1.3.3", before("failed to start language server", 1), { kind: "crashed" }],
		["no network", "1.3.3", before("dial tcp: lookup example.com: no such host", 1), { kind: "no-network" }],
		[
			"an eligibility check that fails",
			"1.3.3",
			before("Eligibility check failed: UNAVAILABLE (code 503)", 1),
			{ kind: "overloaded" },
		],
		["an old time limit with exit 0", "1.0.16", { steps: [{ printTimeout: true }] }, { kind: "print-timeout" }],
		["a time limit with exit 1", "1.1.14", { steps: [{ printTimeout: true }] }, { kind: "print-timeout" }],
		[
			"a time limit that calls itself success",
			"1.3.3",
			{ steps: [{ say: "Half" }, { printTimeout: true }] },
			{ kind: "print-timeout" },
		],
		[
			"a quota with exit 1, as before 1.2.6",
			"1.1.14",
			{ steps: [{ error: { message: QUOTA, code: 429 } }] },
			{ kind: "quota", adminManaged: true },
		],
		[
			"a failure after some text, as before 1.2.10",
			"1.2.9",
			{ steps: [{ say: "Half" }, { error: { message: "overloaded" } }] },
			{ kind: "overloaded" },
		],
		[
			"a failure after some text, with its own exit code",
			"1.2.10",
			{ steps: [{ say: "Half" }, { error: { message: "overloaded" } }] },
			{ kind: "overloaded" },
		],
		["waiting for somebody", "1.3.3", { steps: [{ end: { status: "WAITING" } }] }, { kind: "permission-denied" }],
		[
			"cancelled after some text",
			"1.1.22",
			{ steps: [{ say: "Half" }, { end: { status: "CANCELED" } }] },
			{ kind: "cancelled-by-agy" },
		],
		[
			"ended from outside by SIGTERM",
			"1.3.3",
			{ steps: [{ say: "Half" }, { kill: "SIGTERM" }] },
			{ kind: "cancelled-by-agy" },
		],
		["a prompt that is dropped", "1.3.3", { promptLimit: 5, steps: [{ say: "Never." }] }, { kind: "empty-answer" }],
	];
	for (const [what, version, scenario, expected] of cases) {
		test(`${what} (agy ${version}): ${expected.kind}`, async (t) => {
			const { events } = await play(t, scenario, version);
			const failure = failureIn(events);
			assert.deepEqual({ ...failure, ...expected }, failure);
			if (JSON.stringify(scenario).includes("Half")) assert.equal(textOf(events), "Half");
		});
	}

	test("a command that agy ends when it goes is told, and so is the step that was not finished (agy 1.2.8)", async (t) => {
		const steps: ScenarioStep[] = [
			{ run: { command: "npm run build", background: "build", output: ["building\n"] } },
			{ say: "I will wait for the build." },
		];
		const { events } = await play(t, { steps }, "1.2.8");
		assert.deepEqual(endOf(events).outcome, { kind: "answered" });
		assert.match(
			ofType(events, "notice")
				.map((notice) => notice.text)
				.join("\n"),
			/agy ended 1 background task\(s\).*not done/,
		);
	});

	test("a hook's refusal that ends the turn is named with its reason", async (t) => {
		const { events } = await play(t, { steps: [{ run: { command: "ls", hookDenied: true, onDenied: [] } }] });
		assert.equal(failureIn(events)?.kind, "hook-denied");
	});

	test("several refusals and no answer: the last one is named", async (t) => {
		const steps: ScenarioStep[] = [
			{ run: { command: "one", onDenied: [{ url: { url: "https://example.com/two" } }] } },
			{ say: "Never." },
		];
		const { events } = await play(t, { steps }, "1.3.3", { permissions: "deny" });
		const failure = failureIn(events);
		assert.ok(failure?.kind === "permission-denied" && failure.target === "https://example.com/two");
		assert.equal(endOf(events).progress.toolsRan, false);
	});
});

test("a policy that overrules the setting is told, and so is what it refuses", async (t) => {
	const steps: ScenarioStep[] = [{ run: { command: "make", onDenied: [{ say: "I may not." }] } }];
	const { events } = await play(t, { policy: true, steps });
	assert.deepEqual(endOf(events).outcome, { kind: "answered" });
	assert.match(ofType(events, "notice")[0]?.text ?? "", /policy overrules `permissions: skip`.*request-review/);
	assert.deepEqual(noticeCodes(events), ["other", "denied-action"]);
	const deny = await play(t, { policy: true, steps }, "1.3.3", { permissions: "deny" });
	assert.deepEqual(noticeCodes(deny.events), ["denied-action"]);
});

test("a call of the model that agy repeats for ever ends, and its text stays", onLinux, async (t) => {
	const message = "Resource has been exhausted (e.g. check quota).";
	const home = fakeHome(t, { steps: [{ say: "Half" }, { retryForever: { message, everyMs: 5 } }] });
	const run = engineIn(t, home).start(ask(home));
	const events = await all(run);
	assert.deepEqual(failureIn(events), { kind: "model-unreachable", attempts: 25, because: "rate-limit" });
	assert.equal(textOf(events), "Half");
	await run.settled;
	assert.equal(await living(home), 0);
});

describe("a model that agy refuses", () => {
	const models: readonly (readonly [ModelChoice, string, Failure["kind"]])[] = [
		[{ slug: "gemini-99-ultra" }, "1.3.3", "unknown-model"],
		[{ slug: "gemini-99-ultra" }, "1.1.7", "unknown-model"],
		[{ slug: "gpt-oss-120b-medium", base: "gpt-oss-120b-medium", effort: "high" }, "1.3.3", "bad-effort"],
	];
	for (const [model, version, kind] of models) {
		test(`${model.slug} ${model.effort ?? ""} (agy ${version}): ${kind}`, async (t) => {
			const { home, events } = await play(t, { steps: [{ say: "Never." }] }, version, { model });
			const failure = failureIn(events);
			assert.equal(failure?.kind, kind);
			if (failure?.kind === "unknown-model") assert.ok(failure.available.length > 0);
			assert.equal(prompted(home).length, 1);
		});
	}
});

describe("an agy that takes itself for signed out", () => {
	/** An agy whose first prompts meet a key ring that is not ready. */
	function late(home: FakeHome, refusals: number): void {
		const path = join(home.dir, "late-agy");
		const count = join(home.dir, "refused");
		const refuse = "echo \"Error: authentication required. Run 'agy' to log in, then retry.\" >&2; exit 1";
		writeFileSync(
			path,
			`#!/bin/sh
case "$*" in *--print*) [ "$(cat '${count}' 2>/dev/null | wc -l)" -lt ${refusals} ] && { echo x >>'${count}'; ${refuse}; } ;; esac
exec '${FAKE_AGY}' "$@"
`,
		);
		chmodSync(path, 0o755);
		home.env.AGY_BIN = path;
	}

	test("because the key ring is late is asked once more", async (t) => {
		const home = fakeHome(t, { steps: [{ say: "Here." }] });
		late(home, 1);
		const events = await all(engineIn(t, home).start(ask(home)));
		assert.deepEqual(endOf(events).outcome, { kind: "answered" });
		assert.equal(textOf(events), "Here.");
	});

	test("twice is signed out", async (t) => {
		const home = fakeHome(t, { steps: [{ say: "Never." }] });
		late(home, 2);
		const events = await all(engineIn(t, home).start(ask(home)));
		assert.deepEqual(failureIn(events), { kind: "not-signed-in", expired: false });
		assert.equal(prompted(home).length, 0);
	});

	test("and waits for a sign-in is not asked again", onLinux, async (t) => {
		const home = fakeHome(t);
		const run = asksForSignIn(t, home);
		const events = await all(run);
		assert.deepEqual(failureIn(events), { kind: "not-signed-in", expired: false });
		assert.equal(ofType(events, "activity").filter(({ doing }) => doing === "starting").length, 1);
		await run.settled;
		assert.equal(await living(home), 0);
	});
});
