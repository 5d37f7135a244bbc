import type { Message, ToolResultMessage } from "@earendil-works/pi-ai";
import { CARD_TOOL } from "./step-card.ts";

/** What has happened in a pi transcript since the last assistant message. */
export interface TranscriptTail {
	/** Results of our own cards. */
	readonly cardResults: readonly ToolResultMessage[];
	/** Results of other tools: another model was in the middle of its work. */
	readonly otherResults: boolean;
	/** Something the user said or attached. */
	readonly userSpoke: boolean;
}

export function readTail(messages: readonly Message[]): TranscriptTail {
	const tail = messages.slice(messages.findLastIndex((message) => message.role === "assistant") + 1);
	const results = tail.filter((message) => message.role === "toolResult");
	return {
		cardResults: results.filter((result) => result.toolName === CARD_TOOL),
		otherResults: results.some((result) => result.toolName !== CARD_TOOL),
		userSpoke: tail.some((message) => message.role === "user" && saysSomething(message.content)),
	};
}

function saysSomething(content: Extract<Message, { role: "user" }>["content"]): boolean {
	if (typeof content === "string") return content.trim() !== "";
	return content.some((part) => part.type === "image" || part.text.trim() !== "");
}
