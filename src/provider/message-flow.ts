import type { PiCall } from "../bridge/parked-calls.ts";
import type { Clock } from "../engine/clock.ts";
import type { EndEvent, GenerationEvent, NoticeEvent, RewriteEvent, StepRef, ToolEvent } from "../engine/events.ts";
import { isEndState } from "../engine/tool-state.ts";
import { plainInMarkdown } from "../words/markdown.ts";
import { lastLines } from "../words/printable.ts";
import { stepOutcome, stepSubject, stepTitle } from "../words/step-title.ts";
import { failureText } from "./failure-text.ts";
import type { ItemConsumer, LiveItem, LiveRun } from "./live-run.ts";
import type { MessageWriter } from "./message-writer.ts";
import { CARD_TOOL, type StepCard, stepKey } from "./step-card.ts";

/** How agy's steps appear: see the setting `display`. */
export type StepDisplay = "cards" | "inline" | "off";

export interface FlowOptions {
	readonly writer: MessageWriter;
	readonly live: LiveRun;
	readonly display: StepDisplay;
	readonly cwd: string;
	readonly clock: Clock;
	/** A turn must say something; a throw-away call without words has failed. */
	readonly closingLine: boolean;
}

/**
 * How long a message with steps stays open for what belongs to it. agy commits a step before the model call that asked for
 * it is marked done, mostly by 1 to 25 ms, and only the latter brings the usage.
 */
const GATHER_MS = 200;

/** Longest summary in a card's arguments: they go to other models after a switch. */
const MAX_SUMMARY = 400;

/**
 * Decides which of a run's events make up one assistant message, and writes them. In `cards` display a message ends with the
 * steps its model call asked for; otherwise it goes on to the end of the run.
 */
export class MessageFlow implements ItemConsumer {
	readonly #options: FlowOptions;
	readonly #batch: StepCard[] = [];
	/** Calls of pi's tools that this message is to end with. */
	readonly #calls: PiCall[] = [];
	/** Ends of background steps that came while an answer was being written. */
	readonly #heldEnds: StepCard[] = [];
	readonly #linedSteps = new Set<string>();
	/** Every step of agy that belongs to this message, shown or not. */
	readonly #steps: StepRef[] = [];
	#firstStep: StepRef | undefined;
	#planned: { readonly step: StepRef; readonly calls: number } | undefined;
	#cancelTimer: (() => void) | undefined;
	/** Where the last words were said that no step has followed. */
	#lastWords: StepRef | undefined;

	constructor(options: FlowOptions) {
		this.#options = options;
	}

	/** Follows the run until the message is over. */
	follow(): void {
		this.#options.live.attach(this);
	}

	abort(): void {
		const { writer, live } = this.#options;
		this.#cancelTimer?.();
		writer.abort();
		live.finish(writer);
	}

	/** Returns false when `item` belongs to the next message. */
	accept(item: LiveItem): boolean {
		const { writer } = this.#options;
		if (writer.closed) return false;
		if ((this.#isEnding && this.#startsNextMessage(item)) || this.#startsNextCall(item)) {
			this.#endWithCards();
			if (writer.closed) return false;
		}
		switch (item.type) {
			case "text":
				if (item.delta.trim() !== "") this.#lastWords = item.step;
				writer.append("text", item.step, item.delta);
				break;
			case "thinking":
				writer.append("thinking", item.step, item.delta);
				break;
			case "rewrite":
				this.#rewrite(item);
				break;
			case "usage":
				if (item.isAnswer) writer.usage(item.usage, item.responseId, item.model);
				break;
			case "generation":
				this.#noteGeneration(item);
				break;
			case "notice":
				if (!this.#stepSays(item)) writer.line(item.text);
				break;
			case "tool":
				// News of a step from before them takes no words back.
				if (this.#lastWords && !isAfter(this.#lastWords, item.step)) this.#lastWords = undefined;
				this.#showStep(item);
				break;
			case "late-end":
				this.#showLateEnd(item.card);
				break;
			case "bridge-call":
				this.#addCall(item.call);
				break;
			case "end":
				this.#finish(item);
				break;
			case "conversation":
			case "title":
			case "activity":
			case "subagent":
				break;
		}
		return true;
	}

	/** The message only waits for what belongs to it. */
	get #isEnding(): boolean {
		return this.#batch.length > 0 || this.#calls.length > 0;
	}

	/** Another model call begins: time for the ends of background steps that waited for the last one's words. */
	#startsNextCall(item: LiveItem): boolean {
		return this.#heldEnds.length > 0 && item.type === "generation" && item.state === "started";
	}

	/** The step that a notice is about says the same by itself. */
	#stepSays({ step, code }: NoticeEvent): boolean {
		const { display } = this.#options;
		return step !== undefined && (display === "cards" || (display === "inline" && code === "denied-action"));
	}

	#startsNextMessage(item: LiveItem): boolean {
		if (item.type === "end") return true;
		if (item.type === "tool" || item.type === "notice" || !("step" in item) || this.#firstStep === undefined)
			return false;
		return item.step.trajectory !== this.#firstStep.trajectory || item.step.index > this.#firstStep.index;
	}

	/** What an earlier message holds cannot be taken back: only what goes on from there, or a whole new answer, is shown. */
	#rewrite({ block, step, text }: RewriteEvent): void {
		const { writer, live } = this.#options;
		const before = live.shownBefore(block, step);
		const continues = text.startsWith(before);
		if (!continues && block === "thinking") return;
		const rest = continues ? text.slice(before.length) : text;
		if (block === "text" && rest.trim() !== "") this.#lastWords = step;
		writer.rewrite(block, step, rest);
	}

	#noteGeneration(event: GenerationEvent): void {
		if (event.state === "started") return;
		this.#options.writer.endBlock();
		if (event.state === "failed") return;
		this.#planned = { step: event.step, calls: event.toolCallIds?.length ?? 0 };
		this.#endWhenComplete();
	}

	#showStep(step: ToolEvent): void {
		if (!this.#steps.some((seen) => stepKey(seen) === stepKey(step.step))) this.#steps.push(step.step);
		switch (this.#options.display) {
			case "off":
				return;
			case "inline":
				this.#showLine(step);
				return;
			case "cards": {
				const { card, isNew } = this.#options.live.cardFor(step);
				if (isNew) this.#addCard(card, step.step);
				return;
			}
		}
	}

	#showLine(step: ToolEvent): void {
		const { writer, cwd } = this.#options;
		const key = stepKey(step.step);
		// A step begins after its model call has spoken; its later news must not tear a later answer apart.
		if (!this.#linedSteps.has(key)) writer.endBlock();
		this.#linedSteps.add(key);
		const state = isEndState(step.state) ? ` · ${stepOutcome(step) || "done"}` : " …";
		writer.line(plainInMarkdown(`${stepTitle(step, cwd)}${state}`), step.step);
	}

	#addCard(card: StepCard, step: StepRef): void {
		this.#batch.push(card);
		this.#firstStep ??= step;
		this.#endSoon();
	}

	/** pi runs its own tools whatever the display is: agy waits for the result. */
	#addCall(call: PiCall): void {
		this.#lastWords = undefined;
		this.#calls.push(call);
		this.#endSoon();
	}

	#endSoon(): void {
		this.#cancelTimer ??= this.#options.clock.after(GATHER_MS, () => this.#endWithCards());
		this.#endWhenComplete();
	}

	#showLateEnd(first: StepCard): void {
		if (this.#options.display !== "cards") {
			this.#showLine(first.step);
		} else if (this.#batch.length > 0) {
			this.#batch.push(this.#options.live.secondCard(first));
		} else if (this.#options.writer.empty) {
			this.#batch.push(this.#options.live.secondCard(first));
			this.#endWithCards();
		} else {
			this.#heldEnds.push(first);
		}
	}

	/** The model call is done and everything it asked for is here. */
	#endWhenComplete(): void {
		const planned = this.#planned;
		if (!this.#isEnding || planned === undefined || planned.calls === 0) return;
		if (this.#firstStep !== undefined && !isAfter(this.#firstStep, planned.step)) return;
		const steps = this.#steps.filter((step) => step.index > planned.step.index).length;
		const here = steps + this.#calls.length;
		// A call of pi's tools tells no step: with too many, some may belong to a model call that is not here yet.
		if (here === planned.calls || (here > planned.calls && this.#calls.length === 0)) this.#endWithCards();
	}

	#endWithCards(): void {
		const { writer, live, cwd } = this.#options;
		this.#cancelTimer?.();
		this.#cancelTimer = undefined;
		if (writer.closed) return;
		const cards = [...this.#batch, ...this.#heldEnds.map((first) => live.secondCard(first))];
		const calls = this.#calls.splice(0).filter((call) => live.beginCall(call.id));
		// agy may have given up on every call meanwhile.
		if (cards.length + calls.length === 0) return;
		for (const card of cards) {
			writer.toolCall({ type: "toolCall", id: card.id, name: CARD_TOOL, arguments: cardArguments(card, cwd) });
		}
		for (const { id, tool, args } of calls) {
			writer.toolCall({ type: "toolCall", id, name: tool, arguments: { ...args } });
		}
		// The run is parked before pi hears of the end: it may come back at once.
		live.detach(cards, writer);
		writer.done("toolUse");
	}

	#finish(end: EndEvent): void {
		const { writer, live, clock, cwd } = this.#options;
		for (const card of this.#heldEnds) {
			const title = `finished in the background: ${stepTitle(card.step, cwd)} · ${stepOutcome(card.step) || "done"}`;
			writer.line(`${title}\n${lastLines(card.step.output ?? "", LATE_OUTPUT)}`.trimEnd());
		}
		const toolsRan = end.progress.toolsRan || live.lastStep !== undefined;
		switch (end.outcome.kind) {
			case "answered":
				this.#finishAnswered(end, toolsRan);
				break;
			case "cancelled":
				writer.abort(end.outcome.by === "user" ? undefined : "agy was stopped before it had finished.");
				break;
			case "failed":
				writer.fail(failureText(end.outcome.failure, toolsRan, clock.now()));
				break;
		}
		live.finish(writer);
	}

	#finishAnswered(end: EndEvent, toolsRan: boolean): void {
		const { writer, live, clock, cwd, closingLine } = this.#options;
		const last = live.lastStep;
		if (this.#lastWords === undefined && closingLine && last !== undefined) {
			const outcome = stepOutcome(last);
			const words = `agy ended without further words; its last step: ${stepTitle(last, cwd)}${outcome && ` (${outcome})`}.`;
			writer.append("text", CLOSING_STEP, words);
		} else if (this.#lastWords === undefined && !end.progress.textSeen) {
			writer.fail(failureText({ kind: "empty-answer", promptBytes: 0 }, toolsRan, clock.now()));
		}
		writer.done("stop");
	}
}

/** Of the output of a step whose end has no card of its own. */
const LATE_OUTPUT = { lines: 5, length: 200 };

/** Not a step of agy: the place of a line that is written like an answer, so that `pi -p` prints it. */
const CLOSING_STEP: StepRef = { trajectory: "", index: -1 };

function isAfter(step: StepRef, other: StepRef): boolean {
	return step.trajectory === other.trajectory && step.index > other.index;
}

/** The summary comes first, and short: pi's `/tree` shows only 40 characters of a call's arguments. */
function cardArguments({ step }: StepCard, cwd: string): { summary: string; kind: string; tool: string } {
	const { kind, name } = step;
	const summary = kind === "command" ? step.summary : stepSubject(kind, step.summary, cwd);
	const short = summary.length > MAX_SUMMARY ? `${summary.slice(0, MAX_SUMMARY - 1)}…` : summary;
	return { summary: short, kind, tool: name };
}
