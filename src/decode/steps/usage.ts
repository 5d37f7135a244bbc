import type { StepUsage } from "../step-types.ts";
import type { Message } from "../wire.ts";

/**
 * ModelUsageStats {2 input_tokens, 3 output_tokens, 4 cache_write_tokens, 5 cache_read_tokens, 9 thinking_output_tokens,
 * 11 response_id}; undefined when the message carries no count at all. In every real row the input leaves out what came from the
 * cache, and the output is the sum of thinking and response.
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
