import type { Effort } from "../engine/engine.ts";
import { type CatalogueModel, choiceFor } from "./catalogue-model.ts";
import { type Resolution, resolveModel, unknownModel } from "./resolve.ts";
import { TIERS } from "./slug.ts";

/**
 * Finds a model by the name people use: `flash`, `pro`, `gemini`, `sonnet`, `opus`, `gpt-oss`, with a version and a tier if
 * they like (`flash high`, `3.8 flash`), else an id or an exact slug. The newest version wins where none is named, and a
 * tier in the name wins over `effort`.
 */
export function resolveAlias(
	models: readonly CatalogueModel[],
	name: string,
	effort: Effort | undefined,
	complete: boolean,
): Resolution {
	const asked = name.trim().toLowerCase();
	const exact = resolveModel(models, asked, effort, complete);
	if ("choice" in exact) return exact;
	const words = asked
		.replace(/gpt[ -]?oss/g, "gpt-oss")
		.split(/[\s()/,]+/)
		.filter((word) => word !== "");
	const tier = TIERS.find((candidate) => words.includes(candidate));
	const rest = words.filter((word) => word !== tier);
	const [best] = models
		.filter((model) => rest.length > 0 && rest.every((word) => isNamed(model, word)))
		.sort((a, b) => rank(a) - rank(b) || compareVersions(b.version, a.version));
	if (best === undefined) return unknownModel(models, name);
	return { choice: choiceFor(best, tier ?? effort), family: best.family };
}

function isNamed(model: CatalogueModel, word: string): boolean {
	const version = word.replace(/^v(?=\d)/, "");
	return [model.family, model.line, model.version, ...model.id.split("-")].includes(version);
}

/** `gemini` alone means Flash, agy's own default, and not the newest of whatever line. */
function rank(model: CatalogueModel): number {
	return model.line === "flash" ? 0 : 1;
}

function compareVersions(a: string, b: string): number {
	return a.localeCompare(b, "en", { numeric: true });
}
