import type { Figure } from "../measurement.ts";
import { quantile } from "./statistics.ts";

/** What a reader saw of the commits: how long each took to arrive, in milliseconds, and how many came. */
export interface Seen {
	readonly latencies: readonly number[];
	readonly commits: number;
}

/** The figures of a latency measurement at one setting of agy's `synchronous`; the targets hold at FULL, which agy uses. */
export function latencyFigures(synchronous: "FULL" | "NORMAL", commits: number, ours: Seen, theirs: Seen): Figure[] {
	const at = (share: number) => ({
		value: quantile(ours.latencies, share),
		compared: quantile(theirs.latencies, share),
	});
	const name = (what: string) => `${what} at synchronous=${synchronous}`;
	const goal = (atMost: number) => (synchronous === "FULL" ? { target: { atMost } } : {});
	return [
		{ name: name("p50"), unit: "ms", ...at(0.5), ...goal(3) },
		{ name: name("p90"), unit: "ms", ...at(0.9) },
		{ name: name("p99"), unit: "ms", ...at(0.99), ...goal(15) },
		{ name: name("max"), unit: "ms", ...at(1) },
		{
			name: name("commits seen"),
			unit: "",
			value: ours.commits,
			compared: theirs.commits,
			target: { atLeast: commits },
		},
	];
}
