import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ToolEvent } from "../../../src/engine/events.ts";
import {
	emptyMessage,
	isEnding,
	type MessageState,
	placeItem,
	type StepDisplay,
} from "../../../src/provider/message-boundary.ts";
import type { BridgeCall, LateEnd, RunItem } from "../../../src/provider/run-item.ts";
import { StepCard } from "../../../src/provider/step-card.ts";
import { at, generation, text, thinking, tool, usage } from "../../support/fake-engine.ts";

/** What `placeItem` says, in a word: an item that is the message's last one completes it. */
type Verdict = "this" | "completes" | "next";

interface Case {
	readonly name: string;
	readonly display?: StepDisplay;
	/** The items the message has taken already. */
	readonly holds: readonly RunItem[];
	readonly item: RunItem;
	readonly isBlank?: boolean;
	readonly verdict: Verdict;
}

const end: RunItem = {
	type: "end",
	outcome: { kind: "answered" },
	progress: { lastStep: 3, promptSeen: true, toolsRan: true, textSeen: true },
};
const notice: RunItem = { type: "notice", level: "info", code: "other", text: "!", step: at(9) };
const lateEnd: LateEnd = { type: "late-end", card: new StepCard("agy_0", tool(0, "done")) };

function call(id: string): BridgeCall {
	return { type: "bridge-call", call: { id, tool: "search", args: {} } };
}

function rewrite(index: number): RunItem {
	return { type: "rewrite", block: "text", step: at(index), text: "new" };
}

function elsewhere(step: ToolEvent): ToolEvent {
	return { ...step, step: { ...step.step, trajectory: "t2" } };
}

function messageOf(items: readonly RunItem[], display: StepDisplay = "cards"): MessageState {
	return items.reduce<MessageState>((message, item) => {
		const placement = placeItem(message, item, false);
		assert.equal(placement.kind, "this", "the table's message holds only what belongs to it");
		return placement.kind === "this" ? placement.state : message;
	}, emptyMessage(display));
}

function check(cases: readonly Case[]): void {
	for (const { name, display, holds, item, isBlank = false, verdict } of cases) {
		test(name, () => {
			const placement = placeItem(messageOf(holds, display), item, isBlank);
			const said = placement.kind === "next" ? "next" : placement.isComplete ? "completes" : "this";
			assert.equal(said, verdict);
		});
	}
}

describe("while a message has neither cards nor calls, all belongs to it:", () => {
	check([
		{ name: "words", holds: [], item: text(1, "hi"), verdict: "this" },
		{ name: "words of a later model call", holds: [text(1, "hi")], item: text(3, "again"), verdict: "this" },
		{ name: "a model call without tools", holds: [text(1, "hi")], item: generation(1, "done", []), verdict: "this" },
		{ name: "the run's end", holds: [text(1, "hi")], item: end, verdict: "this" },
		{ name: "the first step", holds: [text(1, "hi")], item: tool(2, "running"), verdict: "this" },
		{ name: "a call of a pi tool", holds: [text(1, "hi")], item: call("a"), verdict: "this" },
		{ name: "steps that are lines", display: "inline", holds: [tool(2, "done")], item: text(3, "so"), verdict: "this" },
		{ name: "the end after hidden steps", display: "off", holds: [tool(2, "done")], item: end, verdict: "this" },
	]);
});

describe("a message with a card", () => {
	const holds = [text(1, "I look."), tool(2, "running")];
	check([
		{ name: "takes what its model call still says", holds, item: text(1, "…"), verdict: "this" },
		{ name: "takes the usage of its model call", holds, item: usage(1, { input: 1 }), verdict: "this" },
		{ name: "takes a rewrite of what came before", holds, item: rewrite(1), verdict: "this" },
		{ name: "takes further steps", holds, item: tool(3, "running"), verdict: "this" },
		{ name: "takes notices, whatever step they are about", holds, item: notice, verdict: "this" },
		{ name: "takes late ends", holds, item: lateEnd, verdict: "this" },
		{ name: "does not take later words", holds, item: text(3, "Well."), verdict: "next" },
		{ name: "does not take later thinking", holds, item: thinking(3, "Well."), verdict: "next" },
		{ name: "does not take a later rewrite", holds, item: rewrite(3), verdict: "next" },
		{ name: "does not take a later model call's beginning", holds, item: generation(3, "started"), verdict: "next" },
		{ name: "does not take a later model call's usage", holds, item: usage(3, { input: 1 }), verdict: "next" },
		{ name: "does not take the run's end", holds, item: end, verdict: "next" },
		{
			name: "does not take words of a rewound place",
			holds: [elsewhere(tool(7, "done"))],
			item: text(3, "x"),
			verdict: "next",
		},
	]);
});

describe("a message with a card is complete", () => {
	const asked2 = generation(1, "done", ["a", "b"]);
	check([
		{
			name: "with its model call, when all its steps came before",
			holds: [tool(2, "done"), tool(3, "running")],
			item: asked2,
			verdict: "completes",
		},
		{
			name: "with its last step, when its model call came before",
			holds: [asked2, tool(2, "done")],
			item: tool(3, "running"),
			verdict: "completes",
		},
		{
			name: "with more steps than were asked for",
			holds: [tool(2, "done"), tool(3, "done"), tool(4, "done")],
			item: asked2,
			verdict: "completes",
		},
		{ name: "not while a step is missing", holds: [tool(2, "done")], item: asked2, verdict: "this" },
		{
			name: "not by the same step told twice",
			holds: [asked2, tool(2, "running")],
			item: tool(2, "done"),
			verdict: "this",
		},
		{
			name: "not by a failed model call",
			holds: [tool(2, "done"), tool(3, "done")],
			item: generation(1, "failed", ["a", "b"]),
			verdict: "this",
		},
		{
			name: "not by a model call without tools",
			holds: [generation(1, "done", [])],
			item: tool(3, "done"),
			verdict: "this",
		},
		{
			name: "not by a model call before a rewind",
			holds: [generation(1, "done", ["a"])],
			item: elsewhere(tool(2, "done")),
			verdict: "this",
		},
	]);
});

describe("a message with calls of pi's tools", () => {
	const asked2 = generation(1, "done", ["a", "b"]);
	check([
		{
			name: "is complete when each call that was asked for is here",
			holds: [call("a"), call("b")],
			item: asked2,
			verdict: "completes",
		},
		{
			name: "counts agy's own steps as well",
			holds: [asked2, call("a")],
			item: tool(3, "running"),
			verdict: "completes",
		},
		{
			name: "counts them also when they are not shown",
			display: "off",
			holds: [asked2, call("a")],
			item: tool(3, "running"),
			verdict: "completes",
		},
		{ name: "waits for one that is missing", holds: [call("a")], item: asked2, verdict: "this" },
		{
			name: "waits when there are too many: one may belong to the next model call",
			holds: [call("a"), call("b"), call("c")],
			item: asked2,
			verdict: "this",
		},
		{
			name: "takes words: a call tells no step they could come after",
			holds: [call("a")],
			item: text(9, "x"),
			verdict: "this",
		},
		{ name: "does not take the run's end", holds: [call("a")], item: end, verdict: "next" },
	]);
});

describe("the late end of a step", () => {
	check([
		{
			name: "is a message of its own where nothing was said yet",
			holds: [],
			item: lateEnd,
			isBlank: true,
			verdict: "completes",
		},
		{ name: "waits where an answer is being written", holds: [text(3, "Well")], item: lateEnd, verdict: "this" },
		{
			name: "is a line where there are no cards",
			display: "inline",
			holds: [],
			item: lateEnd,
			isBlank: true,
			verdict: "this",
		},
		{
			name: "that waits lets the answer go on",
			holds: [text(3, "Well"), lateEnd],
			item: text(3, ", yes"),
			verdict: "this",
		},
		{
			name: "that waits ends the message before another model call",
			holds: [text(3, "Well"), lateEnd],
			item: generation(5, "started"),
			verdict: "next",
		},
		{
			name: "that waits does not hold back the run's end",
			holds: [text(3, "Well"), lateEnd],
			item: end,
			verdict: "this",
		},
	]);

	test("joins the cards of a message that is ending, and is kept apart from an answer", () => {
		const ending = messageOf([tool(2, "running"), lateEnd]);
		assert.deepEqual([ending.cards.length, ending.heldEnds.length], [2, 0]);
		const answering = messageOf([text(3, "Well"), lateEnd]);
		assert.deepEqual([answering.cards.length, answering.heldEnds.length], [0, 1]);
		assert.equal(isEnding(answering), false);
	});
});

test("a decision leaves the message it was asked about as it was", () => {
	const message = messageOf([tool(2, "running"), call("a")]);
	const before = structuredClone({ ...message });
	for (const item of [tool(3, "running"), call("b"), lateEnd, generation(1, "done", ["a", "b"]), end])
		placeItem(message, item, false);
	assert.deepEqual({ ...message }, before);
});
