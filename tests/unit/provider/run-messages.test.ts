import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import { at, generation, text, thinking, tool, usage } from "../../support/fake-engine.ts";
import { beginRun, blocks, CWD } from "./begin-run.ts";
import { checkStream, collect } from "./stream-check.ts";

describe("a turn without steps", () => {
	test("is one message", async () => {
		const { run, message, ends } = beginRun();
		const stream = createAssistantMessageEventStream();
		const writer = message(stream);
		run.emit(thinking(1, "well"), text(1, "four"), usage(1, { input: 7 }), generation(1, "done", []));
		run.end();
		await turnOfTheLoop();
		checkStream(await collect(stream));
		assert.deepEqual(blocks(writer), ["(well)", "four"]);
		assert.equal(writer.message.stopReason, "stop");
		assert.equal(writer.message.usage.input, 7);
		assert.equal(ends[0]?.answer, "four");
	});

	test("streams while agy is still at work", async () => {
		const { run, message } = beginRun();
		const writer = message();
		run.emit(text(1, "fo"));
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer), ["fo"]);
		assert.equal(writer.closed, false);
	});

	test("never ends in silence", async () => {
		const { run, message } = beginRun();
		const writer = message();
		run.end({ kind: "answered" }, { textSeen: false });
		await turnOfTheLoop();
		assert.equal(writer.message.stopReason, "error");
		assert.match(writer.message.errorMessage ?? "", /gave no answer/);
	});

	test("keeps its text when it fails", async () => {
		const { run, message } = beginRun();
		const writer = message();
		run.emit(text(1, "half an ans"));
		run.end({ kind: "failed", failure: { kind: "quota", adminManaged: false } });
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer), ["half an ans"]);
		assert.match(writer.message.errorMessage ?? "", /quota is used up/);
	});
});

describe("a message with steps", () => {
	test("names the tool in a card's arguments where agy has not yet said what it is about", async () => {
		const { run, message } = beginRun();
		const writer = message();
		run.emit(tool(2, "running", { kind: "other", name: "new_tool", summary: "" }), generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		const [card] = writer.message.content.filter((block) => block.type === "toolCall");
		assert.deepEqual(card?.arguments, { summary: "new_tool", kind: "other", tool: "new_tool" });
	});

	test("begins a card's arguments with what it is about, as seen from the folder it works in", async () => {
		const { run, message } = beginRun();
		const writer = message();
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
		const { run, live, message } = beginRun();
		const writer = message();
		run.emit(text(1, "Let me look."), tool(2, "running"), tool(3, "running", { summary: "ls" }));
		await turnOfTheLoop();
		assert.equal(writer.closed, false);
		run.emit(usage(1, { input: 5 }), generation(1, "done", ["call-2", "call-3"]));
		await turnOfTheLoop();
		assert.equal(writer.message.stopReason, "toolUse");
		assert.deepEqual(blocks(writer), ["Let me look.", "[command: npm test]", "[command: ls]"]);
		assert.equal(writer.message.usage.input, 5);
		assert.equal(live.state, "parked");
	});

	test("ends as well when the steps come after the model call is done", async () => {
		const { run, message } = beginRun();
		const writer = message();
		run.emit(generation(1, "done", ["call-2"]), tool(2, "done"));
		await turnOfTheLoop();
		assert.equal(writer.message.stopReason, "toolUse");
	});

	test("does not take an earlier model call without steps for the one that asked", async () => {
		const { run, message } = beginRun();
		const writer = message();
		run.emit(text(1, "One moment."), generation(1, "done", []), tool(3, "running"));
		await turnOfTheLoop();
		assert.equal(writer.closed, false);
		run.emit(generation(2, "done", ["call-3"]));
		await turnOfTheLoop();
		assert.equal(writer.closed, true);
	});

	test("waits only a moment for its model call", async () => {
		const { run, message, clock } = beginRun();
		const writer = message();
		run.emit(tool(2, "running"));
		await turnOfTheLoop();
		clock.advance(200);
		assert.equal(writer.message.stopReason, "toolUse");
	});

	test("ends when agy goes on, and what follows opens the next one", async () => {
		const { run, message } = beginRun();
		const first = message();
		run.emit(tool(2, "done"), text(3, "All good."));
		await turnOfTheLoop();
		assert.deepEqual(blocks(first), ["[command: npm test]"]);
		const second = message();
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(second), ["All good."]);
		assert.equal(second.message.stopReason, "stop");
	});

	test("usage that comes late counts for the next message unless that has its own", async () => {
		const { run, message, clock } = beginRun();
		message();
		run.emit(tool(2, "done"));
		await turnOfTheLoop();
		clock.advance(200);
		run.emit(usage(1, { input: 11 }));
		await turnOfTheLoop();
		const second = message();
		assert.equal(second.message.usage.input, 11);
		run.emit(text(3, "x"), usage(3, { input: 12 }));
		await turnOfTheLoop();
		assert.equal(second.message.usage.input, 12);
	});

	test("side calls say nothing about the context", async () => {
		const { run, message } = beginRun();
		const writer = message();
		run.emit(usage(1, { input: 11 }), usage(2, { input: 3 }, false));
		await turnOfTheLoop();
		assert.equal(writer.message.usage.input, 11);
	});

	test("has its own cards' ids, fit for every provider", async () => {
		const { run, message } = beginRun();
		const writer = message();
		run.emit(tool(2, "done"), { ...tool(2, "done"), step: at(2, "t2") }, generation(1, "done", ["call-2", "call-2b"]));
		await turnOfTheLoop();
		const ids = writer.message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
		assert.equal(new Set(ids).size, 2);
		for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{1,64}$/);
	});

	test("a turn that ends with a step gets a closing line", async () => {
		const { run, message } = beginRun();
		message();
		run.emit(tool(2, "done", { exitCode: 0 }), generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		const writer = message();
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer), ["agy ended without further words; its last step: run npm test (exit 0)."]);
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
			const { run, message } = beginRun(display);
			const writer = message();
			run.emit(tool(2, "done"), tool(3, "failed", { summary: "ls" }), refused, asked);
			run.emit(generation(1, "done", ["call-2", "call-3"]));
			await turnOfTheLoop();
			if (display === "cards") assert.equal(writer.message.content.length, 2, "it does not end the message early");
			const said = blocks(writer).join("\n");
			for (const text of [refused.text, asked.text]) {
				assert.equal(said.includes(text), (shown as readonly string[]).includes(text), text);
			}
		});
	}
});

describe("without cards", () => {
	test("steps are lines in a thinking block, and the turn is one message", async () => {
		const { run, message } = beginRun("inline");
		const writer = message();
		run.emit(
			text(1, "Testing."),
			tool(2, "running"),
			tool(2, "running", { output: "…" }),
			tool(2, "done", { exitCode: 1, startedAt: 0, endedAt: 2000 }),
			text(3, "It fails."),
		);
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer), ["Testing.", "(run npm test · exit 1 · 2 s)", "It fails."]);
	});

	test("a step that ends after others or after an answer is told again at its end", async () => {
		const { run, message } = beginRun("inline");
		const writer = message();
		const read = { kind: "read", name: "view_file", summary: "a.ts" } as const;
		run.emit(tool(1, "running"), tool(2, "running", read), tool(1, "running", { output: "…" }));
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer), ["(run npm test\nread a.ts)"]);
		run.emit(tool(2, "done", read), text(3, "Meanwhile"), tool(1, "done", { exitCode: 0 }), text(3, " it ran."));
		run.end();
		await turnOfTheLoop();
		const shown = ["(run npm test\nread a.ts · done)", "Meanwhile it ran.", "(run npm test · exit 0)"];
		assert.deepEqual(blocks(writer), shown);
	});

	for (const display of ["inline", "off"] as const) {
		test(`an answer needs no closing line although an older step ends after it: ${display}`, async () => {
			const { run, message } = beginRun(display);
			const writer = message();
			run.emit(text(1, "I start it."), tool(2, "running"), text(3, "It runs."), tool(2, "cancelled"));
			run.end();
			await turnOfTheLoop();
			assert.equal(writer.words, "I start it.It runs.");
		});
	}

	test("a command with stars is not taken for markup", async () => {
		const { run, message } = beginRun("inline");
		const writer = message();
		run.emit(tool(1, "running", { summary: "rm *.o *.a" }));
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer), ["(run rm \\*.o \\*.a)"]);
	});

	test("nothing of them is shown when they are off", async () => {
		const { run, message } = beginRun("off");
		const writer = message();
		run.emit(tool(2, "running"), tool(2, "done"), text(3, "Ready."));
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer), ["Ready."]);
	});
});

describe("rewrites across messages", () => {
	test("only what goes on from the earlier message is shown", async () => {
		const { run, message } = beginRun();
		message();
		run.emit(text(1, "Let me"), tool(2, "done"), generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		const writer = message();
		run.emit({ type: "rewrite", block: "text", step: at(1), text: "Let me look." }, text(3, "ok"));
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer), [" look.", "ok"]);
	});
});
