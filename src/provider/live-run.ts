import type { ToolResultMessage } from "@earendil-works/pi-ai";
import type { PiCall } from "../bridge/parked-calls.ts";
import type { BridgedCalls } from "../bridge/run-tools.ts";
import type { Clock } from "../engine/clock.ts";
import type { Run } from "../engine/engine.ts";
import type {
	ActivityEvent,
	AgyEvent,
	CancelReason,
	EndEvent,
	NoticeEvent,
	StepRef,
	ToolEvent,
} from "../engine/events.ts";
import type { BlockKind, MessageWriter } from "./message-writer.ts";
import { RunCards } from "./run-cards.ts";
import { type StepCard, stepKey } from "./step-card.ts";

/** What a message is made of: agy's events, the late end of a step whose card had to let go, and calls of pi's tools. */
export type LiveItem =
	| AgyEvent
	| { readonly type: "late-end"; readonly card: StepCard }
	| { readonly type: "bridge-call"; readonly call: PiCall };

/** The assistant message that is being written. */
export interface ItemConsumer {
	/** Returns false for the first item of the next message. */
	accept(item: LiveItem): boolean;
	/** Ends the message as aborted, at once. */
	abort(): void;
}

/** A message of the run that is over. */
type WrittenMessage = Pick<MessageWriter, "words" | "writtenSteps">;

export interface LiveRunHooks {
	/** The conversation is known. */
	conversation?(id: string): void;
	activity?(event: ActivityEvent): void;
	title?(text: string): void;
	/** A notice came; it is also among the items. */
	notice?(event: NoticeEvent): void;
	/**
	 * The run has ended, once, after its last message. `answer` is the text of all its messages. The run counts as closed
	 * when this is done, also when it rejects.
	 */
	ended(end: EndEvent, answer: string): Promise<void>;
	/** Nothing of agy's processes is left. Must not reject. */
	closed?(): Promise<void>;
}

/**
 * - `streaming`: a message takes its events.
 * - `parked`: the message ended with cards; events wait until pi comes back with their results.
 * - `over`: agy has ended and every event was taken, or nobody will take them any more.
 */
export type LiveRunState = "streaming" | "parked" | "over";

/**
 * One run of agy as a pi session sees it: across the several assistant messages that its cards cut it into. It reads the
 * run's events at once, gives those of a shown step to its card, and keeps the rest for the message that is next.
 */
export class LiveRun {
	/** Resolves when the run is over and `hooks.ended` is done. Never rejects. */
	readonly recorded: Promise<void>;
	/** Resolves when besides nothing of agy's processes is left and `hooks.closed` is done. Never rejects. */
	readonly closed: Promise<void>;
	readonly #run: Run;
	readonly #hooks: LiveRunHooks;
	readonly #calls: BridgedCalls | undefined;
	readonly #queue: LiveItem[] = [];
	readonly #cards: RunCards;
	#consumer: ItemConsumer | undefined;
	#answer = "";
	readonly #shown = new Map<string, string>();
	#end: EndEvent | undefined;
	#over = false;
	#draining = false;
	#isReported = false;
	readonly #signals = new Set<AbortSignal>();
	#reported: () => void = () => {};
	#lastStep: ToolEvent | undefined;

	/** `calls` are those of pi's tools, where agy is offered any. */
	constructor(run: Run, clock: Clock, hooks: LiveRunHooks, calls?: BridgedCalls) {
		this.#run = run;
		this.#cards = new RunCards(clock, (card) => this.#enqueue({ type: "late-end", card }));
		this.#hooks = hooks;
		this.#calls = calls;
		calls?.onCall((call) => this.#enqueue({ type: "bridge-call", call }));
		this.recorded = new Promise<void>((resolve) => {
			this.#reported = resolve;
		});
		this.closed = Promise.all([this.recorded, this.#pump(), run.settled]).then(() => hooks.closed?.());
	}

	get state(): LiveRunState {
		if (this.#over) return "over";
		return this.#consumer === undefined ? "parked" : "streaming";
	}

	/** The step agy told about last. */
	get lastStep(): ToolEvent | undefined {
		return this.#lastStep;
	}

	/** Ends the run and the message being written when `signal` fires, also while the run is parked. */
	watch(signal: AbortSignal | undefined): void {
		if (signal === undefined || this.#signals.has(signal)) return;
		this.#signals.add(signal);
		const abort = () => this.abort();
		signal.addEventListener("abort", abort, { once: true });
		void this.recorded.then(() => signal.removeEventListener("abort", abort));
		if (signal.aborted) abort();
	}

	/** Takes the waiting items and then each new one, until `consumer` refuses one or `detach` is called. */
	attach(consumer: ItemConsumer): void {
		this.#cards.cameBack();
		this.#consumer = consumer;
		this.#drain();
	}

	/** The message has ended with these cards (none: with the run). Their steps are followed by pi from now on. */
	detach(cards: readonly StepCard[], message: WrittenMessage): void {
		this.#consumer = undefined;
		this.#remember(message);
		this.#cards.follow(cards);
		if (!this.#draining) this.#settleFollowedCards();
	}

	/** The last message has ended: nothing will be taken any more. */
	finish(message: WrittenMessage): void {
		this.#consumer = undefined;
		this.#remember(message);
		this.#leave();
	}

	/** What earlier messages of the run hold of a step's text or thinking. */
	shownBefore(kind: BlockKind, step: StepRef): string {
		return this.#shown.get(shownKey(kind, stepKey(step))) ?? "";
	}

	/** Takes what waits without following the run any further. */
	takeWaiting(): readonly LiveItem[] {
		return this.#queue.splice(0);
	}

	/** The card of a step; the first time it is asked for, the step gets one. */
	cardFor(step: ToolEvent): { readonly card: StepCard; readonly isNew: boolean } {
		return this.#cards.cardFor(step);
	}

	/** A second card for a step whose first one had to let go. */
	secondCard(first: StepCard): StepCard {
		return this.#cards.secondCard(first);
	}

	card(id: string): StepCard | undefined {
		return this.#cards.find(id);
	}

	/** Whether agy has called the pi tool of this call. */
	isBridged(callId: string): boolean {
		return this.#calls?.has(callId) ?? false;
	}

	/** pi is about to run a tool for agy. False: agy does not want it any more, and it must not run. */
	beginCall(callId: string): boolean {
		return this.#calls?.begin(callId) ?? false;
	}

	/** Gives agy the results of the tools it has called. */
	deliver(results: readonly ToolResultMessage[]): void {
		for (const result of results) this.#calls?.finish(result);
	}

	/** The person has had enough: the message ends as aborted and agy is stopped. */
	abort(): void {
		this.#consumer?.abort();
		this.cancel("user");
	}

	/** Stops agy. A message that is being written ends with the run's `end`; what waits for a later one is dropped. Idempotent. */
	cancel(reason: CancelReason): void {
		this.#calls?.end(undefined);
		this.#run.cancel(reason);
		this.#cards.release("lost");
		if (this.#consumer === undefined) this.#leave();
	}

	#remember(message: WrittenMessage): void {
		this.#answer += message.words;
		for (const { kind, step, text } of message.writtenSteps()) {
			const key = shownKey(kind, step);
			this.#shown.set(key, (this.#shown.get(key) ?? "") + text);
		}
	}

	async #pump(): Promise<void> {
		try {
			for await (const event of this.#run.events) this.#route(event);
		} catch {
			// An engine keeps its promise to end; this is for the day when one does not. A message is never left open.
			this.#consumer?.abort();
		}
		if (this.#end === undefined) this.#route(BROKEN_OFF);
	}

	#route(event: AgyEvent): void {
		switch (event.type) {
			case "conversation":
				this.#cards.belongTo(event.id);
				this.#hooks.conversation?.(event.id);
				return;
			case "title":
				this.#hooks.title?.(event.text);
				return;
			case "activity":
				this.#hooks.activity?.(event);
				return;
			case "subagent":
				return;
			case "tool": {
				this.#lastStep = event;
				// pi shows its own tools itself.
				if (this.#calls?.isOwnStep(event)) return;
				if (!this.#cards.take(event)) this.#enqueue(event);
				return;
			}
			case "end":
				this.#end = event;
				this.#endCalls(event);
				this.#enqueue(event);
				this.#cards.release("lost");
				this.#reportOnce();
				return;
			case "notice":
				this.#hooks.notice?.(event);
				this.#enqueue(event);
				return;
			case "text":
			case "thinking":
			case "rewrite":
			case "generation":
			case "usage":
				this.#enqueue(event);
		}
	}

	#endCalls(end: EndEvent): void {
		const text = this.#calls?.end(end);
		if (text === undefined) return;
		const notice: NoticeEvent = { type: "notice", level: "warning", code: "other", text };
		this.#hooks.notice?.(notice);
		this.#enqueue(notice);
	}

	#enqueue(item: LiveItem): void {
		if (this.#over) return;
		this.#queue.push(item);
		if (this.#consumer !== undefined) this.#drain();
		else if (movesOn(item)) this.#cards.releaseSoon();
	}

	#drain(): void {
		if (this.#draining) return;
		this.#draining = true;
		while (this.#consumer !== undefined) {
			const next = this.#queue.shift();
			if (next === undefined) break;
			if (this.#consumer.accept(next)) continue;
			this.#queue.unshift(next);
			break;
		}
		this.#draining = false;
		if (this.#consumer === undefined && !this.#over) this.#settleFollowedCards();
	}

	/** Gives the cards that pi follows the news which came before them, and lets them go if agy has moved on already. */
	#settleFollowedCards(): void {
		// Taking one may add the late end of its step, at its place among the others.
		for (const item of this.#queue.splice(0)) {
			if (item.type !== "tool" || !this.#cards.take(item)) this.#queue.push(item);
		}
		if (this.#end !== undefined) this.#cards.release("lost");
		else if (this.#queue.some(movesOn)) this.#cards.releaseSoon();
	}

	#leave(): void {
		if (this.#over) return;
		this.#over = true;
		this.#queue.length = 0;
		this.#reportOnce();
	}

	/** Both agy's end and the last message's are needed, and either may come first. */
	#reportOnce(): void {
		const end = this.#end;
		if (end === undefined || !this.#over || this.#isReported) return;
		this.#isReported = true;
		void this.#hooks.ended(end, this.#answer).then(this.#reported, this.#reported);
	}
}

/** What an engine that broke off without an end should have said. */
const BROKEN_OFF: EndEvent = {
	type: "end",
	outcome: { kind: "failed", failure: { kind: "cancelled-by-agy" } },
	progress: { lastStep: -1, promptSeen: true, toolsRan: true, textSeen: false },
};

function shownKey(kind: BlockKind, step: string): string {
	return `${kind}:${step}`;
}

/** True for an item that shows agy doing something after the steps of the message that is over. */
function movesOn(item: LiveItem): boolean {
	switch (item.type) {
		case "text":
		case "thinking":
		case "rewrite":
		case "tool":
		case "bridge-call":
		case "end":
			return true;
		case "generation":
			return item.state === "started";
		case "conversation":
		case "title":
		case "activity":
		case "subagent":
		case "usage":
		case "notice":
		case "late-end":
			return false;
	}
}
