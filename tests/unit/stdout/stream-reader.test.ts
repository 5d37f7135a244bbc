import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { StreamMessage, StreamStep } from "../../../src/stdout/stream-message.ts";
import { StreamReader, textResult } from "../../../src/stdout/stream-reader.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function read(text: string, reader = new StreamReader()): StreamMessage[] {
	return [...reader.push(bytes(text)), ...reader.end()];
}

function only(text: string): StreamMessage {
	const messages = read(text);
	assert.equal(messages.length, 1);
	return messages[0] as StreamMessage;
}

const delta = (index: number, text: string): string =>
	`${JSON.stringify({
		event: "step_update",
		step_update: {
			conversation_id: "c",
			step_index: index,
			state: "ACTIVE",
			step_type: "agent_response",
			text_delta: text,
		},
	})}\n`;

const deltasOf = (messages: readonly StreamMessage[]) =>
	messages.map((message) => (message.event === "step" ? message.textDelta : message.event));

test("a line that is nested beyond use is skipped", () => {
	const nested = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
	const line = `{"event":"step_update","step_update":{"tool_info":{"name":"x","parameters":${nested}}}}\n`;
	assert.deepEqual(deltasOf(read(line + delta(1, "on"))), ["on"]);
});

test("the first line tells the conversation, the model and the permission mode", () => {
	const line =
		'{"event":"init","conversation_id":"c","init":{"model":"Gemini 3.7 Flash (Low)","cwd":"/w","tools":["run_command",7],"permission_mode":"request-review"}}\n';
	assert.deepEqual(only(line), {
		event: "init",
		conversationId: "c",
		model: "Gemini 3.7 Flash (Low)",
		permissionMode: "request-review",
	});
	assert.deepEqual(only('{"event":"init"}\n'), {
		event: "init",
		conversationId: undefined,
		model: undefined,
		permissionMode: undefined,
	});
});

test("a line about a step tells its tool, its error and its usage", () => {
	const step = {
		conversation_id: "c",
		step_index: 3,
		state: "DONE",
		step_type: "tool",
		tool_name: "run_command",
		tool_info: { name: "run_command", parameters: { CommandLine: "echo hi" }, output: "hi\r\n" },
		error: { type: "TOOL_ERROR", message: "tool call denied by pre-tool hook:" },
		usage: { input_tokens: 5, output_tokens: 4, thinking_tokens: 3, cache_read_tokens: 2, total_tokens: 9 },
		subagent_info: { conversation_id: "s", log_uri: "file:///x" },
		duration_seconds: 0.2,
	};
	const expected: StreamStep = {
		event: "step",
		conversationId: "c",
		index: 3,
		state: "DONE",
		stepType: "tool",
		textDelta: "",
		toolName: "run_command",
		toolParameters: { CommandLine: "echo hi" },
		toolOutput: "hi\r\n",
		error: { type: "TOOL_ERROR", message: "tool call denied by pre-tool hook:" },
		usage: { input: 5, output: 4, thinking: 3, cacheRead: 2 },
		subagentConversationId: "s",
	};
	assert.deepEqual(only(JSON.stringify({ event: "step_update", step_update: step })), expected);
});

test("a result, and the single object of the json format", () => {
	const result = {
		conversation_id: "c",
		status: "SUCCESS",
		response: "pong\n",
		usage: { input_tokens: 15844, output_tokens: 149 },
		denied_actions: [{ action: "command", display_name: "RunCommand" }, { action: "mcp" }, "?"],
	};
	const expected: StreamMessage = {
		event: "result",
		conversationId: "c",
		status: "SUCCESS",
		response: "pong\n",
		error: undefined,
		deniedActions: [
			{ action: "command", displayName: "RunCommand" },
			{ action: "mcp", displayName: undefined },
		],
		usage: { input: 15844, output: 149, thinking: 0, cacheRead: 0 },
	};
	assert.deepEqual(only(JSON.stringify({ event: "result", result })), expected);
	assert.deepEqual(only(JSON.stringify(result)), expected);
});

test("a run that was rejected before its start names no conversation", () => {
	const message = only('{"event":"result","result":{"conversation_id":"","status":"ERROR","error":"invalid model"}}');
	assert.ok(message.event === "result");
	assert.equal(message.conversationId, undefined);
	assert.equal(message.error, "invalid model");
});

test("fields of an unexpected type count as missing; without an index there is no step", () => {
	const odd = only(
		'{"event":"step_update","step_update":{"step_index":1,"state":null,"step_type":9,"text_delta":["a"],"tool_info":"x","usage":[],"error":{}}}',
	);
	assert.deepEqual(odd, {
		event: "step",
		conversationId: undefined,
		index: 1,
		state: "",
		stepType: "",
		textDelta: "",
		toolName: undefined,
		toolParameters: undefined,
		toolOutput: undefined,
		error: undefined,
		usage: undefined,
		subagentConversationId: undefined,
	});
	assert.deepEqual(read('{"event":"step_update","step_update":{"step_index":-1}}\n{"event":"step_update"}\n'), []);
});

test("lines of others are skipped and counted; what agy adds later is only skipped", () => {
	const reader = new StreamReader();
	const text = `npm warn deprecated\n\n[1,2]\n"x"\n{broken\n{"event":"telemetry","x":1}\n${delta(0, "a")}{} trailing\n`;
	assert.deepEqual(deltasOf(read(text, reader)), ["a"]);
	assert.equal(reader.skippedLines, 5);
});

test("the last line counts without its line end", () => {
	assert.deepEqual(deltasOf(read(delta(0, "a") + delta(1, "b").trim())), ["a", "b"]);
});

test("carriage returns before line ends are no part of a message", () => {
	assert.deepEqual(deltasOf(read(delta(0, "a\r\n").replace(/\n$/, "\r\n"))), ["a\r\n"]);
});

test("any cut of the bytes gives the same messages", () => {
	const text = `${delta(0, "héllo 😀 日本語")}junk\n${delta(1, "e\u0301\r\n\t")}`;
	const whole = read(text);
	assert.equal(whole.length, 2);
	fc.assert(
		fc.property(fc.array(fc.nat(bytes(text).length), { maxLength: 20 }), (cuts) => {
			const reader = new StreamReader();
			const edges = [0, ...cuts.sort((a, b) => a - b), bytes(text).length];
			const parts = edges.slice(1).map((edge, index) => bytes(text).slice(edges[index], edge));
			assert.deepEqual([...parts.flatMap((part) => reader.push(part)), ...reader.end()], whole);
			assert.equal(reader.skippedLines, 1);
		}),
	);
});

test("line ends that stand bare inside strings are put back", () => {
	const reader = new StreamReader();
	const line =
		'{"event":"result","result":{"conversation_id":"c","status":"SUCCESS","response":"one \\"\ntwo\ttab\r\n{}\n\nend\\\\"}}\r\n';
	const messages = read(line + delta(0, "next"), reader);
	assert.deepEqual(
		messages.map((message) => (message.event === "result" ? message.response : message.event)),
		['one "\ntwo\ttab\r\n{}\n\nend\\', "step"],
	);
	assert.equal(reader.skippedLines, 0);
});

test("a line that breaks off inside a string does not swallow the next message", () => {
	const reader = new StreamReader();
	assert.deepEqual(deltasOf(read(`{"event":"step_upd\n${delta(0, "a")}`, reader)), ["a"]);
	assert.equal(reader.skippedLines, 1);
	const atEnd = new StreamReader();
	assert.deepEqual(read('{"event":"step_upd', atEnd), []);
	assert.equal(atEnd.skippedLines, 1);
});

test("an overlong line is dropped in bounded memory, and reading goes on", () => {
	const reader = new StreamReader(200);
	const chunk = bytes("x".repeat(150));
	for (let i = 0; i < 10; i++) assert.deepEqual(reader.push(chunk), []);
	assert.deepEqual(deltasOf(read(`\n${delta(0, "a").trim()}\n`, reader)), ["a"]);
	assert.equal(reader.skippedLines, 1);
});

test("a mended line is bounded too", () => {
	const reader = new StreamReader(200);
	assert.deepEqual(read(`{"a":"\n${"x\n".repeat(500)}`, reader), []);
	assert.ok(reader.skippedLines > 0);
});

test("whatever comes on stdout, reading it never throws", () => {
	fc.assert(
		fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 10 }), (chunks) => {
			const reader = new StreamReader();
			for (const chunk of chunks) reader.push(chunk);
			reader.end();
		}),
	);
});

test("plain text is the response", () => {
	assert.equal(textResult("pong\n", 0).response, "pong\n");
	assert.equal(textResult("", 0).status, "SUCCESS");
	assert.equal(textResult("", 1).status, "ERROR");
	assert.equal(textResult("", undefined).status, "ERROR");
});
