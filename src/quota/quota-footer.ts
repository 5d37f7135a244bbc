import type { Clock } from "../engine/clock.ts";
import { formatTime } from "../words/time-of-day.ts";

export interface FooterOptions {
	readonly clock: Clock;
	/** Sets the footer's status text; `undefined` takes it away. */
	readonly show: (text: string | undefined) => void;
	/** When each pool is back, in milliseconds since the epoch; several footers may share it. */
	readonly usedUp?: Map<Pool, number>;
	/** The machine's by default. */
	readonly timeZone?: string;
}

/**
 * Says in pi's footer that a quota is used up, from the failed turn that told so until the quota is back, and only while
 * a model of that pool is selected. It asks agy nothing.
 */
export class QuotaFooter {
	readonly #clock: Clock;
	readonly #show: (text: string | undefined) => void;
	readonly #timeZone: string | undefined;
	readonly #usedUp: Map<Pool, number>;
	#selected: Pool | undefined;
	#shown: string | undefined;
	#cancelTimer: () => void = () => {};

	constructor({ clock, show, usedUp = new Map(), timeZone }: FooterOptions) {
		this.#clock = clock;
		this.#show = show;
		this.#usedUp = usedUp;
		this.#timeZone = timeZone;
	}

	/** A turn with a model of `family` failed on its quota. Without a reset time there is nothing to show. */
	failed(family: string, resetAt: number | undefined): void {
		if (resetAt === undefined) return;
		this.#usedUp.set(poolOf(family), resetAt);
		this.#update();
	}

	/** A turn with a model of `family` was answered: the quota is back, whatever was said before. */
	answered(family: string): void {
		if (this.#usedUp.delete(poolOf(family))) this.#update();
	}

	/** The family of the model that is selected in pi; `undefined` when it is not one of ours. */
	selected(family: string | undefined): void {
		this.#selected = family === undefined ? undefined : poolOf(family);
		this.#update();
	}

	close(): void {
		this.selected(undefined);
	}

	#update(): void {
		this.#cancelTimer();
		this.#cancelTimer = () => {};
		const now = this.#clock.now();
		const resetAt = this.#selected === undefined ? undefined : this.#usedUp.get(this.#selected);
		if (resetAt === undefined || resetAt <= now) {
			this.#set(undefined);
			return;
		}
		this.#cancelTimer = this.#clock.after(Math.min(resetAt - now, LONGEST_TIMER_MS), () => this.#update());
		const viewpoint = { now, ...(this.#timeZone !== undefined && { timeZone: this.#timeZone }) };
		this.#set(`agy: quota used up, resets ${formatTime(resetAt, viewpoint)}`);
	}

	#set(text: string | undefined): void {
		if (text === this.#shown) return;
		this.#shown = text;
		this.#show(text);
	}
}

/** agy counts Gemini's models together, and all others together. */
export type Pool = "gemini" | "others";

function poolOf(family: string): Pool {
	return family === "gemini" ? "gemini" : "others";
}

/** Longer ones fire at once in Node. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
