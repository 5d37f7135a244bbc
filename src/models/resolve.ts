import type { Effort, ModelChoice } from "../engine/engine.ts";
import { type CatalogueModel, choiceFor } from "./catalogue-model.ts";
import { isSlug, parseSlug } from "./slug.ts";
import { suggest } from "./suggest.ts";

export type Resolution =
	| { readonly choice: ModelChoice; readonly family: string }
	/** No such model. `unknown` is what was asked for; the suggestions are ids that exist. */
	| { readonly unknown: string; readonly suggestions: readonly string[] };

/**
 * Finds what agy is to be told for a model id of pi: one of ours, or an exact slug of agy's, whose tier then wins over
 * `effort`. `complete` is false while agy was never asked: then a well-formed slug that is not in the list goes through, and
 * agy itself decides.
 */
export function resolveModel(
	models: readonly CatalogueModel[],
	modelId: string,
	effort: Effort | undefined,
	complete: boolean,
): Resolution {
	const byId = models.find((model) => model.id === modelId);
	if (byId !== undefined) return { choice: choiceFor(byId, effort), family: byId.family };
	for (const model of models) {
		const tier = model.tiers.find((candidate) => candidate.accepts === modelId);
		if (tier !== undefined) return { choice: choiceFor(model, tier.effort), family: model.family };
		if (model.accepts === modelId) return { choice: { slug: modelId }, family: model.family };
	}
	if (!complete && isSlug(modelId)) return { choice: { slug: modelId }, family: parseSlug(modelId).family };
	return { unknown: modelId, suggestions: suggestModels(models, modelId) };
}

/** Ids like the one asked for: by their spelling, else those of the same line, else the first ones. */
export function suggestModels(models: readonly CatalogueModel[], asked: string): string[] {
	const ids = models.map((model) => model.id);
	const { base, line } = parseSlug(asked.trim().toLowerCase().replace(/\s+/g, "-"));
	const alike = suggest(base, ids);
	if (alike.length > 0) return alike;
	const sameLine = models.filter((model) => model.line === line).map((model) => model.id);
	return (sameLine.length > 0 ? sameLine : ids).slice(0, 3);
}
