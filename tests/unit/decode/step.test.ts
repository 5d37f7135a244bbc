import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeStep, isUnknownStep } from "../../../src/decode/step.ts";
import type { Step } from "../../../src/decode/step-types.ts";
import { encode } from "../../support/agy-proto.ts";
import { realSteps, skipWithoutFixtures } from "../../support/fixtures.ts";
import { calling, expectKind, rawField, rowOf, STATUS, toolOf } from "./step-rows.ts";

test("every status of agy's has a name; only five of them are final", () => {
	const statuses = Array.from({ length: 14 }, (_, status) => rowOf({ type: 15, status }));
	assert.deepEqual(
		statuses.map(({ status, terminal }) => (terminal ? `${status}!` : status)),
		[
			...["unspecified", "pending", "running", "done!", "invalid!", "cleared!", "cancelled!", "error!"],
			...["generating", "waiting", "unknown", "queued", "interrupted", "unknown"],
		],
	);
});

test("a kind or a state that came after this reader is known as such", () => {
	const unknown = (type: number, status: number = STATUS.done) => isUnknownStep(rowOf({ type, status }));
	assert.deepEqual([unknown(15), unknown(140), unknown(141), unknown(15, 13)], [false, false, true, true]);
});

test("what every row carries: its trajectory and the usage of its model call", () => {
	const step = rowOf({
		type: 15,
		metadata: {
			sourceTrajectoryStepInfo: { trajectoryId: "traj", stepIndex: 7 },
			modelUsage: {
				inputTokens: 100n,
				outputTokens: 30n,
				cacheReadTokens: 16_248n,
				cacheWriteTokens: 4n,
				thinkingOutputTokens: 20n,
				responseOutputTokens: 10n,
				responseId: "resp",
			},
		},
	});
	assert.equal(step.idx, 7);
	assert.equal(step.type, 15);
	assert.equal(step.trajectory, "traj");
	const usage = { input: 100, output: 30, reasoning: 20, cacheRead: 16_248, cacheWrite: 4, responseId: "resp" };
	assert.deepEqual(step.usage, usage);
});

test("a row without metadata has no trajectory and no usage; a usage without a count is none", () => {
	const bare = rowOf({ type: 15 });
	assert.deepEqual([bare.trajectory, bare.usage], ["", undefined]);
	assert.equal(rowOf({ type: 15, metadata: { modelUsage: { responseId: "r" } } }).usage, undefined);
});

test("decoding is lazy: trajectory and status decode no text of the body, and each text is decoded once", (t) => {
	const long = (letter: string) => letter.repeat(1000);
	const payload = encode("Step", {
		type: 15,
		metadata: { sourceTrajectoryStepInfo: { trajectoryId: "traj" } },
		plannerResponse: { thinking: long("t"), response: long("r"), modifiedResponse: long("m") },
	});
	const decode = t.mock.method(TextDecoder.prototype, "decode");
	const lengths = () => decode.mock.calls.map((call) => call.arguments[0]?.byteLength ?? 0);
	const step = decodeStep({ idx: 0, stepType: 15, status: STATUS.done, payload });
	assert.deepEqual([step.status, step.trajectory], ["done", "traj"]);
	const body = expectKind(step.body, "planner");
	assert.deepEqual(lengths(), []);
	assert.equal(body.thinking, long("t"));
	assert.deepEqual(lengths(), [1000]);
	assert.equal(body.thinking + body.thinking, long("t") + long("t"));
	assert.equal(step.body, body);
	assert.equal(body.text, long("m"));
	assert.deepEqual(lengths(), [1000, 1000]);
});

test("a tool's output and diff are decoded only when they are read, and once", (t) => {
	const output = "o".repeat(5000);
	const payload = encode("Step", { type: 21, runCommand: { commandLine: "make", combinedOutput: { full: output } } });
	const decode = t.mock.method(TextDecoder.prototype, "decode");
	const body = expectKind(decodeStep({ idx: 0, stepType: 21, status: STATUS.done, payload }).body, "tool");
	assert.equal(body.summary, "make");
	assert.equal(body.exitCode, 0);
	assert.equal(decode.mock.callCount(), 0);
	assert.equal(body.output, output);
	assert.equal(body.output, output);
	assert.equal(decode.mock.callCount(), 1);
});

test("an unknown step type with a tool call is a tool; with no more than a label too; else it is silent", () => {
	const called = toolOf({ type: 250, metadata: calling("new_tool", { Url: "https://x.example/" }) });
	assert.deepEqual([called.name, called.toolKind, called.callId], ["new_tool", "other", "call-1"]);
	assert.deepEqual(called.args, { Url: "https://x.example/" });
	assert.equal(called.summary, "https://x.example/");
	const labelled = toolOf({ type: 250, metadata: { toolAction: "Doing something", toolSummary: "New thing" } });
	assert.deepEqual([labelled.name, labelled.summary, labelled.callId], ["tool", "New thing", undefined]);
	assert.equal(toolOf({ type: 250, metadata: { toolAction: "Doing something" } }).summary, "Doing something");
	assert.equal(rowOf({ type: 250 }).body.kind, "silent");
	assert.equal(rowOf({ type: 98, conversationHistory: { content: "…" } }).body.kind, "silent");
	assert.equal(rowOf({ type: 90, ephemeralMessage: { content: "…" } }).body.kind, "silent");
});

test("unknown fields anywhere in a row do not matter", () => {
	const body = toolOf({ type: 21, runCommand: { commandLine: "ls" } }, rawField(4000, { 1: "new", 2: 3 }));
	assert.equal(body.summary, "ls");
});

test("times come from the step's own metadata, in milliseconds; the end only when it has ended", () => {
	const at = (seconds: number, nanos = 0) => ({ seconds: BigInt(seconds), nanos });
	const metadata = { createdAt: at(100), startedAt: at(101, 999_999_999), completedAt: at(102, 500_000_000) };
	const done = toolOf({ type: 21, metadata });
	assert.deepEqual([done.startedAt, done.endedAt], [101_999, 102_500]);
	assert.equal(toolOf({ type: 21, status: STATUS.running, metadata }).endedAt, undefined);
	const transitions = [
		{ updatedStatus: 1, timestamp: at(100) },
		{ updatedStatus: 7, timestamp: at(103) },
	];
	const internalMetadata = { statusTransitions: transitions };
	const failed = toolOf({ type: 21, status: STATUS.error, metadata: { createdAt: at(100), internalMetadata } });
	assert.deepEqual([failed.startedAt, failed.endedAt], [100_000, 103_000]);
});

test("a row with garbage, a cut payload or none at all never throws", { skip: skipWithoutFixtures }, () => {
	const payloads = realSteps().map(({ payload }) => payload);
	const cut = fc.tuple(fc.constantFrom(...payloads), fc.nat()).map(([bytes, at]) => bytes.slice(0, at % bytes.length));
	const poked = fc
		.tuple(fc.constantFrom(...payloads), fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 5 }))
		.map(([bytes, pokes]) => {
			const result = Uint8Array.from(bytes);
			for (const [at, byte] of pokes) result[at % result.length] = byte;
			return result;
		});
	fc.assert(
		fc.property(
			fc.oneof(cut, poked, fc.uint8Array({ maxLength: 80 })),
			fc.oneof(fc.integer({ min: 0, max: 160 }), fc.constantFrom(5, 15, 21, 132, 138)),
			fc.integer({ min: -1, max: 15 }),
			(payload, stepType, status) => readAll(decodeStep({ idx: 0, stepType, status, payload })),
		),
		{ numRuns: 3000 },
	);
});

/** Reads every property of a step and its body, getters on the prototype included. */
function readAll(step: Step): void {
	for (const object of [step, step.body]) {
		const getters = Object.getOwnPropertyNames(Object.getPrototypeOf(object));
		for (const name of [...getters, ...Object.keys(object)]) Reflect.get(object, name);
	}
}
