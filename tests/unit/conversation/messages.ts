import {
	type AssistantMessage,
	type ImageContent,
	type Message,
	normalizeContext,
	type StopReason,
	type TranscriptContext,
} from "@earendil-works/pi-ai";

const usage: AssistantMessage["usage"] = {
	input: 0,
	output: 0,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 0,
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export const pixel: ImageContent = {
	type: "image",
	mimeType: "image/png",
	data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

export function user(text: string, ...images: ImageContent[]): Message {
	return { role: "user", content: [{ type: "text", text }, ...images], timestamp: 1 };
}

/** A message of agy's; `cards` are ids of tool calls at its end. */
export function ours(text: string, options: { cards?: string[]; stop?: StopReason } = {}): Message {
	const { cards = [], stop = cards.length > 0 ? "toolUse" : "stop" } = options;
	return assistant("antigravity", "gemini-3.8-flash", text, cards, stop);
}

/** A message of another model; `calls` are ids of its calls of `bash`. */
export function theirs(text: string, options: { calls?: string[]; stop?: StopReason } = {}): Message {
	const { calls = [], stop = calls.length > 0 ? "toolUse" : "stop" } = options;
	return assistant("faux", "faux-1", text, calls, stop);
}

function assistant(provider: string, model: string, text: string, calls: string[], stopReason: StopReason): Message {
	return {
		role: "assistant",
		api: provider,
		provider,
		model,
		usage,
		stopReason,
		timestamp: 1,
		content: [
			{ type: "thinking", thinking: "hm" },
			...(text === "" ? [] : [{ type: "text" as const, text }]),
			...calls.map((id) => ({ type: "toolCall" as const, id, name: "bash", arguments: { command: "ls" } })),
		],
	};
}

export function result(toolCallId: string, text: string): Message {
	return {
		role: "toolResult",
		toolCallId,
		toolName: "bash",
		content: [{ type: "text", text }],
		isError: false,
		timestamp: 1,
	};
}

/** As pi 1.6.0 renders what the user ran with `!`. */
export function command(line: string, output: string): Message {
	return user(`Ran \`${line}\`\n${output === "" ? "(no output)" : `\`\`\`\n${output}\n\`\`\``}`);
}

export function compaction(summary: string): Message {
	return user(
		`The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`,
	);
}

export function branchSummary(summary: string): Message {
	return user(
		`The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${summary}</summary>`,
	);
}

export function system(sections: Record<string, string | null>, content = ""): Message {
	return { role: "system", content, sections, timestamp: 0 };
}

export function context(...messages: Message[]): TranscriptContext {
	return normalizeContext({ messages });
}
