import type {
	Api,
	AssistantMessage,
	AssistantMessageEvent,
	Model,
	TextContent,
	ThinkingContent,
	ToolCall,
} from "@earendil-works/pi-ai";
import type { StepRef, TokenUsage } from "../engine/events.ts";
import { noUsage, toPiUsage } from "./pi-usage.ts";
import { stepKey } from "./step-card.ts";

/** What the writer needs of pi's `AssistantMessageEventStream`. */
export interface MessageSink {
	push(event: AssistantMessageEvent): void;
	end(): void;
}

export type BlockKind = "text" | "thinking";

/** A line of our own. */
interface OwnLine {
	/** The step that it tells of. */
	readonly step: string | undefined;
	readonly text: string;
}

interface WrittenBlock {
	readonly kind: BlockKind;
	/** Undefined for lines of our own. */
	readonly step: string | undefined;
	/** The last line of our own in it. */
	lastLine: OwnLine | undefined;
	readonly index: number;
	readonly content: TextContent | ThinkingContent;
}

/**
 * Writes one assistant message into pi's stream: one `start`, blocks that open and close one after the other, one
 * `done` or `error`, then `end()`. After that every call is ignored, so no caller has to know whether it comes too late.
 */
export class MessageWriter {
	readonly message: AssistantMessage;
	readonly #sink: MessageSink;
	readonly #blocks: WrittenBlock[] = [];
	#open: WrittenBlock | undefined;
	#pendingLines: OwnLine[] = [];
	#started = false;
	#closed = false;

	/** `now` is in milliseconds since the epoch. */
	constructor(sink: MessageSink, model: Model<Api>, now: number) {
		this.#sink = sink;
		this.message = {
			role: "assistant",
			content: [],
			api: model.api,
			provider: model.provider,
			model: model.id,
			usage: noUsage(),
			stopReason: "pending",
			timestamp: now,
		};
	}

	get closed(): boolean {
		return this.#closed;
	}

	/** True until something a person can see was written. */
	get empty(): boolean {
		return this.message.content.length === 0;
	}

	start(): void {
		if (this.#started || this.#closed) return;
		this.#started = true;
		this.#push({ type: "start", partial: this.message });
	}

	/** Text or thinking of a step grew. */
	append(kind: BlockKind, step: StepRef, delta: string): void {
		if (delta === "" || this.#closed) return;
		const key = stepKey(step);
		if (this.#open?.kind !== kind || this.#open.step !== key) {
			this.#leaveBlock();
			this.#openBlock(kind, key);
		}
		this.#grow(delta);
	}

	/**
	 * The text of a step is now `text`, whatever was written of it. An open block grows if that is enough. Otherwise its
	 * content is replaced: pi has no event for that, so the block's end (or the finished message) carries the truth.
	 */
	rewrite(kind: BlockKind, step: StepRef, text: string): void {
		if (this.#closed) return;
		const key = stepKey(step);
		const written = this.#blocks.filter((block) => block.kind === kind && block.step === key);
		const current = written.map((block) => blockText(block.content)).join("");
		const last = written.at(-1);
		if (last === undefined || (last === this.#open && text.startsWith(current))) {
			this.append(kind, step, text.slice(current.length));
			return;
		}
		for (const block of written) setBlockText(block.content, block === last ? text : "");
		if (last === this.#open) this.#pushDelta(last, "");
	}

	/**
	 * A quiet line of our own, in a thinking block with those before it. Waits while a step's block is open, so that no answer
	 * is torn apart. A line about a `step` that begins like that step's earlier one continues it, if nothing follows that yet.
	 */
	line(text: string, step?: StepRef): void {
		if (text === "" || this.#closed) return;
		const line: OwnLine = { step: step && stepKey(step), text };
		const waiting = this.#pendingLines.at(-1);
		const written = this.#pendingLines.length === 0 ? this.#open?.lastLine : undefined;
		if (waiting !== undefined && continues(line, waiting)) {
			this.#pendingLines.splice(-1, 1, line);
		} else if (this.#open !== undefined && written !== undefined && continues(line, written)) {
			this.#open.lastLine = line;
			this.#grow(text.slice(written.text.length));
		} else {
			this.#pendingLines.push(line);
			if (this.#open?.step === undefined) this.#flushLines();
		}
	}

	/** No more text is expected for now: lines of our own need not wait any longer. */
	endBlock(): void {
		if (this.#closed || this.#open?.step === undefined) return;
		this.#closeBlock();
		this.#flushLines();
	}

	toolCall(call: ToolCall): void {
		if (this.#closed) return;
		this.#leaveBlock();
		this.start();
		const index = this.message.content.length;
		this.message.content.push(call);
		this.#push({ type: "toolcall_start", contentIndex: index, partial: this.message });
		const delta = JSON.stringify(call.arguments);
		this.#push({ type: "toolcall_delta", contentIndex: index, delta, partial: this.message });
		this.#push({ type: "toolcall_end", contentIndex: index, toolCall: call, partial: this.message });
	}

	/** The usage of the model call this message shows. A later call replaces an earlier one: pi must never see a sum. */
	usage(usage: TokenUsage, responseId?: string, responseModel?: string): void {
		if (this.#closed) return;
		this.message.usage = toPiUsage(usage);
		if (responseId !== undefined) this.message.responseId = responseId;
		if (responseModel !== undefined) this.message.responseModel = responseModel;
	}

	/** Ends the message well. */
	done(reason: "stop" | "toolUse"): void {
		if (!this.#finish(reason)) return;
		this.#push({ type: "done", reason, message: this.message });
		this.#end();
	}

	/** Ends the message with an error; what was written stays. */
	fail(errorMessage: string): void {
		this.#failAs("error", errorMessage);
	}

	/** Ends the message as aborted; what was written stays. */
	abort(errorMessage = "Request was aborted"): void {
		this.#failAs("aborted", errorMessage);
	}

	/** The answer's words in this message, in order, as agy's conversation has them (our own lines are thinking). */
	get words(): string {
		return this.message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
	}

	/** The text or thinking written for each step, for rewrites that come after the message. */
	*writtenSteps(): Iterable<{ readonly kind: BlockKind; readonly step: string; readonly text: string }> {
		for (const { kind, step, content } of this.#blocks) {
			if (step !== undefined) yield { kind, step, text: blockText(content) };
		}
	}

	#failAs(reason: "error" | "aborted", errorMessage: string): void {
		if (!this.#finish(reason)) return;
		this.message.errorMessage = errorMessage;
		this.#push({ type: "error", reason, error: this.message });
		this.#end();
	}

	#finish(reason: "stop" | "toolUse" | "error" | "aborted"): boolean {
		if (this.#closed) return false;
		this.start();
		this.#leaveBlock();
		this.message.stopReason = reason;
		return true;
	}

	#end(): void {
		this.#closed = true;
		this.#sink.end();
	}

	/** Closes what is open, with the lines that waited for it. */
	#leaveBlock(): void {
		if (this.#open?.step !== undefined) this.#closeBlock();
		this.#flushLines();
		this.#closeBlock();
	}

	/** Only called while no step's block is open. */
	#flushLines(): void {
		if (this.#pendingLines.length === 0) return;
		const lines = this.#pendingLines;
		this.#pendingLines = [];
		const open = this.#open ?? this.#openBlock("thinking", undefined);
		const text = lines.map((line) => line.text).join("\n");
		this.#grow(open.lastLine === undefined ? text : `\n${text}`);
		open.lastLine = lines.at(-1);
	}

	#openBlock(kind: BlockKind, step: string | undefined): WrittenBlock {
		this.start();
		const content: TextContent | ThinkingContent =
			kind === "text" ? { type: "text", text: "" } : { type: "thinking", thinking: "" };
		const index = this.message.content.length;
		this.message.content.push(content);
		const block: WrittenBlock = { kind, step, lastLine: undefined, index, content };
		this.#open = block;
		this.#blocks.push(block);
		this.#push({ type: `${kind}_start`, contentIndex: index, partial: this.message });
		return block;
	}

	#grow(delta: string): void {
		const block = this.#open;
		if (block === undefined || delta === "") return;
		setBlockText(block.content, blockText(block.content) + delta);
		this.#pushDelta(block, delta);
	}

	#pushDelta(block: WrittenBlock, delta: string): void {
		this.#push({ type: `${block.kind}_delta`, contentIndex: block.index, delta, partial: this.message });
	}

	#closeBlock(): void {
		const block = this.#open;
		if (block === undefined) return;
		this.#open = undefined;
		const content = blockText(block.content);
		this.#push({ type: `${block.kind}_end`, contentIndex: block.index, content, partial: this.message });
	}

	#push(event: AssistantMessageEvent): void {
		this.#sink.push(event);
	}
}

function continues(line: OwnLine, earlier: OwnLine): boolean {
	return line.step !== undefined && line.step === earlier.step && line.text.startsWith(earlier.text);
}

function blockText(content: TextContent | ThinkingContent): string {
	return content.type === "text" ? content.text : content.thinking;
}

function setBlockText(content: TextContent | ThinkingContent, text: string): void {
	if (content.type === "text") content.text = text;
	else content.thinking = text;
}
