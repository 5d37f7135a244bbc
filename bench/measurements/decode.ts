import { readFileSync } from "node:fs";
import { create, createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { decodeStep } from "../../src/decode/step.ts";
import type { StepBody, StepRow } from "../../src/decode/step-types.ts";
import { encode, type Plain } from "../../tests/support/agy-proto.ts";
import { realSteps } from "../../tests/support/fixtures.ts";
import { parseProto } from "../../tests/support/proto-file.ts";
import type { Figure, Measurement } from "../measurement.ts";

const TURNS = 60;
const WARM_UP_TURNS = 15;
const BYTES_PER_TURN = 4_000_000;

export const measurement: Measurement = {
	title: "Decoding step payloads, everything in them looked at, in a second of CPU time",
	comparedWith: "@bufbuild/protobuf",
	async run() {
		const figures: Figure[] = [];
		for (const [name, payloads] of Object.entries(corpus())) {
			const rows = payloads.map(toRow);
			const ways = [() => rows.map(everythingIn), () => payloads.map(decodeWithProtobuf)];
			const [value = Number.NaN, compared = Number.NaN] = throughputs(payloads, ways);
			figures.push({ name, unit: "MB/s", value, compared, target: "no less than compared" });
		}
		return figures;
	},
};

function corpus(): Record<string, Uint8Array[]> {
	const text = "Some words, an umlaut ü, and a line break.\n";
	const planner = (bytes: number): Plain => ({
		type: 15,
		status: 3,
		metadata: { modelUsage: { inputTokens: 1_000, outputTokens: 500, responseId: "response" } },
		plannerResponse: {
			response: text.repeat(bytes / text.length),
			modifiedResponse: text.repeat(bytes / text.length),
			thinking: text.repeat(20),
			toolCalls: [{ id: "call", name: "run_command", argumentsJson: '{"CommandLine":"npm test"}' }],
		},
	});
	const command: Plain = {
		type: 21,
		status: 3,
		metadata: { toolCall: { id: "call", name: "run_command", argumentsJson: '{"CommandLine":"npm test"}' } },
		runCommand: { commandLine: "npm test", cwd: "/w", exitCode: 1, combinedOutput: { full: text.repeat(100) } },
	};
	const real = realSteps().map((step) => step.payload);
	return {
		"answers of 2 KB": [encode("Step", planner(2_000))],
		"answers of 200 KB": [encode("Step", planner(200_000))],
		"commands with 4 KB of output": [encode("Step", command)],
		...(real.length > 0 ? { "steps recorded from the real agy": real } : {}),
	};
}

/** Megabytes that each of the ways decodes in a second of CPU time. They take turns, so that a busy machine slows all alike. */
function throughputs(payloads: readonly Uint8Array[], ways: readonly (() => unknown)[]): number[] {
	const bytes = payloads.reduce((sum, payload) => sum + payload.length, 0);
	const rounds = Math.ceil(BYTES_PER_TURN / bytes);
	const cpuMs = ways.map(() => 0);
	for (let turn = -WARM_UP_TURNS; turn < TURNS; turn++) {
		for (const [index, decodeAll] of ways.entries()) {
			const before = process.cpuUsage();
			for (let round = 0; round < rounds; round++) decodeAll();
			const { user, system } = process.cpuUsage(before);
			if (turn >= 0) cpuMs[index] = (cpuMs[index] ?? 0) + (user + system) / 1_000;
		}
	}
	return cpuMs.map((ms) => (TURNS * rounds * bytes) / 1e6 / (ms / 1_000));
}

/** `type` and `status` stand in columns of their own as well; here they are taken from the payload. */
function toRow(payload: Uint8Array): StepRow {
	const { type, status } = fromBinary(stepSchema, payload) as unknown as { type: number; status: number };
	return { idx: 0, stepType: type, status, payload };
}

/** Decoding is lazy, so everything that can be asked of a step is asked. */
function everythingIn(row: StepRow): readonly unknown[] {
	const { trajectory, usage, body } = decodeStep(row);
	return [trajectory, usage, ...everythingInBody(body)];
}

function everythingInBody(body: StepBody): readonly unknown[] {
	switch (body.kind) {
		case "user-input":
			return [body.text];
		case "planner":
			return [body.thinking, body.text, body.toolCalls, body.stopReason];
		case "error-message":
			return [body.error];
		case "system-message":
			return [body.text, body.sender, body.hidden];
		case "checkpoint":
			return [body.title, body.compaction];
		case "tool": {
			const { callId, name, toolKind, args, summary, output, exitCode, diff, error, wait, mcp, progress } = body;
			const { imagePaths, task, subagents, questions, startedAt, endedAt } = body;
			const call = [callId, name, toolKind, args, summary, output, exitCode, diff, error, wait, mcp, progress];
			return [...call, imagePaths, task, subagents, questions, startedAt, endedAt];
		}
		case "silent":
			return [];
	}
}

const stepSchema = (() => {
	const text = readFileSync(new URL("../../tests/support/agy.proto", import.meta.url), "utf8");
	const file = create(FileDescriptorProtoSchema, parseProto("agy.proto", text));
	const schema = createFileRegistry(file, () => undefined).getMessage("agy.Step");
	if (schema === undefined) throw new Error("agy.proto has no Step");
	return schema;
})();

/** With the arguments of calls as objects, which is what is needed of them. */
function decodeWithProtobuf(payload: Uint8Array): unknown {
	const step = fromBinary(stepSchema, payload) as unknown as {
		metadata?: { toolCall?: PlainCall };
		plannerResponse?: { toolCalls: PlainCall[] };
	};
	const calls = [step.metadata?.toolCall, ...(step.plannerResponse?.toolCalls ?? [])];
	return [step, calls.map((call) => call?.argumentsJson && JSON.parse(call.argumentsJson))];
}

interface PlainCall {
	readonly argumentsJson: string;
}
