/** A part of agy's final response that was never shown. */
export interface MissingText {
	readonly text: string;
	/** It directly follows the last text that was shown (`text` then keeps its leading space). */
	readonly continuesLast: boolean;
}

/**
 * What `result.response` has and the texts shown so far (one per model call, in order) do not. agy's response may hold the
 * last text only or all of them, with or without line breaks between and after them, so white space never counts.
 */
export function missingFromShown(response: string, shown: readonly string[]): readonly MissingText[] {
	const whole = squash(response);
	if (whole.text === "") return [];
	const known = shown.map((text) => squash(text).text);
	if (isShown(whole.text, known) || saysTheSame(response, shown)) return [];

	let gaps: Gap[] = [{ from: 0, to: whole.text.length, follows: -1 }];
	for (const index of byLength(known))
		gaps = gaps.flatMap((gap) => without(gap, whole.text, known[index] ?? "", index));
	return gaps
		.filter((gap) => !isShown(whole.text.slice(gap.from, gap.to), known))
		.map((gap) => ({
			text: cut(response, whole, gap),
			continuesLast: gap.follows === known.length - 1 && gap.follows >= 0,
		}));
}

/** From the beginning of some text on, possibly across several: a response may be cut short. Elsewhere it is chance. */
function isShown(text: string, known: readonly string[]): boolean {
	const all = known.join("");
	let start = 0;
	for (const one of known) {
		if (all.startsWith(text, start)) return true;
		start += one.length;
	}
	return false;
}

/** A range of the squashed response that no shown text covers, and the shown text that ends where it begins. */
interface Gap {
	readonly from: number;
	readonly to: number;
	readonly follows: number;
}

/** Longest first: a short text ("Done.") must not claim a place inside a long one. */
function byLength(texts: readonly string[]): number[] {
	const indices = texts.map((_, index) => index).filter((index) => texts[index] !== "");
	return indices.sort((a, b) => (texts[b]?.length ?? 0) - (texts[a]?.length ?? 0));
}

function without(gap: Gap, response: string, text: string, index: number): Gap[] {
	const found = response.slice(gap.from, gap.to).indexOf(text);
	if (found < 0) return [gap];
	const start = gap.from + found;
	const parts = [
		{ from: gap.from, to: start, follows: gap.follows },
		{ from: start + text.length, to: gap.to, follows: index },
	];
	return parts.filter((part) => part.to > part.from);
}

function cut(response: string, squashed: Squashed, gap: Gap): string {
	const before = gap.from === 0 ? 0 : (squashed.positions[gap.from - 1] ?? 0) + 1;
	const end = (squashed.positions[gap.to - 1] ?? 0) + 1;
	return response.slice(before, end);
}

interface Squashed {
	/** The text without any white space. */
	readonly text: string;
	/** Where each of its characters stood. */
	readonly positions: Uint32Array;
}

function squash(text: string): Squashed {
	const positions = new Uint32Array(text.length);
	let length = 0;
	for (const match of text.matchAll(/\S+/g)) {
		for (let offset = 0; offset < match[0].length; offset++) positions[length++] = match.index + offset;
	}
	return { text: text.replace(/\s+/g, ""), positions };
}

/** agy 1.1.12 and 1.1.13 broke characters on stdout into U+FFFD: then only letters and digits can be compared. */
function saysTheSame(response: string, shown: readonly string[]): boolean {
	const all = shown.join("");
	if (all === "" || !(response + all).includes("\uFFFD")) return false;
	return plain(all).includes(plain(response));
}

function plain(text: string): string {
	return text.replace(/[^A-Za-z0-9]+/g, "");
}
