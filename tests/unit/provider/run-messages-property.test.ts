import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import fc from "fast-check";
import type { AgyEvent, ToolState } from "../../../src/engine/events.ts";
import type { MessageWriter } from "../../../src/provider/message-writer.ts";
import { generation, text, tool, usage } from "../../support/fake-engine.ts";
import { beginRun, blocks, callIds } from "./begin-run.ts";
import { checkStream, collect } from "./stream-check.ts";

/** One model call: what it says, how its steps begin, and which steps of those before end meanwhile. */
interface ModelCall {
	readonly words: number;
	readonly steps: readonly ToolState[];
	/** The steps of the model call stand before (true) or after the news that it is done. */
	readonly stepsFirst: boolean;
	readonly ends: number;
}

const modelCall: fc.Arbitrary<ModelCall> = fc.record({
	words: fc.integer({ min: 0, max: 3 }),
	steps: fc.array(fc.constantFrom<ToolState>("waiting", "running", "background", "done"), { maxLength: 3 }),
	stepsFirst: fc.boolean(),
	ends: fc.integer({ min: 0, max: 2 }),
});

/** A run as agy writes it: each word and each summary occurs once. */
function eventsOf(modelCalls: readonly ModelCall[]): AgyEvent[] {
	const events: AgyEvent[] = [];
	const open: number[] = [];
	let index = 0;
	for (const { words, steps, stepsFirst, ends } of modelCalls) {
		const place = ++index;
		events.push(generation(place, "started"));
		for (let word = 0; word < words; word++) events.push(text(place, `w${place}.${word} `));
		for (const step of open.splice(0, ends)) events.push(tool(step, "done", { summary: `s${step}` }));
		const begun = steps.map((state) => tool(++index, state, { summary: `s${index}` }));
		for (const { step, state } of begun) if (state !== "done") open.push(step.index);
		const ids = begun.map(({ callId }) => callId);
		const done = [usage(place, { input: place }), generation(place, "done", ids)];
		events.push(...(stepsFirst ? [...begun, ...done] : [...done, ...begun]));
	}
	return events;
}

/** The messages that pi gets when it comes back at once: events are told one by one, or all of them have waited. */
async function messagesOf(events: readonly AgyEvent[], told: "one by one" | "waiting") {
	const { run, live, message } = beginRun();
	const streams: ReturnType<typeof createAssistantMessageEventStream>[] = [];
	const writers: MessageWriter[] = [];
	const comeBack = () => {
		while (live.state === "parked") {
			const stream = createAssistantMessageEventStream();
			streams.push(stream);
			writers.push(message(stream));
		}
	};
	if (told === "one by one") {
		for (const event of events) {
			comeBack();
			run.emit(event);
			await turnOfTheLoop();
		}
	} else {
		run.emit(...events);
	}
	run.end();
	await turnOfTheLoop();
	comeBack();
	for (const stream of streams) checkStream(await collect(stream));
	return writers;
}

test("what waited makes the same messages as what is seen as it comes, and nothing is lost or told twice", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(modelCall, { minLength: 1, maxLength: 5 }), async (modelCalls) => {
			const events = eventsOf(modelCalls);
			const live = await messagesOf(events, "one by one");
			const waited = await messagesOf(events, "waiting");
			assert.deepEqual(waited.map(blocks), live.map(blocks));
			const words = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
			assert.equal(told(live).replace(/agy ended without further words.*$/, ""), words);
			const steps = events.flatMap((event) => (event.type === "tool" ? [event.step.index] : []));
			const firstCards = live.flatMap(callIds).filter((id) => !id.endsWith("_end"));
			assert.deepEqual(
				firstCards.map((id) => Number(id.split("_")[1])),
				[...new Set(steps)],
			);
		}),
		{ numRuns: 100 },
	);
});

function told(writers: readonly MessageWriter[]): string {
	return writers.map(({ words }) => words).join("");
}
