import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Failure } from "../../src/engine/failure.ts";
import { fakeHome, type Scenario } from "../support/scenario.ts";
import { SkippingClock } from "../support/skipping-clock.ts";
import { noticeCodes, ofType, textOf, toolStates } from "../unit/ledger/make.ts";
import { all, ask, asksForSignIn, endOf, engineIn, isText, living, PATIENT, prompted, rest, until } from "./engine.ts";

const onLinux = { skip: process.platform !== "linux" && "needs /proc" };
const versions = ["1.3.3", "1.1.7"];

function failureIn(events: Awaited<ReturnType<typeof all>>): Failure | undefined {
	const { outcome } = endOf(events);
	return outcome.kind === "failed" ? outcome.failure : undefined;
}

describe("a turn ends", () => {
	for (const scenario of ["hang-after-result", "hang-before-result"]) {
		for (const version of versions) {
			test(`although agy never exits: ${scenario} (agy ${version})`, onLinux, async (t) => {
				const home = fakeHome(t, scenario, version);
				const engine = engineIn(t, home, { quietMs: 50, settings: { exitGraceSeconds: 0.05 } });
				const run = engine.start(ask(home));
				const events = await all(run);
				assert.equal(textOf(events), "The answer.");
				assert.deepEqual(endOf(events).outcome, { kind: "answered" });
				await run.settled;
				assert.equal(await living(home), 0);
			});
		}
	}

	test("at the exit, although a grandchild holds the pipe, and nothing is left of it", onLinux, async (t) => {
		const home = fakeHome(t, "pipe-holder");
		const run = engineIn(t, home, { settings: { exitGraceSeconds: 0.05 } }).start(ask(home));
		const events = await all(run);
		assert.equal(textOf(events), "The answer.");
		await run.settled;
		assert.equal(await living(home), 0);
	});

	test("with its result withheld, when background tasks had their time", onLinux, async (t) => {
		for (const version of versions) {
			const home = fakeHome(t, "withheld-result", version);
			const engine = engineIn(t, home, { quietMs: 50, settings: { backgroundGraceSeconds: 0.1 } });
			const run = engine.start(ask(home));
			const events = await all(run);
			assert.deepEqual(endOf(events).outcome, { kind: "answered" });
			assert.deepEqual(noticeCodes(events), ["background-tasks"]);
			assert.match(ofType(events, "notice")[0]?.text ?? "", /npm run watch/);
			assert.equal(toolStates(events).at(-1), "cancelled");
			await run.settled;
			assert.equal(await living(home), 0);
		}
	});

	test("with nothing still running in the background when agy is gone", async (t) => {
		const watch = { run: { command: "npm run watch", background: "watch" } };
		const home = fakeHome(t, { steps: [watch, { say: "It is watching." }, { idle: [{ exit: 0 }] }] });
		const events = await all(engineIn(t, home).start(ask(home)));
		assert.deepEqual(endOf(events).outcome, { kind: "answered" });
		assert.deepEqual(noticeCodes(events), []);
		assert.equal(toolStates(events).at(-1), "cancelled");
	});

	test("not before a background task has reported back", async (t) => {
		const home = fakeHome(t, "command-background");
		const events = await all(engineIn(t, home).start(ask(home)));
		assert.match(textOf(events), /It has ended\.|It has/);
		assert.equal(toolStates(events).at(-1), "done");
	});
});

describe("a deadline", () => {
	test("ends an agy that gives no sign of life", onLinux, async (t) => {
		const home = fakeHome(t, "hang-at-start");
		const run = engineIn(t, home, { settings: { startUpSeconds: 0.3 } }).start(ask(home));
		const events = await all(run);
		assert.equal(failureIn(events)?.kind, "deadline");
		assert.equal(endOf(events).progress.promptSeen, false);
		await run.settled;
		assert.equal(await living(home), 0);
	});

	test("ends a silent agy that ignores signals, and keeps its text", onLinux, async (t) => {
		const home = fakeHome(t, "stubborn");
		const clock = new SkippingClock();
		const run = engineIn(t, home, { clock }).start(ask(home));
		const events = run.events[Symbol.asyncIterator]();
		const first = await until(events, isText);
		await clock.skip(PATIENT.inactivitySeconds * 1_000);
		const after = await rest(events);
		const failure = failureIn(after);
		assert.ok(failure?.kind === "deadline" && failure.which === "inactivity");
		assert.equal(textOf([first, ...after]), "I stay.");
		await run.settled;
		assert.equal(await living(home), 0);
	});

	test("of the request replaces the setting", async (t) => {
		const home = fakeHome(t, "stubborn");
		const failure = failureIn(await all(engineIn(t, home).start(ask(home, { totalDeadlineMs: 600 }))));
		assert.ok(failure?.kind === "deadline" && failure.which === "total");
	});

	test("leaves a silent command alone", async (t) => {
		const home = fakeHome(t);
		const gate = home.gate("built");
		home.play({ steps: [{ run: { command: "make", during: [{ waitFor: gate.file }] } }, { say: "Built." }] });
		const clock = new SkippingClock();
		const run = engineIn(t, home, { clock }).start(ask(home));
		const events = run.events[Symbol.asyncIterator]();
		await until(events, (event) => event.type === "tool" && event.state === "running");
		await gate.reached();
		await clock.skip(PATIENT.inactivitySeconds * 1_000);
		gate.open();
		const after = await rest(events);
		assert.deepEqual(endOf(after).outcome, { kind: "answered" });
	});

	test("for a sign-in nobody can give is told as what it is", async (t) => {
		const home = fakeHome(t);
		const events = await all(asksForSignIn(t, home));
		assert.deepEqual(failureIn(events), { kind: "not-signed-in", expired: false });
	});
});

describe("agy says", () => {
	const kinds: Record<string, Failure["kind"]> = {
		"signed-out": "not-signed-in",
		"sign-in-expired": "not-signed-in",
		quota: "quota",
		canceled: "cancelled-by-agy",
		"print-timeout": "print-timeout",
		"error-after-text": "overloaded",
		"killed-mid-commit": "killed",
		"empty-answer": "empty-answer",
		"exit-nothing": "empty-answer",
	};
	for (const [scenario, kind] of Object.entries(kinds)) {
		for (const version of versions) {
			test(`${scenario}: the failure is ${kind} (agy ${version})`, async (t) => {
				const home = fakeHome(t, scenario, version);
				const events = await all(engineIn(t, home).start(ask(home)));
				assert.equal(failureIn(events)?.kind, kind);
			});
		}
	}

	test("an exhausted quota for ever: the run ends now", onLinux, async (t) => {
		const home = fakeHome(t, "quota-forever");
		const run = engineIn(t, home).start(ask(home));
		const failure = failureIn(await all(run));
		assert.equal(failure?.kind, "quota");
		assert.equal(failure?.kind === "quota" && typeof failure.resetAt, "number");
		await run.settled;
		assert.equal(await living(home), 0);
	});

	test("that a tool was refused, and answers: that is a notice", async (t) => {
		const steps: Scenario["steps"] = [
			{ run: { command: "rm -rf build", onDenied: [{ say: "I may not." }] } },
			{ say: "Removed." },
		];
		const home = fakeHome(t, { steps });
		const events = await all(engineIn(t, home).start(ask(home, { permissions: "deny" })));
		assert.deepEqual(endOf(events).outcome, { kind: "answered" });
		assert.deepEqual(noticeCodes(events), ["denied-action"]);
		assert.equal(endOf(events).progress.toolsRan, false);
	});

	test("that a tool was refused, and nothing else: that is the failure, with its target", async (t) => {
		for (const version of versions) {
			const home = fakeHome(t, "permission-denied", version);
			const failure = failureIn(await all(engineIn(t, home).start(ask(home, { permissions: "deny" }))));
			assert.equal(failure?.kind, "permission-denied");
			assert.equal(failure?.kind === "permission-denied" && failure.action, "command");
		}
	});

	test("nothing, with success: it is asked once more, and only once", async (t) => {
		const home = fakeHome(t, "empty-answer");
		const events = await all(engineIn(t, home).start(ask(home)));
		assert.equal(failureIn(events)?.kind, "empty-answer");
		assert.equal(prompted(home).length, 2);
		assert.equal(ofType(events, "conversation").length, 1);
	});

	test("nothing the first time, and an answer the second: that is the answer", async (t) => {
		const home = fakeHome(t, { turns: [[], [{ say: "Sorry, here I am." }]] });
		const events = await all(engineIn(t, home).start(ask(home)));
		assert.equal(textOf(events), "Sorry, here I am.");
		assert.deepEqual(endOf(events).outcome, { kind: "answered" });
	});

	test("a flood on stderr: nothing of it matters", async (t) => {
		const home = fakeHome(t, { steps: [{ stderr: { megabytes: 100 } }, { say: "The answer." }] });
		const events = await all(engineIn(t, home).start(ask(home)));
		assert.equal(textOf(events), "The answer.");
		assert.deepEqual(endOf(events).outcome, { kind: "answered" });
	});

	test("that it was killed in the middle: the text stays", async (t) => {
		const home = fakeHome(t, "killed-mid-commit");
		const events = await all(engineIn(t, home).start(ask(home)));
		assert.deepEqual(failureIn(events), { kind: "killed", signal: "SIGKILL" });
		assert.equal(textOf(events), "Half an answer");
	});
});

test("a missing agy is said with the places that were looked at", async (t) => {
	const home = fakeHome(t);
	const engine = engineIn(t, home, { settings: { agyPath: join(home.dir, "no-agy") } });
	assert.deepEqual(failureIn(await all(engine.start(ask(home)))), {
		kind: "not-installed",
		searched: [join(home.dir, "no-agy")],
	});
});

test("text that came before a failure is kept, and so is what the session store must know", async (t) => {
	const home = fakeHome(t, "error-after-text");
	const events = await all(engineIn(t, home).start(ask(home)));
	const { progress } = endOf(events);
	assert.equal(progress.toolsRan && progress.textSeen && progress.promptSeen, true);
	assert.ok(events.some(isText));
});
