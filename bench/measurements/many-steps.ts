import type { Measurement } from "../measurement.ts";
import { comparedCost } from "../support/reading-cost.ts";

const STEPS = 2_000;
const script = { kind: "many-steps", steps: STEPS, synchronous: "NORMAL", minGapMs: 0, maxGapMs: 1 } as const;
const isLast = (idx: number, status: number) => idx === STEPS - 1 && status === 3;

export const measurement: Measurement = {
	title: "Reading and decoding a turn with 2,000 steps (6,000 commits)",
	comparedWith: "250 ms poller",
	run: () => comparedCost(script, isLast),
};
