import type { Clock } from "../engine/clock.ts";
import type { ToolEvent } from "../engine/events.ts";
import { isEndState } from "../engine/tool-state.ts";
import { type CardEnd, cardId, StepCard, stepKey } from "./step-card.ts";

/** How long a card may still end by itself after agy has gone on; the row of its end is often just behind. */
const RELEASE_GRACE_MS = 150;

/** The cards of one run: which steps have one, and which of them pi is following right now. */
export class RunCards {
	readonly #clock: Clock;
	readonly #byStep = new Map<string, StepCard>();
	readonly #byId = new Map<string, StepCard>();
	readonly #followed = new Set<StepCard>();
	#conversationId = "";
	#cancelRelease: (() => void) | undefined;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** The conversation of the run is known; the ids of cards are made with it. */
	belongTo(conversationId: string): void {
		this.#conversationId = conversationId;
	}

	find(id: string): StepCard | undefined {
		return this.#byId.get(id);
	}

	/** The card of a step; the first time it is asked for, the step gets one. */
	cardFor(step: ToolEvent): StepCard {
		const known = this.#byStep.get(stepKey(step.step));
		if (known !== undefined) return known;
		const card = new StepCard(cardId(this.#conversationId, step.step), step);
		this.#byStep.set(stepKey(step.step), card);
		this.#byId.set(card.id, card);
		return card;
	}

	/** A second card for a step whose first one had to let go. */
	secondCard(first: StepCard): StepCard {
		const card = new StepCard(cardId(this.#conversationId, first.step.step, "end"), first.step, true);
		this.#byId.set(card.id, card);
		return card;
	}

	/**
	 * Gives a step's news to its card. Undefined when it has none. `endsLate`: the step is over now, after its card had to let
	 * go.
	 */
	update(step: ToolEvent): { readonly card: StepCard; readonly endsLate: boolean } | undefined {
		const card = this.#byStep.get(stepKey(step.step));
		if (card === undefined) return undefined;
		const hadLetGo = card.end === "background" && !isEndState(card.step.state);
		card.update(step);
		return { card, endsLate: hadLetGo && isEndState(step.state) };
	}

	/** A message has ended with these cards: pi follows their steps until it comes back. */
	follow(cards: readonly StepCard[]): void {
		for (const card of cards) this.#followed.add(card);
	}

	/** pi has come back: it follows none any more. */
	cameBack(): void {
		this.#cancelRelease?.();
		this.#cancelRelease = undefined;
		this.#followed.clear();
	}

	/** agy has gone on: cards that do not end in a moment let go of their steps. A further call does not prolong that moment. */
	releaseSoon(): void {
		this.#cancelRelease ??= this.#clock.after(RELEASE_GRACE_MS, () => this.release("background"));
	}

	/** Ends the cards that pi follows although their steps are not over. */
	release(end: Exclude<CardEnd, "finished">): void {
		this.#cancelRelease?.();
		this.#cancelRelease = undefined;
		for (const card of this.#followed) card.release(end);
	}
}
