import type { Clock } from "../engine/clock.ts";
import type { ActivityEvent } from "../engine/events.ts";
import { activityWords } from "../words/activity.ts";
import { formatDuration } from "../words/duration.ts";

/** Shows `text` in pi's working line, or pi's own words again. */
export type ShowWorking = (text: string | undefined) => void;

const TICK_MS = 1000;
/** A shorter wait needs no number. */
const SHOW_ELAPSED_MS = 2000;

/** Tells in pi's working line what agy is doing and for how long: `agy: running npm test · 12 s`. */
export class WorkingLine {
	readonly #clock: Clock;
	readonly #show: ShowWorking;
	readonly #cwd: string;
	#words: string | undefined;
	#since = 0;
	#cancelTick: (() => void) | undefined;

	constructor(clock: Clock, cwd: string, show: ShowWorking) {
		this.#clock = clock;
		this.#cwd = cwd;
		this.#show = show;
	}

	update(event: ActivityEvent): void {
		const words = activityWords(event, this.#cwd);
		if (words === this.#words) return;
		this.#words = words;
		this.#since = this.#clock.now();
		this.#draw();
	}

	clear(): void {
		this.#cancelTick?.();
		this.#cancelTick = undefined;
		if (this.#words === undefined) return;
		this.#words = undefined;
		this.#show(undefined);
	}

	#draw(): void {
		this.#cancelTick?.();
		const elapsed = this.#clock.now() - this.#since;
		this.#show(`agy: ${this.#words}${elapsed >= SHOW_ELAPSED_MS ? ` · ${formatDuration(elapsed)}` : ""}`);
		this.#cancelTick = this.#clock.after(TICK_MS, () => this.#draw());
	}
}
