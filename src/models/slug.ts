import type { Effort } from "../engine/engine.ts";

/** The effort tiers, weakest first. agy spells them as the last part of a slug. */
export const TIERS: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];

/** One line of agy's model list. */
export interface ListedModel {
	/** What `--model` accepts: a slug; before agy 1.1.5, which had no slugs, the label. */
	readonly accepts: string;
	/** agy's name for people, for instance `Gemini 3.8 Flash (High)`. */
	readonly label: string;
}

/** A slug taken apart. */
export interface SlugParts {
	/** The slug without its tier. */
	readonly base: string;
	/** The effort its last part names. Whether it can be chosen, only the rest of the list tells. */
	readonly tier?: Effort;
	/** Who made it: `gemini`, `claude`, `gpt-oss`, else the first word. */
	readonly family: string;
	/** `flash`, `pro`, `sonnet`, `opus`, …: what people call it. The family where there is no such word. */
	readonly line: string;
	/** `3.8`, `4.6`, `120b`; empty where the slug has none. */
	readonly version: string;
}

const SLUG = /^[a-z0-9]+(?:[.-][a-z0-9]+)+$/;
const LABEL_TIER = / \((?:low|medium|high|x-?high|max)\)$/i;

/** Whether `text` has the shape of agy's slugs. Says nothing about whether the model exists. */
export function isSlug(text: string): boolean {
	return text.length <= 100 && SLUG.test(text);
}

/** Takes a slug apart, by its spelling alone. */
export function parseSlug(slug: string): SlugParts {
	const family = slug.startsWith("gpt-oss") ? "gpt-oss" : (slug.split("-")[0] ?? slug);
	const tier = TIERS.find((name) => slug.endsWith(`-${name}`));
	const base = tier === undefined ? slug : slug.slice(0, -tier.length - 1);
	const words = base.slice(family.length + 1).split("-");
	const numbers = words.filter((word) => /^\d[\d.]*[a-z]?$/.test(word));
	const line = words.find((word) => /^[a-z]{2,}$/.test(word)) ?? family;
	return { base, family, line, version: numbers.join("."), ...(tier !== undefined && { tier }) };
}

/** The label without its tier: `Gemini 3.8 Flash (High)` becomes `Gemini 3.8 Flash`. Other brackets stay. */
export function stripTier(label: string): string {
	return label.replace(LABEL_TIER, "");
}

/** A slug for a label, for agy versions that print labels only: `Claude Opus 4.6 (Thinking)` becomes `claude-opus-4-6-thinking`. */
export function slugFromLabel(label: string): string {
	const words = label
		.toLowerCase()
		.replace(/[()]/g, " ")
		.trim()
		.split(/[^a-z0-9.]+/)
		.join("-");
	return words.startsWith("claude") ? words.replaceAll(".", "-") : words;
}

/** A label for a slug that came without one: `gemini-3.8-flash-high` becomes `Gemini 3.8 Flash (High)`. */
export function labelFromSlug(slug: string): string {
	const bracket = /-(low|medium|high|xhigh|max|thinking)$/.exec(slug)?.[1];
	const plain = bracket === undefined ? slug : slug.slice(0, -bracket.length - 1);
	const named = plain.replace(/^gpt-oss/, "GPT_OSS").replace(/(\d)-(?=\d)/g, "$1.");
	const words = named.split("-").map((word) => (/^\d/.test(word) ? word.toUpperCase() : capital(word)));
	const label = words.join(" ").replace("GPT_OSS", "GPT-OSS");
	return bracket === undefined ? label : `${label} (${capital(bracket)})`;
}

function capital(word: string): string {
	return word.charAt(0).toUpperCase() + word.slice(1);
}
