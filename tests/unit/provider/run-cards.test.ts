import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { generation, text, tool, usage } from "../../support/fake-engine.ts";
import { beginRun, blocks, callIds } from "./begin-run.ts";

describe("a card", () => {
	async function withCard() {
		const begun = beginRun();
		const writer = begun.message();
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
		assert.deepEqual(blocks(second), ["Meanwhile, ", "[command: ls]"]);
		run.emit(tool(2, "done", { exitCode: 0 }));
		await turnOfTheLoop();
		const third = message();
		assert.deepEqual(blocks(third), ["[command: npm test]"]);
		assert.equal(third.message.stopReason, "toolUse");
		const fourth = message();
		run.emit(text(5, "Done."));
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(fourth), ["Done."]);
	});

	test("lets go in time also when agy speaks without a pause", async () => {
		const { run, card, clock } = await withCard();
		for (const word of ["Meanwhile ", "I ", "write "]) {
			run.emit(text(3, word));
			await turnOfTheLoop();
			clock.advance(75);
		}
		assert.equal(card.end, "background");
	});

	test("that pi comes back to does not let go of the next message's cards early", async () => {
		const { run, clock, live, message } = await withCard();
		run.emit(text(3, "So"));
		await turnOfTheLoop();
		clock.advance(149);
		const writer = message();
		run.emit(tool(4, "running"), generation(3, "done", ["call-4"]));
		await turnOfTheLoop();
		const [id = ""] = callIds(writer);
		clock.advance(149);
		assert.equal(live.card(id)?.end, undefined);
		run.emit(text(5, "And"));
		await turnOfTheLoop();
		clock.advance(149);
		assert.equal(live.card(id)?.end, undefined);
		clock.advance(1);
		assert.equal(live.card(id)?.end, "background");
	});

	test("does not let go when the end of its step is just behind", async () => {
		const { run, card, clock } = await withCard();
		run.emit(text(3, "Then"), tool(2, "done"));
		await turnOfTheLoop();
		clock.advance(1000);
		assert.equal(card.end, "finished");
	});

	test("learns what came while its message was still open", async () => {
		const { run, message, clock, live } = beginRun();
		const writer = message();
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
		const writer = message();
		run.emit(tool(2, "done", { exitCode: 0, output: "1\n2\n3\n4\n5\n6\n" }), text(3, " is 4."));
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer), [
			"The answer is 4.",
			"(finished in the background: run npm test · exit 0\n2\n3\n4\n5\n6)",
		]);
	});

	test("of a step that ends while an answer is written is a card once agy goes on after that answer", async () => {
		const { run, clock, message } = await withCard();
		run.emit(text(3, "It runs."));
		await turnOfTheLoop();
		clock.advance(150);
		const writer = message();
		run.emit(tool(2, "done", { exitCode: 0 }), usage(3, { input: 3 }), generation(3, "done", []));
		await turnOfTheLoop();
		assert.equal(writer.closed, false);
		run.emit(generation(5, "started"), text(5, "It has ended."));
		await turnOfTheLoop();
		assert.deepEqual(blocks(writer), ["It runs.", "[command: npm test]"]);
		assert.equal(writer.message.usage.input, 3);
		const next = message();
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(blocks(next), ["It has ended."]);
	});

	test("of a step that ends while a message with cards is ending stands among them", async () => {
		const { run, clock, message } = await withCard();
		run.emit(text(3, "Meanwhile."));
		await turnOfTheLoop();
		clock.advance(150);
		const writer = message();
		run.emit(tool(4, "running", { summary: "ls" }), tool(2, "done"));
		await turnOfTheLoop();
		assert.equal(writer.closed, false);
		clock.advance(200);
		assert.deepEqual(blocks(writer), ["Meanwhile.", "[command: ls]", "[command: npm test]"]);
	});

	test("learns at once what waited behind its step", async () => {
		const { run, live, message } = beginRun();
		run.emit(tool(2, "running"), text(3, "Hm."), tool(2, "done", { output: "12" }));
		await turnOfTheLoop();
		const [id = ""] = callIds(message());
		assert.deepEqual([live.card(id)?.end, live.card(id)?.step.output], ["finished", "12"]);
		assert.deepEqual(blocks(message()), ["Hm."], "and the next message does not tell it again");
	});

	test("of a step whose beginning and late end both waited is followed by the second card", async () => {
		const { run, message } = beginRun();
		run.emit(tool(2, "background"), tool(2, "done", { exitCode: 0 }), text(3, "Done."));
		await turnOfTheLoop();
		const first = message();
		assert.deepEqual(blocks(first), ["[command: npm test]", "[command: npm test]"]);
		assert.deepEqual(
			callIds(first).map((id) => id.endsWith("_end")),
			[false, true],
		);
		assert.deepEqual(blocks(message()), ["Done."]);
	});

	test("that let go has its late end at its place among what waits", async () => {
		const { run, clock, message } = await withCard();
		run.emit(generation(3, "started"));
		await turnOfTheLoop();
		clock.advance(150);
		run.emit(tool(2, "done", { exitCode: 0 }), text(3, "It has ended."));
		await turnOfTheLoop();
		assert.deepEqual(blocks(message()), ["[command: npm test]"]);
		assert.deepEqual(blocks(message()), ["It has ended."]);
	});
});
