import type { BridgedCalls } from "../bridge/run-tools.ts";
import type { Clock } from "../engine/clock.ts";
import type { ToolEvent } from "../engine/events.ts";
import { emptyMessage, isEnding, type MessageState, placeItem } from "./message-boundary.ts";
import { MessageContent, type NextMessage } from "./message-content.ts";
import { RunCards } from "./run-cards.ts";
import { movesOn, type RunItem } from "./run-item.ts";
import { RunWords } from "./run-words.ts";
import { cardCall } from "./step-card.ts";

/**
 * How long a message with steps stays open for what belongs to it. agy commits a step before the model call that asked for
 * it is marked done, mostly by 1 to 25 ms, and only the latter brings the usage.
 */
const GATHER_MS = 200;

/**
 * - `streaming`: a message takes the run's items.
 * - `parked`: the message ended with tool calls; items wait until pi comes back with their results.
 * - `over`: the last message has ended, and nothing is taken any more.
 */
export type RunState = "streaming" | "parked" | "over";

/** The message that is being written. */
interface OpenMessage {
	readonly target: NextMessage;
	readonly content: MessageContent;
	state: MessageState;
	/** It has all that it is to end with, or has waited for it long enough. */
	isComplete: boolean;
	cancelGathering: (() => void) | undefined;
}

/**
 * The messages that one run of agy becomes. Items wait in a queue, and one loop gives them to the message that is being written.
 * Only that loop ends a message. Whoever wants a message to end sets a flag and wakes the loop; that also works from within the
 * loop, when pi reacts at once to something that was written.
 *
 * No item in the queue is news of a step that has a card: those go to the card at once, which pi may be following.
 */
export class RunMessages {
	readonly cards: RunCards;
	readonly #clock: Clock;
	readonly #calls: BridgedCalls | undefined;
	readonly #onOver: () => void;
	readonly #words = new RunWords();
	#queue: RunItem[] = [];
	#message: OpenMessage | undefined;
	#lastStep: ToolEvent | undefined;
	#isOver = false;
	#isAborted = false;
	#isLooping = false;

	/** `calls` are those of pi's tools, where agy is offered any. `onOver` is called once, when the state is `over`. */
	constructor(clock: Clock, calls: BridgedCalls | undefined, onOver: () => void) {
		this.cards = new RunCards(clock);
		this.#clock = clock;
		this.#calls = calls;
		this.#onOver = onOver;
		calls?.onCall((call) => this.add({ type: "bridge-call", call }));
	}

	get state(): RunState {
		if (this.#isOver) return "over";
		return this.#message === undefined ? "parked" : "streaming";
	}

	/** The answer's words in the messages that are over. */
	get answer(): string {
		return this.#words.answer;
	}

	/** Takes an item: for the card of its step, for the message that is being written, or for the next one. */
	add(item: RunItem): void {
		if (item.type === "tool") {
			this.#lastStep = item;
			// pi shows its own tools itself.
			if (this.#calls?.isOwnStep(item)) return;
		}
		for (const rest of this.#passToCard(item)) {
			if (this.#isOver) return;
			this.#queue.push(rest);
			if (this.#message === undefined) this.#releaseCards(rest);
			else this.#loop();
		}
	}

	/** Writes the next message: the waiting items and then each new one, until it ends. */
	begin(message: NextMessage): void {
		if (this.#isOver) {
			message.writer.abort();
			return;
		}
		this.cards.cameBack();
		this.#message = {
			target: message,
			content: new MessageContent(message, this.#clock, this.#words),
			state: emptyMessage(message.display),
			isComplete: false,
			cancelGathering: undefined,
		};
		this.#loop();
	}

	/** Writes the waiting items into a message that is not the run's own and goes on otherwise. */
	tellWaiting(message: NextMessage): void {
		const content = new MessageContent(message, this.#clock, this.#words);
		for (const item of this.#queue.splice(0)) if (item.type !== "end") content.write(item);
	}

	/** Nothing is taken any more: the message that is being written ends as aborted, and what waits is dropped. */
	abort(): void {
		this.#isAborted = true;
		this.#loop();
	}

	#loop(): void {
		if (this.#isLooping) return;
		this.#isLooping = true;
		try {
			let goesOn = true;
			while (goesOn) goesOn = this.#next();
		} finally {
			this.#isLooping = false;
		}
	}

	/** Does the next thing that is to be done. False when there is nothing. */
	#next(): boolean {
		if (this.#isOver) return false;
		const message = this.#message;
		if (this.#isAborted) {
			message?.target.writer.abort();
			this.#leave();
			return false;
		}
		if (message === undefined) return false;
		if (message.isComplete) {
			this.#endWithToolCalls(message);
			return true;
		}
		const item = this.#queue[0];
		if (item === undefined) return false;
		this.#place(item, message);
		return true;
	}

	#place(item: RunItem, message: OpenMessage): void {
		const placement = placeItem(message.state, item, message.target.writer.empty);
		if (placement.kind === "next") {
			message.isComplete = true;
			return;
		}
		this.#queue.shift();
		if (item.type === "end") {
			message.content.finish(item, message.state.heldEnds, this.#lastStep);
			this.#leave();
			return;
		}
		message.state = placement.state;
		message.content.write(item);
		if (item.type === "tool" && message.state.display === "cards") this.#makeCard(item);
		if (placement.isComplete) message.isComplete = true;
		else if (isEnding(message.state)) this.#gather(message);
	}

	#gather(message: OpenMessage): void {
		message.cancelGathering ??= this.#clock.after(GATHER_MS, () => {
			message.isComplete = true;
			this.#loop();
		});
	}

	#makeCard(step: ToolEvent): void {
		this.cards.cardFor(step);
		this.#queue = this.#queue.flatMap((item) => this.#passToCard(item));
	}

	/** News of a step that has a card go to the card. What may be left of them is a late end. */
	#passToCard(item: RunItem): readonly RunItem[] {
		const told = item.type === "tool" ? this.cards.update(item) : undefined;
		if (told === undefined) return [item];
		return told.endsLate ? [{ type: "late-end", card: told.card }] : [];
	}

	/** The message goes on when none is left: agy may have given up on every call meanwhile. */
	#endWithToolCalls(message: OpenMessage): void {
		const { target, state } = message;
		message.cancelGathering?.();
		message.cancelGathering = undefined;
		message.isComplete = false;
		message.state = { ...state, calls: [] };
		const calls = state.calls.filter(({ id }) => this.#calls?.begin(id));
		const cards = [...state.cards, ...state.heldEnds].map((shown) =>
			shown.type === "tool" ? this.cards.cardFor(shown) : this.cards.secondCard(shown.card),
		);
		if (cards.length + calls.length === 0) return;
		for (const card of cards) target.writer.toolCall(cardCall(card, target.cwd));
		for (const { id, tool, args } of calls) {
			target.writer.toolCall({ type: "toolCall", id, name: tool, arguments: { ...args } });
		}
		// The run is parked before pi hears of the end: it may come back at once.
		this.#message = undefined;
		this.#words.add(target.writer);
		this.cards.follow(cards);
		for (const item of this.#queue) this.#releaseCards(item);
		target.writer.done("toolUse");
	}

	/** A card never holds agy's voice back: those that pi follows let go when this item waits for pi. */
	#releaseCards(waiting: RunItem): void {
		if (waiting.type === "end") this.cards.release(waiting.outcome.kind === "cancelled" ? "stopped" : "lost");
		else if (movesOn(waiting)) this.cards.releaseSoon();
	}

	#leave(): void {
		if (this.#message !== undefined) {
			this.#message.cancelGathering?.();
			this.#words.add(this.#message.target.writer);
		}
		this.#message = undefined;
		this.#queue = [];
		this.#isOver = true;
		this.cards.release(this.#isAborted ? "stopped" : "lost");
		this.#onOver();
	}
}
