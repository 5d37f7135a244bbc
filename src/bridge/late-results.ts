import type { Message, ToolResultMessage } from "@earendil-works/pi-ai";
import { clipMiddle } from "../conversation/clip.ts";
import type { PiCall } from "./parked-calls.ts";

/** Largest part of the prompt that one late result takes, in bytes. */
const MAX_RESULT_BYTES = 8_000;

/**
 * Pure: what agy is told, at the beginning of its next prompt, of results it had called for and not waited for. Empty when
 * pi's transcript holds none of them.
 */
export function lateResultsText(calls: readonly PiCall[], messages: readonly Message[]): string {
	const results = new Map<string, ToolResultMessage>();
	for (const message of messages) if (message.role === "toolResult") results.set(message.toolCallId, message);
	const parts = calls.flatMap((call) => {
		const result = results.get(call.id);
		return result === undefined ? [] : [describe(call, result)];
	});
	if (parts.length === 0) return "";
	return `<late-tool-results>\nResults of tools you called in an earlier turn, which came after it was over. Do not call them again for these.\n${parts.join("\n")}\n</late-tool-results>\n\n`;
}

function describe({ tool, args }: PiCall, { content, isError }: ToolResultMessage): string {
	const text = content.map((part) => (part.type === "text" ? part.text : "[an image]")).join("\n");
	const heading = `${tool} ${clipMiddle(JSON.stringify(args), 500)}${isError ? " failed" : ""}:`;
	return `\n${heading}\n${clipMiddle(text, MAX_RESULT_BYTES)}`;
}
