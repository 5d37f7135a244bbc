import type { Clock } from "../../engine/clock.ts";
import type { Rung } from "./kill-ladder.ts";
import type { AgyProcess } from "./process.ts";

export interface WindDownOptions {
	/** How long agy may take to exit by itself, in milliseconds; 0: not at all. */
	readonly graceMs: number;
	readonly clock: Clock;
	readonly rungs: readonly Rung[] | undefined;
}

/** The time between the end of a turn and the end of its processes. */
export interface WindDown {
	/** Resolves when nothing of the process's tree is left that could be ended. Never rejects. */
	readonly done: Promise<void>;
	/** Shortens the grace to this many milliseconds from now, if it is longer. */
	hasten(ms: number): void;
}

/** Lets agy exit by itself for a while, then ends it and whatever it left behind. */
export function windDown(agy: AgyProcess, { graceMs, clock, rungs }: WindDownOptions): WindDown {
	let over: () => void = () => {};
	const graceOver = new Promise<void>((resolve) => {
		over = resolve;
	});
	let endsAt = Infinity;
	let cancelTimer = () => {};
	const within = (ms: number) => {
		if (clock.now() + ms >= endsAt) return;
		endsAt = clock.now() + ms;
		cancelTimer();
		if (ms <= 0) over();
		else cancelTimer = clock.after(ms, over);
	};
	within(graceMs);
	const done = Promise.race([agy.exited, graceOver])
		.then(() => {
			cancelTimer();
			return agy.end(rungs);
		})
		.then(() => {});
	return { done, hasten: within };
}
