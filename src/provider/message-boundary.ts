import type { PiCall } from "../bridge/parked-calls.ts";
import type { StepRef, ToolEvent } from "../engine/events.ts";
import type { LateEnd, RunItem } from "./run-item.ts";
import { isAfter, stepKey } from "./step-card.ts";

/** How agy's steps appear: see the setting `display`. */
export type StepDisplay = "cards" | "inline" | "off";

/** An assistant message, as far as it decides where the message ends. */
export interface MessageState {
	readonly display: StepDisplay;
	/** What it ends with as cards: its steps, and late ends of earlier ones. */
	readonly cards: readonly (ToolEvent | LateEnd)[];
	/** The calls of pi's tools it ends with. pi runs them whatever the display is: agy waits for the results. */
	readonly calls: readonly PiCall[];
	/** Late ends that came while an answer was being written: cards if agy goes on after it, else lines. */
	readonly heldEnds: readonly LateEnd[];
	/** Every step of agy that belongs to it, shown or not. */
	readonly steps: readonly StepRef[];
	/** The last model call that is done, and how many tools it asked for. */
	readonly modelCall: { readonly step: StepRef; readonly toolCalls: number } | undefined;
}

/** Where an item belongs. */
export type Placement =
	/** To the next message: this one ends with its tool calls. Should none of them be left, the item is to be placed again. */
	| { readonly kind: "next" }
	/** To this message, which is `state` with it. When that is complete it ends with its tool calls, and need not wait. */
	| { readonly kind: "this"; readonly state: MessageState; readonly isComplete: boolean };

export function emptyMessage(display: StepDisplay): MessageState {
	return { display, cards: [], calls: [], heldEnds: [], steps: [], modelCall: undefined };
}

/**
 * Decides which message of a run an item belongs to. A message ends with the steps its model call asked for when those are
 * cards, and with calls of pi's tools; otherwise it goes on to the end of the run. `isBlank`: nothing that a person can see
 * was written yet.
 */
export function placeItem(message: MessageState, item: RunItem, isBlank: boolean): Placement {
	if (belongsToNext(message, item)) return { kind: "next" };
	const state = withItem(message, item, isBlank);
	return { kind: "this", state, isComplete: isComplete(state) };
}

/** The message has what it will end with, and only waits for what belongs to that. */
export function isEnding({ cards, calls }: MessageState): boolean {
	return cards.length > 0 || calls.length > 0;
}

function belongsToNext(message: MessageState, item: RunItem): boolean {
	// Another model call begins: time for the late ends that waited for the last one's words.
	if (message.heldEnds.length > 0 && item.type === "generation" && item.state === "started") return true;
	if (!isEnding(message)) return false;
	switch (item.type) {
		case "end":
			return true;
		case "text":
		case "thinking":
		case "rewrite":
		case "generation":
		case "usage": {
			const first = firstStep(message);
			if (first === undefined) return false;
			return item.step.trajectory !== first.trajectory || isAfter(item.step, first);
		}
		case "tool":
		case "notice":
		case "late-end":
		case "bridge-call":
			return false;
	}
}

function withItem(message: MessageState, item: RunItem, isBlank: boolean): MessageState {
	const { display, cards, calls, heldEnds, steps } = message;
	switch (item.type) {
		case "tool": {
			const isKnown = steps.some((step) => stepKey(step) === stepKey(item.step));
			if (isKnown) return message;
			return { ...message, steps: [...steps, item.step], cards: display === "cards" ? [...cards, item] : cards };
		}
		case "bridge-call":
			return { ...message, calls: [...calls, item.call] };
		case "late-end":
			if (display !== "cards") return message;
			if (cards.length > 0 || isBlank) return { ...message, cards: [...cards, item] };
			return { ...message, heldEnds: [...heldEnds, item] };
		case "generation":
			if (item.state !== "done") return message;
			return { ...message, modelCall: { step: item.step, toolCalls: item.toolCallIds?.length ?? 0 } };
		case "text":
		case "thinking":
		case "rewrite":
		case "usage":
		case "notice":
		case "end":
			return message;
	}
}

/** The model call is done and everything it asked for is here. */
function isComplete(message: MessageState): boolean {
	const { cards, calls, steps, modelCall } = message;
	if (!isEnding(message)) return false;
	const first = firstStep(message);
	// A late end that opens a message was asked for by no model call of it.
	if (cards.length > 0 && first === undefined) return true;
	if (modelCall === undefined || modelCall.toolCalls === 0) return false;
	if (first !== undefined && !isAfter(first, modelCall.step)) return false;
	const here = steps.filter((step) => step.index > modelCall.step.index).length + calls.length;
	// A call of pi's tools tells no step: with too many, some may belong to a model call that is not here yet.
	return here === modelCall.toolCalls || (here > modelCall.toolCalls && calls.length === 0);
}

/** The first step that is a card. */
function firstStep({ cards }: MessageState): StepRef | undefined {
	return cards.find((shown) => shown.type === "tool")?.step;
}
