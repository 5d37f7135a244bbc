import type { Model, ThinkingLevelMap } from "@earendil-works/pi-ai";
import type { Effort, ModelChoice } from "../engine/engine.ts";
import { isSlug, type ListedModel, parseSlug, slugFromLabel, stripTier, TIERS } from "./slug.ts";

export const PROVIDER_ID = "antigravity";
export const API_ID = "antigravity-cli";

export type AntigravityModel = Model<typeof API_ID>;

/** One model as a person picks it: what differs only by effort is one model. */
export interface CatalogueModel {
	/** The id in pi: the slug without its tier, or the whole slug where the effort is fixed. */
	readonly id: string;
	readonly name: string;
	readonly family: string;
	readonly line: string;
	readonly version: string;
	/** The tiers that exist, weakest first, each with what `--model` accepts. Empty where the effort is fixed. */
	readonly tiers: readonly { readonly effort: Effort; readonly accepts: string }[];
	/** What `--model` accepts where the effort is fixed; else the first tier's form. */
	readonly accepts: string;
}

/** Folds agy's list into models, in agy's order. */
export function collapse(listed: readonly ListedModel[]): CatalogueModel[] {
	const groups = new Map<string, ListedModel[]>();
	for (const entry of listed) {
		const { base } = parseSlug(slugOf(entry));
		groups.set(base, [...(groups.get(base) ?? []), entry]);
	}
	return [...groups.values()].flatMap((entries) => (hasTiers(entries) ? [tiered(entries)] : entries.map(fixed)));
}

/**
 * An ending like `-medium` is a tier when a sibling differs by nothing else. Gemini's always are; a lone
 * `gpt-oss-120b-medium` is a name, and agy refuses an effort for it.
 */
function hasTiers(entries: readonly ListedModel[]): boolean {
	const parts = entries.map((entry) => parseSlug(slugOf(entry)));
	const tiers = parts.filter((part) => part.tier !== undefined);
	return tiers.length > 1 || (tiers.length === 1 && tiers[0]?.family === "gemini");
}

function fixed(entry: ListedModel): CatalogueModel {
	const id = slugOf(entry);
	const { family, line, version } = parseSlug(id);
	return { id, name: entry.label, family, line, version, tiers: [], accepts: entry.accepts };
}

function tiered(entries: readonly ListedModel[]): CatalogueModel {
	const found = entries.flatMap((entry) => {
		const parts = parseSlug(slugOf(entry));
		return parts.tier === undefined ? [] : [{ ...parts, tier: parts.tier, entry }];
	});
	const [first] = found;
	if (first === undefined) throw new Error("a model with tiers needs a tier");
	const tiers = TIERS.flatMap((effort) => {
		const match = found.find((candidate) => candidate.tier === effort);
		return match === undefined ? [] : [{ effort, accepts: match.entry.accepts }];
	});
	const { base, family, line, version, entry } = first;
	return { id: base, name: stripTier(entry.label), family, line, version, tiers, accepts: entry.accepts };
}

function slugOf(entry: ListedModel): string {
	return isSlug(entry.accepts) ? entry.accepts : slugFromLabel(entry.label);
}

/** The forms in which agy takes `model` at `effort`. A tier that does not exist becomes the nearest, the stronger one first. */
export function choiceFor(model: CatalogueModel, effort: Effort | undefined): ModelChoice {
	const tier = nearestTier(model, effort ?? "medium");
	if (tier === undefined) return { slug: model.accepts };
	return isSlug(tier.accepts) ? { slug: tier.accepts, base: model.id, effort: tier.effort } : { slug: tier.accepts };
}

function nearestTier(model: CatalogueModel, effort: Effort): CatalogueModel["tiers"][number] | undefined {
	const wanted = TIERS.indexOf(effort);
	const distance = (candidate: Effort) => {
		const steps = TIERS.indexOf(candidate) - wanted;
		return steps >= 0 ? steps * 2 : -steps * 2 + 1;
	};
	return [...model.tiers].sort((a, b) => distance(a.effort) - distance(b.effort))[0];
}

/**
 * Sizes in tokens. agy folds a conversation's history itself at about 140,000 to 150,000 tokens whatever the model could
 * hold, so a larger window than this would only be a promise; a smaller one would make pi compact in the middle of a turn.
 */
const EFFECTIVE_WINDOW = 200_000;
const SIZES: Readonly<Record<string, { readonly window: number; readonly output: number }>> = {
	gemini: { window: 1_048_576, output: 65_536 },
	claude: { window: 200_000, output: 64_000 },
	"gpt-oss": { window: 131_072, output: 32_768 },
};
const UNKNOWN_SIZE = { window: EFFECTIVE_WINDOW, output: 32_768 };

/** The model as pi lists it. Its thinking levels are exactly the tiers; the subscription makes it free of charge per token. */
export function toPiModel(model: CatalogueModel): AntigravityModel {
	const size = SIZES[model.family] ?? UNKNOWN_SIZE;
	return {
		id: model.id,
		name: model.name,
		api: API_ID,
		provider: PROVIDER_ID,
		baseUrl: "agy://local",
		input: ["text", "image"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow: Math.min(size.window, EFFECTIVE_WINDOW),
		maxTokens: size.output,
		reasoning: model.tiers.length > 0,
		...(model.tiers.length > 0 && { thinkingLevelMap: thinkingLevels(model) }),
	};
}

function thinkingLevels(model: CatalogueModel): ThinkingLevelMap {
	const levels: ThinkingLevelMap = { off: null, minimal: null };
	for (const effort of TIERS) levels[effort] = model.tiers.some((tier) => tier.effort === effort) ? effort : null;
	return levels;
}
