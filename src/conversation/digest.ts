import type { ImageContent } from "@earendil-works/pi-ai";
import { clipMiddle } from "./clip.ts";
import type { Entry } from "./transcript.ts";

/** What an agy conversation has not seen, as text for it. */
export interface Digest {
	/** At most the budget, in bytes of UTF-8; empty when there was nothing to tell. */
	readonly text: string;
	/** How many of the oldest entries did not fit. */
	readonly leftOut: number;
	/** The images the text refers to. */
	readonly images: readonly ImageContent[];
}

const HEADER =
	"What happened in this session outside this conversation, oldest first. It is background, not a request; do not repeat work that is done.";
const SEPARATOR = "\n\n";
/** Enough for the header, the line about what is left out, and the separators around them. */
const FRAME_BYTES = 300;

/**
 * Renders entries within a budget. The oldest are left out first, and the text says how many. Summaries stay, because they
 * stand for all that came before them; long entries lose their middle.
 */
export function digest(
	entries: readonly Entry[],
	budgetBytes: number,
	imagePath: (image: ImageContent) => string,
): Digest {
	if (entries.length === 0) return { text: "", leftOut: 0, images: [] };
	const room = budgetBytes - FRAME_BYTES;
	const summaries = entries.filter((entry) => entry.kind === "summary").length;
	const cost = (text: string) => Buffer.byteLength(text) + SEPARATOR.length;

	const kept = new Map<Entry, string>();
	let used = 0;
	for (const entry of entries) {
		if (entry.kind !== "summary") continue;
		const text = clipMiddle(render(entry, imagePath), Math.floor(room / 2 / summaries) - SEPARATOR.length);
		kept.set(entry, text);
		used += cost(text);
	}
	let leftOut = 0;
	for (const entry of entries.toReversed()) {
		if (entry.kind === "summary") continue;
		const text = clipMiddle(render(entry, imagePath), Math.floor(room * largestShare(entry)) - SEPARATOR.length);
		if (leftOut > 0 || used + cost(text) > room) leftOut++;
		else {
			kept.set(entry, text);
			used += cost(text);
		}
	}

	const lines = entries.map((entry) => kept.get(entry)).filter((text) => text !== undefined);
	const note =
		leftOut === 0
			? []
			: [`(To keep this short, the oldest ${leftOut === 1 ? "entry is" : `${leftOut} entries are`} left out.)`];
	const images = entries.flatMap((entry) => (kept.has(entry) && "images" in entry ? entry.images : []));
	return { text: [HEADER, ...note, ...lines].join(SEPARATOR), leftOut, images };
}

/** How much of the room one entry may take. */
function largestShare(entry: Entry): number {
	switch (entry.kind) {
		case "tool-result":
		case "command":
			return 1 / 4;
		case "user":
		case "answer":
		case "foreign-answer":
		case "summary":
			return 1 / 2;
	}
}

/** One entry under a label that says whose it is. */
export function render(entry: Entry, imagePath: (image: ImageContent) => string): string {
	switch (entry.kind) {
		case "user":
			return labelled("[User]", entry.text, ...entry.images.map((image) => `[image: ${imagePath(image)}]`));
		case "answer":
			return labelled("[Assistant]", entry.text);
		case "foreign-answer":
			return labelled(
				`[Assistant, ${entry.model}]`,
				entry.text,
				...entry.calls.map((call) => `[called ${call.name} ${clipMiddle(call.args, 400)}]`),
			);
		case "tool-result":
			return labelled(
				`[Result of ${entry.tool}${entry.failed ? ", failed" : ""}]`,
				entry.text,
				...entry.images.map((image) => `[image: ${imagePath(image)}]`),
			);
		case "command":
			return labelled("[Shell command of the user]", entry.text);
		case "summary":
			return labelled(
				entry.of === "compaction" ? "[Summary of the session so far]" : "[Summary of a branch that was left]",
				entry.text,
			);
	}
}

function labelled(label: string, ...parts: readonly string[]): string {
	return [label, ...parts.filter((part) => part.trim() !== "")].join("\n");
}
