import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { type Clock, systemClock } from "../../src/engine/clock.ts";

/** Much less than the longest that a run may go without a look at the time before it takes itself for having slept. */
const STEP_MS = 10_000;

/** The real clock, which a test can put forward: for deadlines that must neither be waited for nor pass by themselves. */
export class SkippingClock implements Clock {
	readonly #timers = new Set<() => void>();
	#aheadMs = 0;

	now(): number {
		return systemClock.now() + this.#aheadMs;
	}

	after(ms: number, fn: () => void): () => void {
		const at = this.now() + ms;
		let cancelTimer = () => {};
		const arm = () => {
			cancelTimer();
			cancelTimer = systemClock.after(Math.max(0, at - this.now()), () => {
				this.#timers.delete(arm);
				fn();
			});
		};
		this.#timers.add(arm);
		arm();
		return () => {
			this.#timers.delete(arm);
			cancelTimer();
		};
	}

	/** Puts the clock forward. What has fallen due by then was done when it resolves. */
	async skip(ms: number): Promise<void> {
		for (let left = ms; left > 0; left -= STEP_MS) {
			this.#aheadMs += Math.min(left, STEP_MS);
			for (const arm of [...this.#timers]) arm();
			await this.#timersOfNow();
		}
	}

	/** Node keeps timers of one length in their order: this one comes after all that are due. */
	async #timersOfNow(): Promise<void> {
		await new Promise<void>((resolve) => setTimeout(resolve, 1));
		await turnOfTheLoop();
	}
}
