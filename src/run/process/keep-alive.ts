/**
 * Keeps Node from exiting until the returned function is called. The clock's timers do not: whoever waits by them alone
 * for something that must still happen (a kill ladder at its end, a turn waiting for its place) holds one of these.
 */
export function keepNodeAlive(): () => void {
	const timer = setInterval(() => {}, 60_000);
	return () => clearInterval(timer);
}
