import type { AssistantMessage, ImageContent, Message, TextContent, ToolResultMessage } from "@earendil-works/pi-ai";

/** pi's transcript as far as it matters to a conversation with agy: what was said, by whom, in order. */
export type Entry = UserEntry | AnswerEntry | ForeignAnswerEntry | ToolResultEntry | CommandEntry | SummaryEntry;

/** Words of the user, or of an extension that speaks as the user: pi does not tell the two apart. */
export interface UserEntry {
	readonly kind: "user";
	readonly text: string;
	readonly images: readonly ImageContent[];
}

/** What agy answered in one turn, however many messages its cards split it into. */
export interface AnswerEntry {
	readonly kind: "answer";
	readonly text: string;
}

export interface ForeignAnswerEntry {
	readonly kind: "foreign-answer";
	/** `provider/model`. */
	readonly model: string;
	readonly text: string;
	readonly calls: readonly { readonly name: string; readonly args: string }[];
}

/** The result of a tool that another model called. */
export interface ToolResultEntry {
	readonly kind: "tool-result";
	readonly tool: string;
	readonly text: string;
	readonly images: readonly ImageContent[];
	readonly failed: boolean;
}

/** A shell command the user ran with `!`, and its output. */
export interface CommandEntry {
	readonly kind: "command";
	readonly text: string;
}

export interface SummaryEntry {
	readonly kind: "summary";
	readonly of: "compaction" | "branch";
	readonly text: string;
}

// pi's own wordings (pi 1.6.0 turns these entries into user messages before a provider sees them; it exports no marks).
const COMPACTION_PREFIX =
	"The conversation history before this point was compacted into the following summary:\n\n<summary>\n";
const BRANCH_PREFIX = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n";
const SUMMARY_SUFFIX = /\n?<\/summary>\s*$/;
const COMMAND_SHAPE = /^Ran `[\s\S]*?`\n(?:```\n|\(no output\))/;

/**
 * Reads pi's messages. Left out: system messages, thinking, messages that ended in `error` or `aborted` (pi leaves them
 * in), and what belongs to tools that agy itself called: cards and bridged tools are known to agy already.
 */
export function readTranscript(messages: readonly Message[], ourProvider: string): Entry[] {
	const entries: Entry[] = [];
	const ourCalls = new Set<string>();
	for (const message of messages) {
		switch (message.role) {
			case "system":
				break;
			case "user":
				entries.push(readUser(message.content));
				break;
			case "assistant":
				if (message.provider === ourProvider) {
					for (const part of message.content) if (part.type === "toolCall") ourCalls.add(part.id);
					addAnswer(entries, message);
				} else {
					addForeignAnswer(entries, message);
				}
				break;
			case "toolResult":
				if (!ourCalls.has(message.toolCallId)) entries.push(readToolResult(message));
				break;
			default:
				message satisfies never;
		}
	}
	return entries;
}

/** Whether the last thing in the transcript is the result of a tool that agy called: a live run should take it. */
export function endsWithOurToolResult(messages: readonly Message[], ourProvider: string): boolean {
	const last = messages.findLast((message) => message.role !== "system");
	if (last?.role !== "toolResult") return false;
	return messages.some(
		(message) =>
			message.role === "assistant" &&
			message.provider === ourProvider &&
			message.content.some((part) => part.type === "toolCall" && part.id === last.toolCallId),
	);
}

function readUser(content: string | readonly (TextContent | ImageContent)[]): Entry {
	const text = textOf(content);
	const images = imagesOf(content);
	if (text.startsWith(COMPACTION_PREFIX)) return summary("compaction", text.slice(COMPACTION_PREFIX.length));
	if (text.startsWith(BRANCH_PREFIX)) return summary("branch", text.slice(BRANCH_PREFIX.length));
	if (images.length === 0 && COMMAND_SHAPE.test(text)) return { kind: "command", text };
	return { kind: "user", text, images };
}

function summary(of: SummaryEntry["of"], text: string): SummaryEntry {
	return { kind: "summary", of, text: text.replace(SUMMARY_SUFFIX, "") };
}

function addAnswer(entries: Entry[], message: AssistantMessage): void {
	const text = endedBadly(message) ? "" : textOf(message.content);
	if (text.trim() === "") return;
	const last = entries.at(-1);
	if (last?.kind === "answer") entries[entries.length - 1] = { kind: "answer", text: `${last.text}\n\n${text}` };
	else entries.push({ kind: "answer", text });
}

function addForeignAnswer(entries: Entry[], message: AssistantMessage): void {
	if (endedBadly(message)) return;
	const text = textOf(message.content);
	const calls = message.content
		.filter((part) => part.type === "toolCall")
		.map((call) => ({ name: call.name, args: JSON.stringify(call.arguments) }));
	if (text.trim() === "" && calls.length === 0) return;
	entries.push({ kind: "foreign-answer", model: `${message.provider}/${message.model}`, text, calls });
}

function readToolResult(message: ToolResultMessage): ToolResultEntry {
	return {
		kind: "tool-result",
		tool: message.toolName,
		text: textOf(message.content),
		images: imagesOf(message.content),
		failed: message.isError,
	};
}

function endedBadly(message: AssistantMessage): boolean {
	return message.stopReason === "error" || message.stopReason === "aborted";
}

/** The text of a message, its parts on lines of their own. */
export function textOf(content: string | readonly { readonly type: string }[]): string {
	if (typeof content === "string") return content;
	return content
		.filter((part): part is TextContent => part.type === "text")
		.map((part) => part.text)
		.join("\n");
}

function imagesOf(content: string | readonly (TextContent | ImageContent)[]): ImageContent[] {
	return typeof content === "string" ? [] : content.filter((part) => part.type === "image");
}
