import type { Message, ToolResultMessage } from "@earendil-works/pi-ai";
import { PROVIDER_ID } from "../models/catalogue-model.ts";
import { CARD_TOOL } from "./step-card.ts";

/** What has happened in a pi transcript since the last assistant message. */
export interface TranscriptTail {
	/** Results that belong to agy: of the cards of its steps, and of pi's tools that it has called. */
	readonly ourResults: readonly ToolResultMessage[];
	/** Results of other tools: another model was in the middle of its work. */
	readonly otherResults: boolean;
	/** Something the user said or attached. */
	readonly userSpoke: boolean;
}

/** Reads what stands behind the last assistant message, which is what the next turn is about. */
export function readTail(messages: readonly Message[]): TranscriptTail {
	const last = messages.findLastIndex((message) => message.role === "assistant");
	const asked = messages[last];
	const isOurs = asked?.role === "assistant" && asked.provider === PROVIDER_ID;
	const tail = messages.slice(last + 1);
	const results = tail.filter((message) => message.role === "toolResult");
	return {
		ourResults: results.filter((result) => isOurs || result.toolName === CARD_TOOL),
		otherResults: !isOurs && results.some((result) => result.toolName !== CARD_TOOL),
		userSpoke: tail.some((message) => message.role === "user" && saysSomething(message.content)),
	};
}

function saysSomething(content: Extract<Message, { role: "user" }>["content"]): boolean {
	if (typeof content === "string") return content.trim() !== "";
	return content.some((part) => part.type === "image" || part.text.trim() !== "");
}
