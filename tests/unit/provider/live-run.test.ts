import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { type AssistantMessageEvent, createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import type { Run } from "../../../src/engine/engine.ts";
import type { AgyEvent } from "../../../src/engine/events.ts";
import { LiveRun } from "../../../src/provider/live-run.ts";
import { type MessageSink, MessageWriter } from "../../../src/provider/message-writer.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { generation, text, tool } from "../../support/fake-engine.ts";
import { model } from "../../support/pi-model.ts";
import { beginRun, blocks, CWD, callIds } from "./begin-run.ts";
import { checkStream } from "./stream-check.ts";

/** Hears of a message as pi does; `act` is called at once with what it heard. */
class ActingSink implements MessageSink {
	readonly events: AssistantMessageEvent[] = [];
	readonly #act: (event: AssistantMessageEvent) => void;

	constructor(act: (event: AssistantMessageEvent) => void) {
		this.#act = act;
	}

	push(event: AssistantMessageEvent): void {
		this.events.push(event);
		this.#act(event);
	}

	end(): void {}
}

describe("an abort", () => {
	for (const phase of ["before the first event", "while text streams", "while a card waits"] as const) {
		test(`ends the message at once ${phase}`, async () => {
			const { run, live, message, ends } = beginRun();
			const writer = message();
			const controller = new AbortController();
			live.watch(controller.signal);
			if (phase !== "before the first event") run.emit(text(1, "half"));
			if (phase === "while a card waits") run.emit(tool(2, "running"), generation(1, "done", ["call-2"]));
			await turnOfTheLoop();
			controller.abort();
			assert.equal(writer.closed, true);
			assert.equal(writer.message.stopReason, phase === "while a card waits" ? "toolUse" : "aborted");
			assert.equal(run.cancelledBy, "user");
			await live.closed;
			assert.equal(ends.length, 1);
			assert.equal(live.state, "over");
		});
	}
});

test("an engine that breaks off does not leave a message open", async () => {
	const broken: Run = {
		events: (async function* (): AsyncGenerator<AgyEvent> {
			yield text(1, "half");
			throw new Error("broken");
		})(),
		cancel() {},
		settled: Promise.resolve(),
	};
	let ended = 0;
	const clock = new FakeClock();
	const live = new LiveRun(broken, clock, {
		async ended() {
			ended++;
		},
	});
	const writer = new MessageWriter(createAssistantMessageEventStream(), model, 0);
	live.continueIn({ writer, display: "cards", cwd: CWD, closingLine: true });
	await live.closed;
	assert.equal(writer.message.stopReason, "aborted");
	assert.equal(writer.words, "half");
	assert.equal(ended, 1);
});

describe("what comes from within, while a message is written,", () => {
	test("an abort ends the message after the item in hand, and what waits is dropped", async () => {
		const { run, live, message, ends } = beginRun();
		run.emit(text(1, "one "), text(1, "two"), tool(2, "running"), generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		const sink = new ActingSink((event) => {
			if (event.type === "text_delta") live.abort();
		});
		const writer = message(sink);
		checkStream(sink.events);
		assert.deepEqual([blocks(writer), writer.message.stopReason], [["one "], "aborted"]);
		await live.closed;
		assert.deepEqual(
			ends.map(({ answer }) => answer),
			["one "],
		);
	});

	test("an abort at its tool calls comes after them, and their cards do not wait for agy", async () => {
		const { run, live, message, ends, clock } = beginRun();
		const sink = new ActingSink((event) => {
			if (event.type === "toolcall_start") live.abort();
		});
		const writer = message(sink);
		run.emit(text(1, "I look."), tool(2, "running"), tool(3, "running"), generation(1, "done", ["call-2", "call-3"]));
		await turnOfTheLoop();
		checkStream(sink.events);
		assert.equal(writer.message.stopReason, "toolUse");
		assert.deepEqual(
			callIds(writer).map((id) => live.card(id)?.end),
			["stopped", "stopped"],
		);
		await live.closed;
		assert.deepEqual(
			ends.map(({ answer }) => answer),
			["I look."],
		);
		assert.equal(clock.pending, 0);
	});

	test("pi coming back at the end of a message gets what waited for the next one", async () => {
		const { run, message } = beginRun();
		run.emit(tool(2, "done"), text(3, "All good."));
		run.end();
		await turnOfTheLoop();
		let second: MessageWriter | undefined;
		const sink = new ActingSink((event) => {
			if (event.type === "done") second = message();
		});
		message(sink);
		checkStream(sink.events);
		assert.ok(second);
		assert.deepEqual([blocks(second), second.message.stopReason], [["All good."], "stop"]);
	});
});

describe("while a message is ending,", () => {
	async function ending() {
		const begun = beginRun();
		const writer = begun.message();
		begun.run.emit(text(1, "I look."), tool(2, "running"));
		await turnOfTheLoop();
		assert.equal(writer.closed, false);
		return { ...begun, writer };
	}

	test("an abort leaves no tool call and no timer behind", async () => {
		const { live, writer, clock } = await ending();
		live.abort();
		assert.deepEqual([blocks(writer), writer.message.stopReason], [["I look."], "aborted"]);
		assert.equal(clock.pending, 0);
		await live.closed;
	});

	test("a cancel lets it end with its cards, and the next message tells of it", async () => {
		const { live, message, writer } = await ending();
		live.cancel("owner-gone");
		await turnOfTheLoop();
		assert.equal(writer.message.stopReason, "toolUse");
		assert.deepEqual(
			callIds(writer).map((id) => live.card(id)?.end),
			["stopped"],
		);
		const next = message();
		assert.equal(next.message.stopReason, "aborted");
		await live.closed;
	});

	test("agy's own end waits for the next message", async () => {
		const { run, live, message, writer, ends } = await ending();
		run.end();
		await turnOfTheLoop();
		assert.deepEqual([writer.message.stopReason, live.state, ends.length], ["toolUse", "parked", 0]);
		message();
		await live.recorded;
		assert.deepEqual([live.state, ends.length], ["over", 1]);
	});

	test("its time does not run on into the next message", async () => {
		const { run, message, clock } = await ending();
		clock.advance(199);
		run.emit(generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		const next = message();
		run.emit(tool(4, "running"));
		await turnOfTheLoop();
		clock.advance(199);
		assert.equal(next.closed, false);
		clock.advance(1);
		assert.equal(next.closed, true);
	});
});

describe("when a run is parked,", () => {
	test("a cancel drops what waits and ends it with what was said", async () => {
		const { run, live, message, ends } = beginRun();
		message();
		run.emit(text(1, "I look."), tool(2, "running"), generation(1, "done", ["call-2"]), text(3, "So"));
		await turnOfTheLoop();
		live.cancel("owner-gone");
		assert.equal(live.state, "over");
		await live.closed;
		assert.deepEqual(
			ends.map(({ end, answer }) => [end.outcome.kind, answer]),
			[["cancelled", "I look."]],
		);
	});

	test("its end is not recorded before somebody has taken it or given up", async () => {
		const { run, live, message, ends } = beginRun();
		message();
		run.emit(tool(2, "done"), generation(1, "done", ["call-2"]));
		run.end();
		await turnOfTheLoop();
		assert.deepEqual([live.state, ends.length], ["parked", 0]);
		live.cancel("owner-gone");
		await live.recorded;
		assert.deepEqual(
			ends.map(({ end }) => end.outcome.kind),
			["answered"],
		);
	});
});

test("a message that comes for a run that is over ends as aborted", () => {
	const { live, message } = beginRun();
	live.abort();
	assert.equal(message().message.stopReason, "aborted");
});
