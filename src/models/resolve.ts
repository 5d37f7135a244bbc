import type { Effort, ModelChoice } from "../engine/engine.ts";
import { type CatalogueModel, choiceFor } from "./catalogue-model.ts";
import { isSlug, parseSlug } from "./slug.ts";
import { suggest } from "./suggest.ts";

export type Resolution = { readonly choice: ModelChoice; readonly family: string } | UnknownModel;

/** No such model. `unknown` is what was asked for, `available` all ids that exist, `alike` those that may have been meant. */
export interface UnknownModel {
	readonly unknown: string;
	readonly available: readonly string[];
	readonly alike: readonly string[];
}

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
	return unknownModel(models, modelId);
}

export function unknownModel(models: readonly CatalogueModel[], asked: string): UnknownModel {
	return { unknown: asked, available: models.map((model) => model.id), alike: idsLike(models, asked) };
}

/** By their spelling, else those of the same line. */
function idsLike(models: readonly CatalogueModel[], asked: string): string[] {
	const { base, line } = parseSlug(asked.trim().toLowerCase().replace(/\s+/g, "-"));
	const alike = suggest(
		base,
		models.map((model) => model.id),
	);
	return alike.length > 0 ? alike : models.filter((model) => model.line === line).map((model) => model.id);
}
