/** Time as the rest of the code sees it, so that tests can move it by hand. */
export interface Clock {
	/** Milliseconds since the epoch. */
	now(): number;
	/** Calls `fn` once after `ms` milliseconds. The returned function cancels it. */
	after(ms: number, fn: () => void): () => void;
}

/** The real clock. Its timers never keep the process alive: what must be waited for is awaited elsewhere. */
export const systemClock: Clock = {
	now: () => Date.now(),
	after(ms, fn) {
		const timer = setTimeout(fn, ms);
		timer.unref();
		return () => clearTimeout(timer);
	},
};
