import type { Abilities } from "./versions.ts";

export interface Model {
	slug: string;
	label: string;
	/** The number that rows carry. */
	number: number;
}

const EFFORTS = ["high", "medium", "low"];

/** What agy 1.3.3 offers. */
export const CATALOGUE: Model[] = [
	...["3.8", "3.7", "3.6"].flatMap((version) => EFFORTS.map((effort) => gemini(`${version}-flash`, effort))),
	...["high", "low"].map((effort) => gemini("3.1-pro", effort)),
	{ slug: "claude-sonnet-4-6", label: "Claude Sonnet 4.6", number: 1080 },
	{ slug: "claude-opus-4-6-thinking", label: "Claude Opus 4.6 (Thinking)", number: 1081 },
	{ slug: "gpt-oss-120b-medium", label: "GPT-OSS 120B (Medium)", number: 1082 },
];

/** The listing of `agy models` in this version's form. */
export function modelListing(abilities: Abilities, models: Pick<Model, "slug" | "label">[]): string {
	const line = ({ slug, label }: Pick<Model, "slug" | "label">) =>
		abilities.twoColumnModels ? `${slug}\t${label}` : abilities.slugs ? slug : label;
	return `${models.map(line).join("\n")}\n`;
}

/** The model that the flags choose, or the sentence with which agy refuses them. */
export function chooseModel(
	abilities: Abilities,
	name: string | undefined,
	effort: string | undefined,
): { model: Model } | { error: string } {
	const standard = CATALOGUE.find((model) => model.slug === "gemini-3.8-flash-medium") ?? CATALOGUE[0];
	if (standard === undefined) throw new Error("the catalogue is empty");
	if (name === undefined) return { model: standard };
	const refuse = (reason: string) => ({
		error: `error: invalid model selection (--model "${name}" --effort "${effort ?? ""}"): ${reason}\n`,
	});
	const exact = CATALOGUE.find((model) => model.label === name || (abilities.slugs && model.slug === name));
	if (exact !== undefined) {
		if (effort === undefined) return { model: exact };
		if (!exact.slug.startsWith("gemini-")) return refuse(`--effort is not supported for model ${name}`);
		if (exact.slug.endsWith(`-${effort}`)) return { model: exact };
		return refuse(`--model ${name} conflicts with --effort=${effort}`);
	}
	const tiers = abilities.slugs ? CATALOGUE.filter((model) => tierOf(model, name) !== undefined) : [];
	const available = tiers.map((model) => tierOf(model, name) ?? "").reverse();
	if (tiers.length > 0) {
		if (effort === undefined && !abilities.effortRequired) return { model: tiers[0] ?? standard };
		if (effort === undefined) return refuse(`--model ${name} requires --effort (available: ${available.join(", ")})`);
		const chosen = tiers.find((model) => tierOf(model, name) === effort);
		return chosen === undefined
			? refuse(`effort ${effort} is not available (available: ${available.join(", ")})`)
			: { model: chosen };
	}
	if (!abilities.unknownModelIsError) return { model: standard };
	const list = CATALOGUE.map((model) => `  ${abilities.slugs ? model.slug : model.label}`).join("\n");
	const unknown = refuse(`model ${name} is not recognized as a known model or custom model in settings`);
	return { error: `${unknown.error}Available models:\n${list}\n` };
}

function tierOf(model: Model, base: string): string | undefined {
	const effort = model.slug.slice(base.length + 1);
	return model.slug.startsWith(`${base}-`) && EFFORTS.includes(effort) ? effort : undefined;
}

function gemini(name: string, effort: string): Model {
	const words = name.replace("-", " ").replace(/\b[fp]/, (letter) => letter.toUpperCase());
	const label = `Gemini ${words} (${effort[0]?.toUpperCase()}${effort.slice(1)})`;
	const number = 1016 + [...`${name}${effort}`].reduce((sum, letter) => (sum + letter.charCodeAt(0)) % 50, 0);
	return { slug: `gemini-${name}-${effort}`, label, number };
}
