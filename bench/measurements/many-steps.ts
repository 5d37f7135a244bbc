import type { Figure, Measurement } from "../measurement.ts";
import { readingCost } from "../support/reading-cost.ts";

const STEPS = 2_000;
const script = { kind: "many-steps", steps: STEPS, synchronous: "NORMAL", minGapMs: 0, maxGapMs: 1 } as const;
const isLast = (idx: number, status: number) => idx === STEPS - 1 && status === 3;

export const measurement: Measurement = {
	title: "Reading and decoding a turn with 2,000 steps (6,000 commits)",
	comparedWith: "250 ms poller",
	async run() {
		const ours = await readingCost("tail", script, isLast);
		const theirs = await readingCost("poller", script, isLast);
		const figures: Figure[] = [
			{ name: "CPU", unit: "ms", value: ours.cpuMs, compared: theirs.cpuMs },
			{ name: "read", unit: "MB", value: ours.megabytes, compared: theirs.megabytes },
		];
		return figures;
	},
};
