import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeConversation, decodeExecutor, decodeGeneration } from "../../../src/decode/metadata.ts";
import { encode } from "../../support/agy-proto.ts";

test("a model call: usage, steps and model", () => {
	const data = encode("CortexStepGeneratorMetadata", {
		stepIndices: [4, 5, 300],
		chatModel: {
			usage: { inputTokens: 10n, outputTokens: 5n, thinkingOutputTokens: 2n, responseId: "r1" },
			responseModel: "gemini-x",
			modelDisplayName: "Gemini X (High)",
		},
	});
	assert.deepEqual(decodeGeneration(3, data), {
		idx: 3,
		usage: { input: 10, output: 5, reasoning: 2, cacheRead: 0, cacheWrite: 0, responseId: "r1" },
		stepIndices: [4, 5, 300],
		model: "Gemini X (High)",
	});
});

test("the model by whichever name agy wrote", () => {
	const model = (chatModel: object) =>
		decodeGeneration(0, encode("CortexStepGeneratorMetadata", { chatModel: { ...chatModel } })).model;
	assert.equal(model({ responseModel: "short", responseModelFull: "full" }), "short");
	assert.equal(model({ responseModelFull: "full" }), "full");
	assert.equal(model({}), "");
});

test("the end of a turn", () => {
	const data = encode("ExecutorMetadata", { terminationReason: 1, lastStepIdx: 12, executionError: "quota" });
	assert.deepEqual(decodeExecutor(2, data), { idx: 2, terminationReason: 1, lastStepIdx: 12, error: "quota" });
});

test("the conversation: its parent and its folders, each once", () => {
	const data = encode("CortexTrajectoryMetadata", {
		parentConversationId: "parent",
		workspaceUris: ["file:///a", "file:///b"],
		workspaces: [{ workspaceFolderAbsoluteUri: "file:///b" }, { workspaceFolderAbsoluteUri: "file:///c" }, {}],
	});
	assert.deepEqual(decodeConversation(data), {
		parentConversationId: "parent",
		workspaceUris: ["file:///a", "file:///b", "file:///c"],
	});
	assert.deepEqual(decodeConversation(new Uint8Array()), { parentConversationId: "", workspaceUris: [] });
});

test("garbage reads as records that say nothing wrong, and never throws", () => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 60 }), (data) => {
			decodeGeneration(0, data);
			decodeExecutor(0, data);
			decodeConversation(data);
		}),
	);
	assert.deepEqual(decodeExecutor(0, new Uint8Array([0xff])), {
		idx: 0,
		terminationReason: 0,
		lastStepIdx: 0,
		error: "",
	});
});
