import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Settings } from "../../src/config/schema.ts";
import type { PiEvent } from "../support/pi.ts";
import type { Scenario, ScenarioStep } from "../support/scenario.ts";
import { agyProcesses, nothingLeft } from "./agy-processes.ts";
import { Desk, lastError, type PiAtDesk } from "./conversation-desk.ts";

const FINE: Scenario = { steps: [{ say: "Fine." }] };
const QUOTA = "Individual quota reached. Please upgrade your subscription to increase your limits. Resets in 3h38m47s.";

function answer(desk: PiAtDesk): Promise<unknown> {
	return desk.lastAnswer();
}

async function saying(desk: Desk, scenario: Scenario, message = "go"): Promise<{ pi: PiAtDesk; events: PiEvent[] }> {
	desk.agy.play(scenario);
	const pi = desk.open();
	return { pi, events: await pi.rpc.prompt(message) };
}

const count = (events: readonly PiEvent[], type: string) => events.filter((event) => event.type === type).length;

describe("a failure after a step of agy is final, whatever its words: the step runs once", () => {
	const misleading: Record<string, ScenarioStep> = {
		unavailable: { error: { message: "The service is currently unavailable.", code: 503, retryable: true } },
		overloaded: { error: { message: "The model is overloaded. Please try again.", status: "UNAVAILABLE", code: 503 } },
		"rate limit": {
			error: { message: "Too many requests, rate limit exceeded.", status: "RESOURCE_EXHAUSTED", code: 429 },
		},
		"context length": { error: { message: "context_length_exceeded", status: "INVALID_ARGUMENT", code: 400 } },
		"something new": { error: { message: "connection terminated, fetch failed", status: "NEW", code: 599 } },
		killed: { kill: "SIGKILL" },
	};
	for (const version of ["1.3.3", "1.1.7"]) {
		test(`agy ${version}`, async (t) => {
			const desk = new Desk(t, { version });
			const pi = desk.open();
			for (const [what, step] of Object.entries(misleading)) {
				const before = desk.invocations().length;
				desk.agy.play({ steps: [{ say: "I build." }, { run: { command: "make", output: ["built\n"] } }, step] });
				const events = await pi.rpc.prompt(what);
				assert.equal(desk.invocations().length - before, 1, what);
				assert.equal(count(events, "tool_execution_start"), 1, what);
				assert.equal(count(events, "auto_retry_start") + count(events, "compaction_start"), 0, what);
				assert.match(lastError(events) ?? "", /\w/, what);
			}
		});
	}
});

test("what fails before agy did anything is repeated by pi, and then answered", async (t) => {
	const desk = new Desk(t);
	const steps: ScenarioStep[] = [{ error: { message: "The model is overloaded.", status: "UNAVAILABLE", code: 503 } }];
	const { pi, events } = await saying(desk, { turns: [steps, FINE.steps ?? []] });
	assert.ok(count(events, "auto_retry_start") >= 1);
	assert.equal(await answer(pi), "Fine.");
});

describe("a quota that is used up", () => {
	for (const version of ["1.3.3", "1.1.7"]) {
		test(`ends the turn although agy goes on trying (agy ${version})`, async (t) => {
			const desk = new Desk(t, { version });
			const { events } = await saying(desk, { steps: [{ say: "So," }, { retryForever: { message: QUOTA } }] });
			assert.match(lastError(events) ?? "", /Gemini Models\) is used up; resets in 3 h 38 min \(/);
			assert.equal(count(events, "auto_retry_start"), 0);
			await nothingLeft(desk.agy);
		});
	}

	test("leaves a conversation that is not continued: the next one is told what was said", async (t) => {
		const desk = new Desk(t);
		const pi = desk.open();
		await pi.say("one");
		desk.agy.play({
			steps: [{ error: { message: QUOTA, status: "RESOURCE_EXHAUSTED", code: 429 } }],
		});
		await pi.say("two");
		desk.agy.play(FINE);
		const told = await pi.say("three");
		assert.equal(told.asked, undefined);
		assert.match(told.prompt, /one[\s\S]*First answer[\s\S]*two[\s\S]*three/);
		assert.equal(await answer(pi), "Fine.");
	});
});

describe("a message while agy works", () => {
	for (const version of ["1.3.3", "1.1.7"]) {
		test(`is taken up at the next card: agy is stopped, and goes on in its conversation (agy ${version})`, async (t) => {
			const desk = new Desk(t, { version });
			const gate = desk.agy.gate("go");
			desk.agy.play({
				turns: [
					[
						{ say: "I build." },
						{ run: { command: "make", output: ["compiling\n", { waitFor: gate.file }, "built\n"] } },
						// What agy says before it is stopped would be kept.
						{ waitFor: desk.agy.gate("never").file },
						{ say: "Built." },
					],
					[{ say: "Testing instead." }],
				],
			});
			const pi = desk.open();
			const from = pi.rpc.events.length;
			await pi.rpc.request({ type: "prompt", message: "build" });
			await gate.reached();
			await pi.rpc.request({ type: "steer", message: "no, test" });
			gate.open();
			await pi.rpc.next((event) => event.type === "agent_settled", from);
			assert.equal(await answer(pi), "Testing instead.");
			assert.deepEqual(
				desk.turns().map(({ asked, by, prompt }) => [asked, by, prompt]),
				[
					[undefined, "c1", "build"],
					["c1", "c1", "no, test"],
				],
			);
			const { messages } = await pi.rpc.request({ type: "get_messages" });
			assert.match(JSON.stringify(messages), /I build\.[\s\S]*compiling[\s\S]*Testing instead\./);
			await nothingLeft(desk.agy);
		});
	}
});

describe("a deadline has its own words", () => {
	const cases: readonly [name: string, Partial<Settings>, scenario: (desk: Desk) => Scenario, RegExp][] = [
		[
			"start-up",
			{ startUpSeconds: 1 },
			() => ({ before: [{ hang: true }] }),
			/no sign of life within 1 s\. .*startUpSeconds/,
		],
		[
			"inactivity",
			{ inactivitySeconds: 1 },
			() => ({ steps: [{ say: "Half" }, { hang: true }] }),
			/silent for 1 s and was stopped\. .*inactivitySeconds/,
		],
		[
			"total",
			{ turnSeconds: 2 },
			(desk) => ({ steps: [{ run: { command: "make", during: [{ waitFor: desk.agy.gate("never").file }] } }] }),
			/worked for 2 s, the longest a turn may take, and was stopped\. .*turnSeconds/,
		],
	];
	for (const [name, limit, scenario, words] of cases) {
		test(name, async (t) => {
			const desk = new Desk(t);
			desk.configure(limit);
			const { pi, events } = await saying(desk, scenario(desk));
			assert.match(lastError(events) ?? "", words);
			assert.equal(count(events, "auto_retry_start"), 0);
			await nothingLeft(desk.agy);
			desk.configure({});
			desk.agy.play(FINE);
			await pi.rpc.prompt("again");
			assert.equal(await answer(pi), "Fine.");
		});
	}
});

test("text that came before a deadline stays, and is not said again", async (t) => {
	const desk = new Desk(t);
	// More than agy may take to begin to speak.
	desk.configure({ inactivitySeconds: 3 });
	const { pi } = await saying(desk, { turns: [[{ say: "Half" }, { hang: true }], [{ say: "the rest." }]] });
	const { messages } = await pi.rpc.request({ type: "get_messages" });
	assert.match(JSON.stringify(messages), /"text":"Half"/);
	desk.configure({});
	const told = await pi.say("go on");
	assert.deepEqual(told, { asked: "c1", by: "c1", prompt: "go on" });
	assert.equal(await answer(pi), "the rest.");
});

describe("in print mode a failure is one sentence of ours on stderr, and the exit code 1", () => {
	const scenarios: Record<string, [Scenario, RegExp]> = {
		"not signed in": [{ signedOut: "error" }, /^agy is not signed in\. Run `agy` in a terminal, sign in/],
		"sign-in expired": [{ signedOut: "expired" }, /^agy's sign-in has expired\. Run `agy` in a terminal/],
		quota: [
			{ steps: [{ error: { message: QUOTA, status: "RESOURCE_EXHAUSTED", code: 429 } }] },
			/^The Antigravity quota \(Gemini Models\) is used up; resets in 3 h 38 min \(/,
		],
		crash: [
			{ steps: [{ stderr: "panic: runtime error: nil pointer dereference\n\ngoroutine 1 [running]:\n" }, { exit: 2 }] },
			/^agy stopped with exit code 2: it failed inside\. `\/agy logs` shows/,
		],
	};
	for (const [what, [scenario, words]] of Object.entries(scenarios)) {
		test(what, async (t) => {
			const desk = new Desk(t, { scenario });
			const { stdout, stderr, code } = await desk.print("go");
			assert.match(stderr, words);
			assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
			assert.doesNotMatch(stderr, /goroutine|panic|AGY_ERROR|\bat \w+ \(/);
			assert.equal(stdout, "");
			assert.equal(code, 1);
			assert.deepEqual(await agyProcesses(desk.agy), []);
		});
	}

	test("no agy", async (t) => {
		const desk = new Desk(t, { env: { AGY_BIN: "/nowhere/agy" } });
		const { stderr, code } = await desk.print("go");
		assert.match(stderr, /^The agy command was not found \(looked in: \/nowhere\/agy\)\. .*set AGY_BIN/);
		assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
		assert.equal(code, 1);
	});
});
