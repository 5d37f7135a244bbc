import type { PiCall } from "../bridge/parked-calls.ts";
import type { ActivityEvent, AgyEvent, ConversationEvent, SubagentEvent, TitleEvent } from "../engine/events.ts";
import type { StepCard } from "./step-card.ts";

/** What messages are made of: what agy says and does, and calls of pi's tools. */
export type RunItem =
	| Exclude<AgyEvent, ConversationEvent | TitleEvent | ActivityEvent | SubagentEvent>
	| LateEnd
	| BridgeCall;

/** The end of a step whose card had let go of it. */
export interface LateEnd {
	readonly type: "late-end";
	/** The step's first card. */
	readonly card: StepCard;
}

/** agy has called a tool of pi. */
export interface BridgeCall {
	readonly type: "bridge-call";
	readonly call: PiCall;
}

/** True for an item that shows agy doing something after the steps of the message that is over. */
export function movesOn(item: RunItem): boolean {
	switch (item.type) {
		case "text":
		case "thinking":
		case "rewrite":
		case "tool":
		case "bridge-call":
		case "end":
			return true;
		case "generation":
			return item.state === "started";
		case "usage":
		case "notice":
		case "late-end":
			return false;
	}
}
