const startedAt = Date.now();
let pausedMs = 0;

/**
 * The time in the stand-in's rows, in milliseconds since the epoch. Only a scenario's pauses take any of it: what is told of a
 * step must not depend on how fast the machine is.
 */
export function ownTime(): number {
	return startedAt + pausedMs;
}

/** A pause of a scenario is over. */
export function passTime(ms: number): void {
	pausedMs += ms;
}
