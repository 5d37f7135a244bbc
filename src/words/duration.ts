/**
 * A length of time as a person says it: `12 s`, `3 min 5 s`, `3 h 38 min`, `2 d 4 h`. Takes milliseconds. Never a bare number
 * of seconds above a minute: pi reads a lone `500` or `503` in an error as an HTTP status.
 */
export function formatDuration(ms: number): string {
	const seconds = Math.max(0, Math.round(ms / 1000));
	if (seconds < 60) return `${seconds} s`;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60) return pair(minutes, "min", seconds % 60, "s");
	const hours = Math.floor(minutes / 60);
	if (hours < 24) return pair(hours, "h", minutes % 60, "min");
	return pair(Math.floor(hours / 24), "d", hours % 24, "h");
}

/** How long ago something was, given in milliseconds: `just now`, `3 min 5 s ago`. */
export function formatAge(ms: number): string {
	return ms < 5_000 ? "just now" : `${formatDuration(ms)} ago`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
	return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** As pi's own cards have it, where ours stand among them: `4.2s`, `1m 30s`, `2h 3m 4s`. Takes milliseconds. */
export function formatToolDuration(ms: number): string {
	if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
	const seconds = Math.round(ms / 1000);
	const hours = Math.floor(seconds / 3600);
	const minutes = `${Math.floor(seconds / 60) % 60}m ${seconds % 60}s`;
	return hours === 0 ? minutes : `${hours}h ${minutes}`;
}
