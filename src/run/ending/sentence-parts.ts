/** agy's two pools of quota, as `/usage` names them; undefined for a model of neither. */
export function quotaPool(model: string | undefined): string | undefined {
	if (model === undefined) return undefined;
	if (/gemini/i.test(model)) return "Gemini Models";
	return /claude|gpt/i.test(model) ? "Claude and GPT models" : undefined;
}

const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** A Go duration such as `100h25m46s` in milliseconds; undefined for anything else. */
export function goDurationMs(text: string | undefined): number | undefined {
	if (text === undefined || !/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/.test(text)) return undefined;
	let sum = 0;
	for (const [, amount, unit = ""] of text.matchAll(/([\d.]+)(ms|[dhms])/g))
		sum += Number(amount) * (UNIT_MS[unit] ?? 0);
	return Math.round(sum);
}

/** The models that a text lists after an unknown one. */
export function availableModels(text: string): string[] {
	const list = /Available models:(.*)/s.exec(text)?.[1] ?? "";
	return list.split(/[\n,]/).flatMap((line) => listedModel(line) ?? []);
}

/** The model on one line of such a list: a slug, a slug and its label, or a label. Empty lines have none. */
export function listedModel(line: string): string | undefined {
	const [name = ""] = line.replace(/^[\s*-]+/, "").split(/\t| {2,}/);
	return name.trim() || undefined;
}

/** `code 503`, `(code 503)`, `code: 503` … */
export function codeIn(text: string): { readonly code?: number } {
	const code = /\bcode[ :="]*(\d{3})\b/i.exec(text)?.[1];
	return code === undefined ? {} : { code: Number(code) };
}

/** The words of a list with commas. */
export function words(list: string): string[] {
	return list.split(",").flatMap((word) => (word.trim() === "" ? [] : [word.trim()]));
}

/** Without the quotes around it and the punctuation behind it. */
export function unquote(text: string): string {
	return text.trim().replace(/^["'`]+|["'`,.:;]+$/g, "");
}

/** Short enough for a message, without control characters. */
export function oneLine(text: string): string {
	return text
		.replace(/[\p{Cc}\s]+/gu, " ")
		.trim()
		.slice(0, 300);
}
