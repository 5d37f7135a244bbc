import type { ListedModel } from "./slug.ts";

/** What agy 1.3.3 lists. Used until agy has been asked for the first time. */
export const builtInModels: readonly ListedModel[] = [
	...["3.8", "3.7", "3.6"].flatMap((version) =>
		["High", "Medium", "Low"].map((tier) => ({
			accepts: `gemini-${version}-flash-${tier.toLowerCase()}`,
			label: `Gemini ${version} Flash (${tier})`,
		})),
	),
	{ accepts: "gemini-3.1-pro-high", label: "Gemini 3.1 Pro (High)" },
	{ accepts: "gemini-3.1-pro-low", label: "Gemini 3.1 Pro (Low)" },
	{ accepts: "claude-sonnet-4-6", label: "Claude Sonnet 4.6" },
	{ accepts: "claude-opus-4-6-thinking", label: "Claude Opus 4.6 (Thinking)" },
	{ accepts: "gpt-oss-120b-medium", label: "GPT-OSS 120B (Medium)" },
];
