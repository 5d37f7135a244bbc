import { formatDuration } from "../words/duration.ts";
import { formatTime, type Viewpoint } from "../words/time-of-day.ts";
import type { QuotaPool, QuotaWindow } from "./usage.ts";

const BAR_CELLS = 20;

/** The pools as lines of text, each window with a bar of what is left and the time at which it is full again. */
export function formatQuota(pools: readonly QuotaPool[], viewpoint: Viewpoint): string[] {
	const width = Math.max(...pools.flatMap((pool) => pool.windows.map(({ window }) => window.length)));
	return pools.flatMap((pool) => [
		pool.name,
		...pool.windows.map((entry) => `  ${formatWindow(entry, width, viewpoint)}`),
	]);
}

function formatWindow({ window, remaining, resetAt }: QuotaWindow, width: number, viewpoint: Viewpoint): string {
	const left = remaining === undefined ? "left: not told" : `${bar(remaining)} ${percent(remaining)} left`;
	const reset = resetAt === undefined ? "" : `, resets ${formatReset(resetAt, viewpoint)}`;
	return `${window.padEnd(width)}  ${left}${reset}`;
}

function bar(remaining: number): string {
	const full = Math.round(remaining * BAR_CELLS);
	return "█".repeat(full) + "░".repeat(BAR_CELLS - full);
}

/** Rounded so that neither end is claimed before it is reached. */
function percent(remaining: number): string {
	const rounded = Math.round(remaining * 100);
	const shown = remaining > 0 && remaining < 1 ? Math.min(99, Math.max(1, rounded)) : rounded;
	return `${shown} %`.padStart(5);
}

/** `17:40 (in 2 h 13 min)`, with the day when that is not within the next 24 hours. */
export function formatReset(resetAt: number, viewpoint: Viewpoint): string {
	if (resetAt <= viewpoint.now) return "now";
	return `${formatTime(resetAt, viewpoint)} (in ${formatDuration(resetAt - viewpoint.now)})`;
}
