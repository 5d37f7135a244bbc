import type { Clock } from "../../src/engine/clock.ts";

/** A clock that stands still until `advance` is called; timers fire in order of their time. */
export class FakeClock implements Clock {
	#now: number;
	#timers: { at: number; order: number; fn: () => void }[] = [];
	#order = 0;

	constructor(startMs = 1_000_000) {
		this.#now = startMs;
	}

	now(): number {
		return this.#now;
	}

	after(ms: number, fn: () => void): () => void {
		const timer = { at: this.#now + ms, order: this.#order++, fn };
		this.#timers.push(timer);
		return () => {
			this.#timers = this.#timers.filter((other) => other !== timer);
		};
	}

	/** Moves time forward and runs what falls due, including timers set meanwhile. */
	advance(ms: number): void {
		const end = this.#now + ms;
		for (;;) {
			const due = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at || a.order - b.order)[0];
			if (!due) break;
			this.#timers = this.#timers.filter((timer) => timer !== due);
			this.#now = Math.max(this.#now, due.at);
			due.fn();
		}
		this.#now = end;
	}

	get pending(): number {
		return this.#timers.length;
	}
}
