import type { Measurement } from "../measurement.ts";
import { comparedCost } from "../support/reading-cost.ts";

const script = {
	kind: "long-answer",
	bytes: 1_000_000,
	commits: 1_000,
	synchronous: "NORMAL",
	minGapMs: 1,
	maxGapMs: 5,
} as const;
const isLast = (_idx: number, status: number) => status === 3;

export const measurement: Measurement = {
	title: "Reading and decoding a 1 MB answer that comes in 1,000 commits (agy stores it twice: 2 MB)",
	comparedWith: "250 ms poller",
	run: () => comparedCost(script, isLast),
};
