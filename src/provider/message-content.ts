import type { Clock } from "../engine/clock.ts";
import type { EndEvent, NoticeEvent, RewriteEvent, StepRef, ToolEvent } from "../engine/events.ts";
import { isEndState } from "../engine/tool-state.ts";
import { plainInMarkdown } from "../words/markdown.ts";
import { lastLines } from "../words/printable.ts";
import { stepOutcome, stepTitle } from "../words/step-title.ts";
import { failureText } from "./failure-text.ts";
import type { StepDisplay } from "./message-boundary.ts";
import type { MessageWriter } from "./message-writer.ts";
import type { LateEnd, RunItem } from "./run-item.ts";
import type { RunWords } from "./run-words.ts";
import { isAfter, stepKey } from "./step-card.ts";

/** An assistant message of pi that is to be written and ended. */
export interface NextMessage {
	readonly writer: MessageWriter;
	readonly display: StepDisplay;
	/** Absolute. */
	readonly cwd: string;
	/** A turn must say something; a throw-away call without words has failed. */
	readonly closingLine: boolean;
}

/** Writes what an assistant message says of a run's items. Its tool calls are not written here. */
export class MessageContent {
	readonly #message: NextMessage;
	readonly #clock: Clock;
	readonly #before: RunWords;
	readonly #linedSteps = new Set<string>();
	/** Where the last words were said that no step has followed. */
	#lastWords: StepRef | undefined;

	/** `before` is what the earlier messages of the run hold. */
	constructor(message: NextMessage, clock: Clock, before: RunWords) {
		this.#message = message;
		this.#clock = clock;
		this.#before = before;
	}

	write(item: Exclude<RunItem, EndEvent>): void {
		const { writer, display } = this.#message;
		switch (item.type) {
			case "text":
				if (item.delta.trim() !== "") this.#lastWords = item.step;
				writer.append("text", item.step, item.delta);
				return;
			case "thinking":
				writer.append("thinking", item.step, item.delta);
				return;
			case "rewrite":
				this.#rewrite(item);
				return;
			case "usage":
				if (item.isAnswer) writer.usage(item.usage, item.responseId, item.model);
				return;
			case "generation":
				if (item.state !== "started") writer.endBlock();
				return;
			case "notice":
				if (!this.#stepSays(item)) writer.line(item.text);
				return;
			case "tool":
				// News of a step from before them takes no words back.
				if (this.#lastWords && !isAfter(this.#lastWords, item.step)) this.#lastWords = undefined;
				if (display === "inline") this.#showLine(item);
				return;
			case "late-end":
				if (display !== "cards") this.#showLine(item.card.step);
				return;
			case "bridge-call":
				this.#lastWords = undefined;
		}
	}

	/** Ends the message with the run. `heldEnds` have no card; `lastStep` is the step that agy told about last. */
	finish(end: EndEvent, heldEnds: readonly LateEnd[], lastStep: ToolEvent | undefined): void {
		const { writer, cwd } = this.#message;
		for (const { card } of heldEnds) {
			const title = `finished in the background: ${stepTitle(card.step, cwd)} · ${stepOutcome(card.step) || "done"}`;
			writer.line(`${title}\n${lastLines(card.step.output ?? "", LATE_OUTPUT)}`.trimEnd());
		}
		const toolsRan = end.progress.toolsRan || lastStep !== undefined;
		switch (end.outcome.kind) {
			case "answered":
				if (this.#lastWords === undefined) this.#closeWithoutWords(end, toolsRan, lastStep);
				writer.done("stop");
				return;
			case "cancelled":
				writer.abort(end.outcome.by === "user" ? undefined : "agy was stopped before it had finished.");
				return;
			case "failed":
				writer.fail(failureText(end.outcome.failure, toolsRan, this.#clock.now()));
		}
	}

	/** agy answered, but its last words stand before its last step, or there are none. */
	#closeWithoutWords(end: EndEvent, toolsRan: boolean, lastStep: ToolEvent | undefined): void {
		const { writer, cwd, closingLine } = this.#message;
		if (closingLine && lastStep !== undefined) {
			const outcome = stepOutcome(lastStep);
			const words = `agy ended without further words; its last step: ${stepTitle(lastStep, cwd)}${outcome && ` (${outcome})`}.`;
			writer.append("text", CLOSING_STEP, words);
		} else if (!end.progress.textSeen) {
			writer.fail(failureText({ kind: "empty-answer", promptBytes: 0 }, toolsRan, this.#clock.now()));
		}
	}

	/** What an earlier message holds cannot be taken back: only what goes on from there, or a whole new answer, is shown. */
	#rewrite({ block, step, text }: RewriteEvent): void {
		const { writer } = this.#message;
		const shown = this.#before.of(block, step);
		const continues = text.startsWith(shown);
		if (!continues && block === "thinking") return;
		const rest = continues ? text.slice(shown.length) : text;
		if (block === "text" && rest.trim() !== "") this.#lastWords = step;
		writer.rewrite(block, step, rest);
	}

	/** The step that a notice is about says the same by itself. */
	#stepSays({ step, code }: NoticeEvent): boolean {
		const { display } = this.#message;
		return step !== undefined && (display === "cards" || (display === "inline" && code === "denied-action"));
	}

	#showLine(step: ToolEvent): void {
		const { writer, cwd } = this.#message;
		const key = stepKey(step.step);
		const isOver = isEndState(step.state);
		const isNew = !this.#linedSteps.has(key);
		if (!isNew && !isOver) return;
		// A step begins after its model call has spoken; its later news must not tear a later answer apart.
		if (isNew) writer.endBlock();
		this.#linedSteps.add(key);
		const outcome = isOver ? ` · ${stepOutcome(step) || "done"}` : "";
		writer.line(plainInMarkdown(`${stepTitle(step, cwd)}${outcome}`), step.step);
	}
}

/** Of the output of a step whose end has no card of its own. */
const LATE_OUTPUT = { lines: 5, length: 200 };

/** Not a step of agy: the place of a line that is written like an answer, so that `pi -p` prints it. */
const CLOSING_STEP: StepRef = { trajectory: "", index: -1 };
