import type { Message, ToolResultMessage } from "@earendil-works/pi-ai";
import { clipMiddle } from "../conversation/clip.ts";
import type { PiCall } from "./parked-calls.ts";

/** Largest part of the prompt that one late result takes, in bytes. */
const MAX_RESULT_BYTES = 8_000;
/** Largest part of a call's arguments that is told, in bytes. */
const MAX_ARGS_BYTES = 300;
/** Largest prompt with late results, in bytes: agy dropped prompts without a word from about 25 KB on (reported by users). */
const MAX_PROMPT_BYTES = 24_000;
/** At least so much is told of each result, in bytes, however long the prompt is. */
const MIN_RESULT_BYTES = 200;

/**
 * Pure: `prompt`, and before it what agy had called for in an earlier turn and not waited for, as far as pi's transcript holds
 * the results. They share the room that the prompt leaves.
 */
export function withLateResults(prompt: string, calls: readonly PiCall[], messages: readonly Message[]): string {
	const results = new Map<string, ToolResultMessage>();
	for (const message of messages) if (message.role === "toolResult") results.set(message.toolCallId, message);
	const late = calls.flatMap((call) => {
		const result = results.get(call.id);
		return result === undefined ? [] : [{ call, result }];
	});
	if (late.length === 0) return prompt;
	const room = (MAX_PROMPT_BYTES - Buffer.byteLength(prompt)) / late.length - MAX_ARGS_BYTES;
	const resultBytes = Math.floor(Math.min(MAX_RESULT_BYTES, Math.max(MIN_RESULT_BYTES, room)));
	const parts = late.map(({ call, result }) => describe(call, result, resultBytes));
	return `<late-tool-results>\nResults of tools you called in an earlier turn, which came after it was over. Do not call them again for these.\n${parts.join("\n")}\n</late-tool-results>\n\n${prompt}`;
}

function describe({ tool, args }: PiCall, { content, isError }: ToolResultMessage, maxBytes: number): string {
	const text = content.map((part) => (part.type === "text" ? part.text : "[an image]")).join("\n");
	const heading = `${tool} ${clipMiddle(JSON.stringify(args), MAX_ARGS_BYTES)}${isError ? " failed" : ""}:`;
	return `\n${heading}\n${clipMiddle(text, maxBytes)}`;
}
