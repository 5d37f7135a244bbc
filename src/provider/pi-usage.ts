import type { Usage } from "@earendil-works/pi-ai";
import type { TokenUsage } from "../engine/events.ts";

/** Token counts as pi keeps them. The subscription makes agy free of charge per token. */
export function toPiUsage({ input, output, reasoning, cacheRead, cacheWrite }: TokenUsage): Usage {
	return {
		input,
		output,
		reasoning,
		cacheRead,
		cacheWrite,
		totalTokens: input + output + cacheRead + cacheWrite,
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
	};
}

/** The usage of a message of which nothing was told. A new one each time, since pi may change it. */
export function noUsage(): Usage {
	return toPiUsage({ input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 });
}
