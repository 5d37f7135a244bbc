import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { type AssistantMessage, createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import type { Run } from "../../../src/engine/engine.ts";
import type { AgyEvent, EndEvent } from "../../../src/engine/events.ts";
import { LiveRun } from "../../../src/provider/live-run.ts";
import { MessageFlow, type StepDisplay } from "../../../src/provider/message-flow.ts";
import { MessageWriter } from "../../../src/provider/message-writer.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { at, FakeEngine, generation, text, thinking, tool, usage } from "../../support/fake-engine.ts";
import { model } from "../../support/pi-model.ts";
import { checkStream, collect } from "./stream-check.ts";

const CWD = "/home/me/project";

function begin(display: StepDisplay = "cards") {
	const clock = new FakeClock();
	const run = new FakeEngine().start({
		prompt: "go",
		cwd: CWD,
		addDirs: [],
		mode: "accept-edits",
		permissions: "skip",
		purpose: "turn",
		literalPrompt: false,
	});
	const ends: { end: EndEvent; answer: string }[] = [];
	const live = new LiveRun(run, clock, {
		async ended(end, answer) {
			ends.push({ end, answer });
		},
	});
	run.emit({ type: "conversation", id: "c1" });

	/** Begins the next assistant message. */
	function message() {
		const stream = createAssistantMessageEventStream();
		const writer = new MessageWriter(stream, model, clock.now());
		new MessageFlow({ writer, live, display, cwd: CWD, clock, closingLine: true }).follow();
		return { writer, stream };
	}
	return { clock, run, live, ends, message };
}

function blocks(message: AssistantMessage): string[] {
	return message.content.map((block) => {
		if (block.type === "text") return block.text;
		if (block.type === "thinking") return `(${block.thinking})`;
		return `[${block.arguments.kind}: ${block.arguments.summary}]`;
	});
}

describe("a turn without steps", () => {
	test("is one message", async () => {
		const { run, message, ends } = begin();
		const { writer, stream } = message();
		run.emit(thinking(1, "well"), text(1, "four"), usage(1, { input: 7 }), generation(1, "done", []));
		run.end();
		await turnOfTheLoop();
		checkStream(await collect(stream));
		assert.deepEqual(blocks(writer.message), ["(well)", "four"]);
		assert.equal(writer.message.stopReason, "stop");
		assert.equal(writer.message.usage.input, 7);
		assert.equal(ends[0]?.answer, "four");
	});

	test("streams while agy is still at work", async () => {
		const { run, message } = begin();
		const { writer } = message();
		run.emit(text(1, "fo"));
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer.message), ["fo"]);
		assert.equal(writer.closed, false);
	});

	test("never ends in silence", async () => {
		const { run, message } = begin();
		const { writer } = message();
		run.end({ kind: "answered" }, { textSeen: false });
		await turnOfTheLoop();
		assert.equal(writer.message.stopReason, "error");
		assert.match(writer.message.errorMessage ?? "", /gave no answer/);
	});

	test("keeps its text when it fails", async () => {
		const { run, message } = begin();
		const { writer } = message();
		run.emit(text(1, "half an ans"));
		run.end({ kind: "failed", failure: { kind: "quota", adminManaged: false } });
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer.message), ["half an ans"]);
		assert.match(writer.message.errorMessage ?? "", /quota is used up/);
	});
});

describe("a message with steps", () => {
	test("begins a card's arguments with what it is about, as seen from the folder it works in", async () => {
		const { run, message } = begin();
		const { writer } = message();
		run.emit(tool(2, "running", { kind: "read", name: "view_file", summary: `${CWD}/src/x.ts` }));
		run.emit(tool(3, "running", { summary: `cat ${CWD}/src/x.ts` }), generation(1, "done", ["call-2", "call-3"]));
		await turnOfTheLoop();
		const cards = writer.message.content.filter((block) => block.type === "toolCall");
		assert.deepEqual(
			cards.map((card) => Object.values(card.arguments)),
			[
				["src/x.ts", "read", "view_file"],
				[`cat ${CWD}/src/x.ts`, "command", "run_command"],
			],
		);
	});

	test("ends when its model call is done and all its steps are there, with that call's usage", async () => {
		const { run, live, message } = begin();
		const { writer } = message();
		run.emit(text(1, "Let me look."), tool(2, "running"), tool(3, "running", { summary: "ls" }));
		await turnOfTheLoop();
		assert.equal(writer.closed, false);
		run.emit(usage(1, { input: 5 }), generation(1, "done", ["call-2", "call-3"]));
		await turnOfTheLoop();
		assert.equal(writer.message.stopReason, "toolUse");
		assert.deepEqual(blocks(writer.message), ["Let me look.", "[command: npm test]", "[command: ls]"]);
		assert.equal(writer.message.usage.input, 5);
		assert.equal(live.state, "parked");
	});

	test("ends as well when the steps come after the model call is done", async () => {
		const { run, message } = begin();
		const { writer } = message();
		run.emit(generation(1, "done", ["call-2"]), tool(2, "done"));
		await turnOfTheLoop();
		assert.equal(writer.message.stopReason, "toolUse");
	});

	test("does not take an earlier model call without steps for the one that asked", async () => {
		const { run, message } = begin();
		const { writer } = message();
		run.emit(text(1, "One moment."), generation(1, "done", []), tool(3, "running"));
		await turnOfTheLoop();
		assert.equal(writer.closed, false);
		run.emit(generation(2, "done", ["call-3"]));
		await turnOfTheLoop();
		assert.equal(writer.closed, true);
	});

	test("waits only a moment for its model call", async () => {
		const { run, message, clock } = begin();
		const { writer } = message();
		run.emit(tool(2, "running"));
		await turnOfTheLoop();
		clock.advance(200);
		assert.equal(writer.message.stopReason, "toolUse");
	});

	test("ends when agy goes on, and what follows opens the next one", async () => {
		const { run, message } = begin();
		const first = message();
		run.emit(tool(2, "done"), text(3, "All good."));
		await turnOfTheLoop();
		assert.deepEqual(blocks(first.writer.message), ["[command: npm test]"]);
		const second = message();
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(second.writer.message), ["All good."]);
		assert.equal(second.writer.message.stopReason, "stop");
	});

	test("usage that comes late counts for the next message unless that has its own", async () => {
		const { run, message, clock } = begin();
		message();
		run.emit(tool(2, "done"));
		await turnOfTheLoop();
		clock.advance(200);
		run.emit(usage(1, { input: 11 }));
		await turnOfTheLoop();
		const second = message();
		assert.equal(second.writer.message.usage.input, 11);
		run.emit(text(3, "x"), usage(3, { input: 12 }));
		await turnOfTheLoop();
		assert.equal(second.writer.message.usage.input, 12);
	});

	test("side calls say nothing about the context", async () => {
		const { run, message } = begin();
		const { writer } = message();
		run.emit(usage(1, { input: 11 }), usage(2, { input: 3 }, false));
		await turnOfTheLoop();
		assert.equal(writer.message.usage.input, 11);
	});

	test("has its own cards' ids, fit for every provider", async () => {
		const { run, message } = begin();
		const { writer } = message();
		run.emit(tool(2, "done"), { ...tool(2, "done"), step: at(2, "t2") }, generation(1, "done", ["call-2", "call-2b"]));
		await turnOfTheLoop();
		const ids = writer.message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
		assert.equal(new Set(ids).size, 2);
		for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{1,64}$/);
	});

	test("a turn that ends with a step gets a closing line", async () => {
		const { run, message } = begin();
		message();
		run.emit(tool(2, "done", { exitCode: 0 }), generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		const { writer } = message();
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer.message), [
			"agy ended without further words; its last step: run npm test (exit 0).",
		]);
	});
});

describe("a card", () => {
	async function withCard() {
		const begun = begin();
		const { writer } = begun.message();
		begun.run.emit(tool(2, "running"), generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		const call = writer.message.content.at(-1);
		assert.ok(call?.type === "toolCall");
		const card = begun.live.card(call.id);
		assert.ok(card);
		return { ...begun, card };
	}

	test("follows its step while the run is parked", async () => {
		const { run, card } = await withCard();
		let changes = 0;
		card.onChange(() => changes++);
		run.emit(tool(2, "running", { output: "1" }), tool(2, "done", { output: "12", exitCode: 0 }));
		await turnOfTheLoop();
		assert.equal(changes, 2);
		assert.equal(card.step.output, "12");
		assert.equal(card.end, "finished");
	});

	test("lets go a moment after agy went on, and the step's end is a second card", async () => {
		const { run, card, clock, message } = await withCard();
		run.emit(generation(3, "started"), text(3, "Meanwhile, "));
		await turnOfTheLoop();
		assert.equal(card.end, undefined);
		clock.advance(150);
		assert.equal(card.end, "background");

		const second = message();
		run.emit(tool(4, "done", { summary: "ls" }), generation(3, "done", ["call-4"]));
		await turnOfTheLoop();
		assert.deepEqual(blocks(second.writer.message), ["Meanwhile, ", "[command: ls]"]);
		run.emit(tool(2, "done", { exitCode: 0 }));
		await turnOfTheLoop();
		const third = message();
		assert.deepEqual(blocks(third.writer.message), ["[command: npm test]"]);
		assert.equal(third.writer.message.stopReason, "toolUse");
		const fourth = message();
		run.emit(text(5, "Done."));
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(fourth.writer.message), ["Done."]);
	});

	test("does not let go when the end of its step is just behind", async () => {
		const { run, card, clock } = await withCard();
		run.emit(text(3, "Then"), tool(2, "done"));
		await turnOfTheLoop();
		clock.advance(1000);
		assert.equal(card.end, "finished");
	});

	test("learns what came while its message was still open", async () => {
		const { run, message, clock, live } = begin();
		const { writer } = message();
		run.emit(tool(2, "running"), tool(2, "done", { exitCode: 1 }), text(3, "Hm."));
		await turnOfTheLoop();
		clock.advance(1000);
		const call = writer.message.content[0];
		assert.equal(call?.type === "toolCall" && live.card(call.id)?.end, "finished");
	});

	test("ends with the run", async () => {
		const { run, card } = await withCard();
		run.end();
		await turnOfTheLoop();
		assert.equal(card.end, "lost");
	});

	test("of a step that ends while the answer is written becomes a line, so that the answer comes last", async () => {
		const { run, clock, message } = await withCard();
		run.emit(text(3, "The answer"));
		await turnOfTheLoop();
		clock.advance(150);
		const { writer } = message();
		run.emit(tool(2, "done", { exitCode: 0, output: "1\n2\n3\n4\n5\n6\n" }), text(3, " is 4."));
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer.message), [
			"The answer is 4.",
			"(finished in the background: run npm test · exit 0\n2\n3\n4\n5\n6)",
		]);
	});

	test("of a step that ends while an answer is written is a card once agy goes on after that answer", async () => {
		const { run, clock, message } = await withCard();
		run.emit(text(3, "It runs."));
		await turnOfTheLoop();
		clock.advance(150);
		const { writer } = message();
		run.emit(tool(2, "done", { exitCode: 0 }), usage(3, { input: 3 }), generation(3, "done", []));
		await turnOfTheLoop();
		assert.equal(writer.closed, false);
		run.emit(generation(5, "started"), text(5, "It has ended."));
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer.message), ["It runs.", "[command: npm test]"]);
		assert.equal(writer.message.usage.input, 3);
		const next = message();
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(next.writer.message), ["It has ended."]);
	});
});

describe("a notice about a step", () => {
	const refused = {
		type: "notice",
		level: "warning",
		code: "denied-action",
		text: "Denied: ls",
		step: at(3),
	} as const;
	const asked = { ...refused, level: "info", code: "self-answered-question", text: "Asked." } as const;

	for (const { display, shown } of [
		{ display: "cards", shown: [] },
		{ display: "inline", shown: ["Asked."] },
		{ display: "off", shown: ["Denied: ls", "Asked."] },
	] as const) {
		test(`is a line of its own where the step does not say it: ${display}`, async () => {
			const { run, message } = begin(display);
			const { writer } = message();
			run.emit(tool(2, "done"), tool(3, "failed", { summary: "ls" }), refused, asked);
			run.emit(generation(1, "done", ["call-2", "call-3"]));
			await turnOfTheLoop();
			if (display === "cards") assert.equal(writer.message.content.length, 2, "it does not end the message early");
			const said = blocks(writer.message).join("\n");
			for (const text of [refused.text, asked.text]) {
				assert.equal(said.includes(text), (shown as readonly string[]).includes(text), text);
			}
		});
	}
});

describe("without cards", () => {
	test("steps are lines in a thinking block, and the turn is one message", async () => {
		const { run, message } = begin("inline");
		const { writer } = message();
		run.emit(
			text(1, "Testing."),
			tool(2, "running"),
			tool(2, "running", { output: "…" }),
			tool(2, "done", { exitCode: 1, startedAt: 0, endedAt: 2000 }),
			text(3, "It fails."),
		);
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer.message), ["Testing.", "(run npm test · exit 1 · 2 s)", "It fails."]);
	});

	test("a step has one line, also when it ends after others and after an answer", async () => {
		const { run, message } = begin("inline");
		const { writer } = message();
		const read = { kind: "read", name: "view_file", summary: "a.ts" } as const;
		run.emit(tool(1, "running"), tool(2, "running", read));
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer.message), ["(run npm test …\nread a.ts …)"]);
		run.emit(tool(2, "done", read), text(3, "Meanwhile"), tool(1, "done", { exitCode: 0 }), text(3, " it ran."));
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer.message), ["(run npm test · exit 0\nread a.ts · done)", "Meanwhile it ran."]);
	});

	for (const display of ["inline", "off"] as const) {
		test(`an answer needs no closing line although an older step ends after it: ${display}`, async () => {
			const { run, message } = begin(display);
			const { writer } = message();
			run.emit(text(1, "I start it."), tool(2, "running"), text(3, "It runs."), tool(2, "cancelled"));
			run.end();
			await turnOfTheLoop();
			assert.equal(blocks(writer.message).at(-1), "It runs.");
		});
	}

	test("a command with stars is not taken for markup", async () => {
		const { run, message } = begin("inline");
		const { writer } = message();
		run.emit(tool(1, "running", { summary: "rm *.o *.a" }));
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer.message), ["(run rm \\*.o \\*.a …)"]);
	});

	test("nothing of them is shown when they are off", async () => {
		const { run, message } = begin("off");
		const { writer } = message();
		run.emit(tool(2, "running"), tool(2, "done"), text(3, "Ready."));
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer.message), ["Ready."]);
	});
});

describe("rewrites across messages", () => {
	test("only what goes on from the earlier message is shown", async () => {
		const { run, message } = begin();
		message();
		run.emit(text(1, "Let me"), tool(2, "done"), generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		const { writer } = message();
		run.emit({ type: "rewrite", block: "text", step: at(1), text: "Let me look." }, text(3, "ok"));
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer.message), [" look.", "ok"]);
	});
});

describe("an abort", () => {
	for (const phase of ["before the first event", "while text streams", "while a card waits"] as const) {
		test(`ends the message at once ${phase}`, async () => {
			const { run, live, message, ends } = begin();
			const { writer } = message();
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
	new MessageFlow({ writer, live, display: "cards", cwd: CWD, clock, closingLine: true }).follow();
	await live.closed;
	assert.equal(writer.message.stopReason, "aborted");
	assert.equal(writer.words, "half");
	assert.equal(ended, 1);
});
