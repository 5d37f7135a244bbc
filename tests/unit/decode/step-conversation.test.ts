import assert from "node:assert/strict";
import { test } from "node:test";
import { expectKind, rowOf, STATUS } from "./step-rows.ts";

function planner(plannerResponse: Parameters<typeof rowOf>[0]["plannerResponse"], status: number = STATUS.generating) {
	return expectKind(rowOf({ type: 15, status, plannerResponse }).body, "planner");
}

test("a growing answer: the longer of the two texts, whichever field it is in", () => {
	assert.equal(planner({ response: "Hello wor", modifiedResponse: "Hello" }).text, "Hello wor");
	assert.equal(planner({ response: "Hello", modifiedResponse: "Hello wor" }).text, "Hello wor");
	assert.equal(planner({ modifiedResponse: "from the stream" }).text, "from the stream");
	assert.equal(planner({ response: "only" }).text, "only");
});

test("a finished answer: the moderated text, even if it is shorter; the other one where there is none", () => {
	assert.equal(planner({ response: "secret word", modifiedResponse: "***" }, STATUS.done).text, "***");
	assert.equal(planner({ response: "plain" }, STATUS.done).text, "plain");
});

test("thinking before text, tool calls with their arguments, the stop reason", () => {
	const thinking = planner({ thinking: "Let me see 🙂" });
	assert.deepEqual([thinking.thinking, thinking.text, thinking.stopReason], ["Let me see 🙂", "", 0]);
	const call = { id: "a", name: "run_command", argumentsJson: '{"CommandLine":"ls","N":1}' };
	const half = { id: "b", name: "view_file", argumentsJson: '{"Absolute' };
	const done = planner({ toolCalls: [call, half], stopReason: 2 }, STATUS.done);
	assert.equal(done.stopReason, 2);
	assert.deepEqual(done.toolCalls, [
		{ id: "a", name: "run_command", args: { CommandLine: "ls", N: 1 } },
		{ id: "b", name: "view_file", args: {} },
	]);
});

test("arguments that are JSON but no object are none", () => {
	for (const argumentsJson of ["[1]", "null", '"text"', "3", ""]) {
		assert.deepEqual(planner({ toolCalls: [{ argumentsJson }] }).toolCalls[0]?.args, {});
	}
});

test("a prompt: the text as typed, else its parts, else the old field", () => {
	const prompt = (userInput: object) => rowOf({ type: 14, userInput: { ...userInput } }).body;
	const items = [{ text: "two " }, { text: "parts" }];
	assert.deepEqual(prompt({ userResponse: "typed", items }), { kind: "user-input", text: "typed" });
	assert.deepEqual(prompt({ items }), { kind: "user-input", text: "two parts" });
	assert.deepEqual(prompt({ query: "old" }), { kind: "user-input", text: "old" });
	assert.deepEqual(prompt({}), { kind: "user-input", text: "" });
});

test("a model failure with everything agy recorded", () => {
	const error = {
		userErrorMessage: "Try later",
		shortError: "quota",
		fullError: "RESOURCE_EXHAUSTED: quota",
		details: '{"retryDelay":"3s"}',
		modelErrorMessage: "for the model",
		errorCode: 429,
	};
	assert.deepEqual(rowOf({ type: 17, errorMessage: { error } }).body, {
		kind: "error-message",
		error: {
			userMessage: "Try later",
			short: "quota",
			full: "RESOURCE_EXHAUSTED: quota",
			details: '{"retryDelay":"3s"}',
			modelMessage: "for the model",
			code: 429,
		},
	});
	const empty = expectKind(rowOf({ type: 17 }).body, "error-message").error;
	assert.deepEqual([empty.userMessage, empty.code], ["", 0]);
});

test("a system message: what it says, who sent it, whether it is for a reader", () => {
	const agentMessage = { id: "m", recipient: "me", sender: "child-conversation", content: "inner" };
	assert.deepEqual(
		rowOf({ type: 101, systemMessage: { message: "Task done", eventType: "task_done", agentMessage } }).body,
		{
			kind: "system-message",
			text: "Task done",
			sender: "child-conversation",
			hidden: false,
		},
	);
	const silent = { agentMessage: { ...agentMessage, hideFromUser: true } };
	assert.deepEqual(rowOf({ type: 101, systemMessage: silent }).body, {
		kind: "system-message",
		text: "inner",
		sender: "child-conversation",
		hidden: true,
	});
	const hidden = rowOf({ type: 101, systemMessage: { message: "x", renderInfo: { hidden: true } } });
	assert.equal(expectKind(hidden.body, "system-message").hidden, true);
});

test("a checkpoint names the conversation, or replaces the context", () => {
	const checkpoint = (content: object, status: number = STATUS.done) =>
		rowOf({ type: 23, status, checkpoint: { ...content } }).body;
	assert.deepEqual(checkpoint({ intentOnly: true, userIntent: " A title\n", conversationTitle: "not this" }), {
		kind: "checkpoint",
		title: "A title",
		compaction: false,
	});
	assert.deepEqual(checkpoint({ userIntent: "not this", conversationTitle: "Other title", sessionSummary: "…" }), {
		kind: "checkpoint",
		title: "Other title",
		compaction: true,
	});
	assert.deepEqual(checkpoint({ sessionSummary: "…" }), { kind: "checkpoint", title: undefined, compaction: true });
});

test("a checkpoint that is not done, or holds nothing, is no compaction", () => {
	const none = { kind: "checkpoint", title: undefined, compaction: false };
	assert.deepEqual(rowOf({ type: 23, status: STATUS.running, checkpoint: { includedStepIndexEnd: 3 } }).body, none);
	assert.deepEqual(rowOf({ type: 23 }).body, none);
});
