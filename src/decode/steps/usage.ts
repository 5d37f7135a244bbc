import type { StepUsage } from "../step-types.ts";
import type { Message } from "../wire.ts";

/**
 * A ModelUsageStats; undefined when the message carries no count at all. As in every real row: input leaves out what came
 * from the cache, output is the sum of thinking and response.
 */
export function usageOf(stats: Message): StepUsage | undefined {
	const usage = {
		input: stats.number(2),
		output: stats.number(3),
		cacheWrite: stats.number(4),
		cacheRead: stats.number(5),
		reasoning: stats.number(9),
	};
	const counted = Object.values(usage).some((count) => count > 0);
	return counted ? { ...usage, responseId: stats.text(11) || undefined } : undefined;
}
