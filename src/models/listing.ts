import { stripVTControlCharacters } from "node:util";
import { z } from "zod/v3";
import { parseJsonAmid } from "../engine/json.ts";
import { isSlug, type ListedModel, labelFromSlug } from "./slug.ts";

/**
 * Reads what `agy models` prints, in every form there has been: JSON (`agy --output-format json models`), `slug` and `label`
 * in two columns with a tab or with spaces between (since 1.1.9), slugs (1.1.5), labels (before). Anything else on its
 * output (banners, requests to sign in) has not the shape of a model and is passed over. Empty when there is no model.
 */
export function parseListing(stdout: string): ListedModel[] {
	const text = stripVTControlCharacters(stdout);
	const envelope = envelopeShape.safeParse(parseJsonAmid(text)).data;
	return unique(envelope === undefined ? fromText(text) : fromEnvelope(envelope));
}

const envelopeShape = z.object({
	command: z
		.object({ data: z.object({ models: z.array(z.unknown()) }) })
		.optional()
		.catch(undefined),
	response: z.string().optional().catch(undefined),
});
const modelShape = z.object({ id: z.string(), label: z.string().optional() });

function fromEnvelope(envelope: z.infer<typeof envelopeShape>): ListedModel[] {
	const listed = (envelope.command?.data.models ?? []).flatMap((entry) => {
		const model = modelShape.safeParse(entry).data;
		return model === undefined ? [] : listedModel(model.id, model.label ?? "");
	});
	return listed.length > 0 ? listed : fromText(envelope.response ?? "");
}

/** The richest form that occurs counts for the whole text, so that a stray line of another form adds nothing. */
function fromText(text: string): ListedModel[] {
	const lines = text.split("\n").map((line) => line.trim());
	const columns = lines.flatMap((line) => {
		const [slug = "", label = ""] = line.split(/\t| {2,}/).map((cell) => cell.trim());
		return label === "" ? [] : listedModel(slug, label);
	});
	if (columns.length > 0) return columns;
	const slugs = lines.flatMap((line) => (/\d/.test(line) ? listedModel(line, "") : []));
	if (slugs.length > 0) return slugs;
	return lines.filter(isModelLabel).map((label) => ({ accepts: label, label }));
}

function listedModel(slug: string, label: string): ListedModel[] {
	if (!isSlug(slug) || label.length > 100) return [];
	return [{ accepts: slug, label: label === "" ? labelFromSlug(slug) : label }];
}

/** `Gemini 3.1 Pro (High)`, `GPT-OSS 120B (Medium)`: a known maker, a version, names with a capital, perhaps a bracket. */
function isModelLabel(line: string): boolean {
	const named = /^(?:Gemini|Claude|GPT-OSS)(?: (?:[A-Z][A-Za-z]*|\d[\d.]*[A-Z]?)){1,4}(?: \([A-Z][A-Za-z]*\))?$/;
	return line.length <= 60 && named.test(line) && / \d/.test(line);
}

function unique(models: readonly ListedModel[]): ListedModel[] {
	const seen = new Set<string>();
	return models.filter(({ accepts }) => !seen.has(accepts) && seen.add(accepts));
}
