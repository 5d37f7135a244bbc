import type { Model } from "@earendil-works/pi-ai";

/** A model as our provider lists it. */
export const model: Model<"antigravity-cli"> = {
	id: "gemini-3.8-flash",
	name: "Gemini 3.8 Flash",
	api: "antigravity-cli",
	provider: "antigravity",
	baseUrl: "agy://local",
	input: ["text", "image"],
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
	contextWindow: 200_000,
	maxTokens: 65_536,
	reasoning: true,
	thinkingLevelMap: { off: null, minimal: null, low: "low", medium: "medium", high: "high" },
};
