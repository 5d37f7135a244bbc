import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject } from "../engine/json.ts";
import type { CallResult, Reply } from "./parked-calls.ts";

/** Pure: what is sent to agy for a reply. `waitName` is the name of the tool that waits. */
export function mcpAnswer(reply: Reply, waitName: string): CallToolResult {
	switch (reply.kind) {
		case "result":
			return fromPi(reply.result);
		case "still-running":
			return textAnswer(
				`${reply.tool} is still running. Its handle is "${reply.handle}". Call the tool "${waitName}" of this server with that handle to get the result; do not call ${reply.tool} again for it.`,
			);
		case "too-long":
			return textAnswer(
				`${reply.tool} is still running after the longest time one can wait for it. Do not wait any longer; its result will come with the user's next message.`,
			);
		case "unknown-handle":
			return errorAnswer(`There is no tool running with the handle "${reply.handle}".`);
		case "cancelled":
			return errorAnswer("Cancelled: the user stopped this turn.");
	}
}

/** A call that is answered without pi. */
export function errorAnswer(text: string): CallToolResult {
	return { ...textAnswer(text), isError: true };
}

function textAnswer(text: string): CallToolResult {
	return { content: [{ type: "text", text }] };
}

function fromPi({ content, structuredContent, isError }: CallResult): CallToolResult {
	const parts: CallToolResult["content"] = content.map((part) =>
		part.type === "text"
			? { type: "text", text: part.text }
			: { type: "image", data: part.data, mimeType: part.mimeType },
	);
	// A client that knows nothing of structured content reads the text.
	if (parts.length === 0 && structuredContent !== undefined) {
		parts.push({ type: "text", text: JSON.stringify(structuredContent) });
	}
	return {
		content: parts,
		// MCP knows only objects here.
		...(isJsonObject(structuredContent) && { structuredContent: { ...structuredContent } }),
		...(isError && { isError: true }),
	};
}
