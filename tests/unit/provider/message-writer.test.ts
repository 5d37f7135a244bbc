import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AssistantMessageEvent, createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import fc from "fast-check";
import { MessageWriter } from "../../../src/provider/message-writer.ts";
import { at } from "../../support/fake-engine.ts";
import { model } from "../../support/pi-model.ts";
import { checkStream, collect } from "./stream-check.ts";

function start() {
	const stream = createAssistantMessageEventStream();
	const writer = new MessageWriter(stream, model, 1_000);
	return { stream, writer };
}

describe("an assistant message", () => {
	test("opens and closes thinking and text one after the other", async () => {
		const { stream, writer } = start();
		writer.append("thinking", at(1), "hm");
		writer.append("thinking", at(1), "m");
		writer.append("text", at(1), "yes");
		writer.done("stop");
		const events = await collect(stream);
		assert.deepEqual(
			events.map((event) => event.type),
			[
				"start",
				"thinking_start",
				"thinking_delta",
				"thinking_delta",
				"thinking_end",
				"text_start",
				"text_delta",
				"text_end",
				"done",
			],
		);
		checkStream(events);
		assert.deepEqual(writer.message.content, [
			{ type: "thinking", thinking: "hmm" },
			{ type: "text", text: "yes" },
		]);
	});

	test("keeps the texts of two steps apart", () => {
		const { writer } = start();
		writer.append("text", at(1), "one");
		writer.append("text", at(2), "two");
		writer.done("stop");
		assert.deepEqual(
			writer.message.content.map((block) => block.type === "text" && block.text),
			["one", "two"],
		);
	});

	test("a rewrite that continues the open text is a delta", async () => {
		const { stream, writer } = start();
		writer.append("text", at(1), "Hel");
		writer.rewrite("text", at(1), "Hello");
		writer.done("stop");
		const deltas = (await collect(stream)).flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
		assert.deepEqual(deltas, ["Hel", "lo"]);
	});

	test("a rewrite of the open text shows in its end", async () => {
		const { stream, writer } = start();
		writer.append("text", at(1), "Helo wrld");
		writer.rewrite("text", at(1), "Hi");
		writer.append("text", at(1), " there");
		writer.done("stop");
		const end = (await collect(stream)).find((event) => event.type === "text_end");
		assert.equal(end?.type === "text_end" && end.content, "Hi there");
	});

	test("a rewrite of a text that was closed shows in the finished message", () => {
		const { writer } = start();
		writer.append("text", at(1), "wrong");
		writer.append("text", at(2), "second");
		writer.rewrite("text", at(1), "right");
		writer.done("stop");
		assert.equal(writer.words, "rightsecond");
	});

	test("lines of our own wait until the answer's block is closed", () => {
		const { writer } = start();
		writer.append("text", at(1), "an");
		writer.line("agy compacted its context");
		writer.append("text", at(1), "swer");
		writer.done("stop");
		assert.deepEqual(writer.message.content, [
			{ type: "text", text: "answer" },
			{ type: "thinking", thinking: "agy compacted its context" },
		]);
	});

	test("a line about a step goes on where its earlier one ended, also for who reads only the deltas", async () => {
		const { stream, writer } = start();
		writer.line("read a.ts · done", at(1));
		writer.line("run npm test", at(2));
		writer.line("run npm test · exit 0", at(2));
		writer.line("run npm test · exit 0", at(2));
		writer.done("stop");
		assert.deepEqual(writer.message.content, [
			{ type: "thinking", thinking: "read a.ts · done\nrun npm test · exit 0" },
		]);
		const events = await collect(stream);
		const deltas = events.flatMap((event) => (event.type === "thinking_delta" ? [event.delta] : []));
		assert.deepEqual(deltas, ["read a.ts · done", "\nrun npm test", " · exit 0"]);
	});

	test("it is a line of its own where something follows the earlier one, or where that began otherwise", () => {
		const { writer } = start();
		writer.line("one", at(1));
		writer.line("two", at(2));
		writer.line("one · done", at(1));
		writer.line("1 · done", at(1));
		writer.append("text", at(3), "an");
		writer.line("two · done", at(2));
		writer.line("two · done, 2 s", at(2));
		writer.append("text", at(3), "swer");
		writer.done("stop");
		assert.deepEqual(writer.message.content, [
			{ type: "thinking", thinking: "one\ntwo\none · done\n1 · done" },
			{ type: "text", text: "answer" },
			{ type: "thinking", thinking: "two · done, 2 s" },
		]);
	});

	test("the usage is that of one model call, reasoning within output", () => {
		const { writer } = start();
		writer.usage({ input: 900, output: 90, reasoning: 30, cacheRead: 5, cacheWrite: 0 });
		writer.usage({ input: 100, output: 20, reasoning: 5, cacheRead: 1000, cacheWrite: 0 }, "r2");
		writer.done("stop");
		const { usage, responseId } = writer.message;
		assert.deepEqual(
			[usage.input, usage.output, usage.reasoning, usage.cacheRead, usage.totalTokens, responseId],
			[100, 20, 5, 1000, 1120, "r2"],
		);
	});

	test("an error and an abort keep what was written", () => {
		for (const [end, reason] of [
			[(writer: MessageWriter) => writer.fail("no"), "error"],
			[(writer: MessageWriter) => writer.abort(), "aborted"],
		] as const) {
			const { writer } = start();
			writer.append("text", at(1), "half");
			end(writer);
			assert.equal(writer.words, "half");
			assert.equal(writer.message.stopReason, reason);
		}
	});

	test("nothing is written after the end", async () => {
		const { stream, writer } = start();
		writer.done("stop");
		writer.append("text", at(1), "late");
		writer.line("late");
		writer.toolCall({ type: "toolCall", id: "x", name: "y", arguments: {} });
		writer.usage({ input: 1, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 });
		writer.fail("late");
		assert.deepEqual(
			(await collect(stream)).map((event) => event.type),
			["start", "done"],
		);
		assert.deepEqual(writer.message.content, []);
	});
});

const block = fc.constantFrom("text" as const, "thinking" as const);
const step = fc.nat({ max: 3 }).map((index) => at(index));
const action = fc.oneof(
	fc.record({ do: fc.constant("append" as const), block, step, text: fc.string({ maxLength: 6 }) }),
	fc.record({ do: fc.constant("rewrite" as const), block, step, text: fc.string({ maxLength: 6 }) }),
	fc.record({
		do: fc.constant("line" as const),
		text: fc.constantFrom("a", "a b", "a b c", "d"),
		step: fc.option(step, { nil: undefined }),
	}),
	fc.record({ do: fc.constant("tool" as const) }),
	fc.record({ do: fc.constantFrom("stop" as const, "toolUse" as const, "fail" as const, "abort" as const) }),
);

test("whatever comes in whatever order, the stream is balanced and its ends tell the content", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
			const { stream, writer } = start();
			for (const next of actions) {
				if (next.do === "append") writer.append(next.block, next.step, next.text);
				else if (next.do === "rewrite") writer.rewrite(next.block, next.step, next.text);
				else if (next.do === "line") writer.line(next.text, next.step);
				else if (next.do === "tool") writer.toolCall({ type: "toolCall", id: "a", name: "b", arguments: { c: "d" } });
				else if (next.do === "fail") writer.fail("failed");
				else if (next.do === "abort") writer.abort();
				else writer.done(next.do);
			}
			writer.done("stop");
			const events: AssistantMessageEvent[] = await collect(stream);
			checkStream(events, { rewrites: actions.some((next) => next.do === "rewrite") });
		}),
		{ numRuns: 300 },
	);
});
