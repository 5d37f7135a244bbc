import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { decodeConversation, decodeExecutor, decodeGeneration } from "../../../src/decode/metadata.ts";
import { decodeStep } from "../../../src/decode/step.ts";
import type { Step, StepUsage } from "../../../src/decode/step-types.ts";
import { decode, type Plain, type PlainValue } from "../../support/agy-proto.ts";
import { copyRealDatabase, realConversations, realSteps, skipWithoutFixtures } from "../../support/fixtures.ts";
import { expectKind } from "./step-rows.ts";

test("the recorded step payloads read as the oracle reads them", { skip: skipWithoutFixtures }, () => {
	const steps = realSteps();
	assert.equal(steps.length, 18);
	for (const { name, payload } of steps) {
		const oracle = decode("Step", payload);
		const row = { idx: 0, stepType: num(oracle.type), status: num(oracle.status), payload };
		compare(decodeStep(row), oracle, name);
	}
});

test("every row of the recorded databases reads as the oracle reads it", { skip: skipWithoutFixtures }, (t) => {
	const kinds = new Map<string, number>();
	for (const conversation of realConversations()) {
		const db = new DatabaseSync(copyRealDatabase(t, conversation), { readOnly: true });
		for (const row of db.prepare("SELECT idx, step_type, status, step_payload FROM steps").all()) {
			const payload = blob(row.step_payload);
			const step = decodeStep({ idx: num(row.idx), stepType: num(row.step_type), status: num(row.status), payload });
			compare(step, decode("Step", payload), `${conversation} ${step.idx}`);
			kinds.set(step.body.kind, (kinds.get(step.body.kind) ?? 0) + 1);
		}
		for (const row of db.prepare("SELECT idx, data FROM gen_metadata").all())
			compareGeneration(num(row.idx), blob(row.data));
		for (const row of db.prepare("SELECT idx, data FROM executor_metadata").all())
			compareExecutor(num(row.idx), blob(row.data));
		for (const row of db.prepare("SELECT data FROM trajectory_metadata_blob").all())
			compareConversation(blob(row.data));
		db.close();
	}
	assert.ok((kinds.get("planner") ?? 0) >= 6 && (kinds.get("user-input") ?? 0) >= 6, JSON.stringify([...kinds]));
});

/** Nothing that the oracle finds in what we read may be lost or changed. */
function compare(step: Step, oracle: Plain, where: string): void {
	const metadata = sub(oracle.metadata);
	assert.equal(step.trajectory, sub(metadata.sourceTrajectoryStepInfo).trajectoryId ?? "", where);
	compareUsage(step.usage, sub(metadata.modelUsage));
	switch (step.body.kind) {
		case "planner": {
			const planner = sub(oracle.plannerResponse);
			assert.equal(step.body.thinking, planner.thinking ?? "", where);
			assert.equal(step.body.text, planner.modifiedResponse ?? planner.response ?? "", where);
			assert.equal(step.body.stopReason, planner.stopReason ?? 0, where);
			assert.deepEqual(step.body.toolCalls, list(planner.toolCalls).map(oracleCall), where);
			return;
		}
		case "user-input":
			assert.equal(step.body.text, sub(oracle.userInput).userResponse, where);
			return;
		case "checkpoint":
			assert.equal(step.body.title, sub(oracle.checkpoint).userIntent, where);
			assert.equal(step.body.compaction, false, where);
			return;
		case "tool":
			compareTool(step, oracle, where);
			return;
		default:
			assert.equal(step.body.kind, "silent", where);
			assert.equal(metadata.toolCall, undefined, where);
	}
}

function compareTool(step: Step, oracle: Plain, where: string): void {
	const body = expectKind(step.body, "tool");
	const metadata = sub(oracle.metadata);
	const call = sub(metadata.toolCall);
	assert.equal(body.callId, call.id, where);
	if (call.name !== undefined) assert.equal(body.name, call.name, where);
	if (call.argumentsJson !== undefined) assert.deepEqual(body.args, oracleCall(call).args, where);
	assert.notEqual(body.summary, "", where);
	assert.equal(body.startedAt, milliseconds(sub(metadata.startedAt)), where);
	if (metadata.completedAt !== undefined) assert.equal(body.endedAt, milliseconds(sub(metadata.completedAt)), where);
	const [command, list_, view, generic] = [
		oracle.runCommand,
		oracle.listDirectory,
		oracle.viewFile,
		oracle.generic,
	].map(sub);
	const entries = list(list_?.results).map((entry) => entry.name + (entry.isDir === true ? "/" : ""));
	const output = [
		sub(command?.combinedOutput).full,
		view?.content,
		sub(generic?.result).result,
		entries.join("\n") || undefined,
	];
	const told = output.find((text) => text !== undefined);
	if (oracle.askQuestion === undefined) assert.equal(body.output, told, where);
	assert.equal(body.wait === undefined, oracle.status !== 9, where);
	const questions = list(sub(oracle.askQuestion).questions);
	assert.deepEqual(
		body.questions.map(({ question }) => question),
		questions.map(({ question }) => question),
		where,
	);
}

function compareGeneration(idx: number, data: Uint8Array): void {
	const oracle = decode("CortexStepGeneratorMetadata", data);
	const model = sub(oracle.chatModel);
	const record = decodeGeneration(idx, data);
	compareUsage(record.usage, sub(model.usage));
	assert.deepEqual(record.stepIndices, oracle.stepIndices ?? []);
	assert.equal(record.model, model.modelDisplayName);
}

function compareExecutor(idx: number, data: Uint8Array): void {
	const { terminationReason = 0, lastStepIdx = 0, executionError = "" } = decode("ExecutorMetadata", data);
	assert.deepEqual(decodeExecutor(idx, data), { idx, terminationReason, lastStepIdx, error: executionError });
}

function compareConversation(data: Uint8Array): void {
	const { parentConversationId = "", workspaceUris = [] } = decode("CortexTrajectoryMetadata", data);
	assert.deepEqual(decodeConversation(data), { parentConversationId, workspaceUris });
}

function compareUsage(usage: StepUsage | undefined, oracle: Plain): void {
	const expected = {
		input: num(oracle.inputTokens),
		output: num(oracle.outputTokens),
		reasoning: num(oracle.thinkingOutputTokens),
		cacheRead: num(oracle.cacheReadTokens),
		cacheWrite: num(oracle.cacheWriteTokens),
		responseId: oracle.responseId,
	};
	assert.deepEqual(usage, oracle.inputTokens === undefined ? undefined : expected);
}

function oracleCall(call: Plain) {
	return { id: call.id ?? "", name: call.name ?? "", args: JSON.parse(String(call.argumentsJson ?? "{}")) };
}

function milliseconds(timestamp: Plain): number {
	return num(timestamp.seconds) * 1000 + Math.floor(num(timestamp.nanos) / 1e6);
}

function sub(value: PlainValue | undefined): Plain {
	if (value === undefined) return {};
	assert.ok(typeof value === "object" && !Array.isArray(value) && !(value instanceof Uint8Array));
	return value;
}

function list(value: PlainValue | undefined): Plain[] {
	return Array.isArray(value) ? value.map(sub) : [];
}

function num(value: unknown): number {
	return Number(value ?? 0);
}

function blob(value: unknown): Uint8Array {
	assert.ok(value instanceof Uint8Array);
	return value;
}
