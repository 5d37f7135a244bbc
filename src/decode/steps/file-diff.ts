import { diffLines } from "diff";
import type { DiffLine } from "../../engine/events.ts";
import type { Message } from "../wire.ts";

/** More changed lines than this are not searched for: that blocks pi for a long time, and tells a reader little. */
const MAX_EDITS = 1000;

export interface Replacement {
	readonly target: string;
	readonly replacement: string;
}

/**
 * The lines of a DiffBlock {3 unified_diff {3 lines {1 text, 2 type}}}: the whole file, line by line. Undefined when the
 * block has none.
 */
export function blockLines(block: Message): DiffLine[] | undefined {
	const lines = block
		.message(3)
		.messages(3)
		.map((line): DiffLine => ({ kind: lineKind(line.number(2)), text: withoutLineEnd(line.text(1)) }));
	return lines.length > 0 ? lines : undefined;
}

/** The lines of replaced passages, one after the other; undefined when there are none. */
export function replacementLines(replacements: readonly Replacement[]): DiffLine[] | undefined {
	const lines = replacements.flatMap(({ target, replacement }) => compareLines(target, replacement));
	return lines.length > 0 ? lines : undefined;
}

/** Compares two texts. Those that have too little in common read as one removed and the other added. */
export function compareLines(before: string, after: string): DiffLine[] {
	const hasBoth = before !== "" && after !== "";
	const changes = hasBoth ? diffLines(before, after, { maxEditLength: MAX_EDITS }) : undefined;
	if (changes === undefined) return [...plainLines(before, "remove"), ...plainLines(after, "add")];
	return changes.flatMap((change) =>
		plainLines(change.value, change.added ? "add" : change.removed ? "remove" : "context"),
	);
}

/** How many lines of one kind a diff has. */
export function countLines(lines: readonly DiffLine[], kind: DiffLine["kind"]): number {
	return lines.filter((line) => line.kind === kind).length;
}

/** No text file has a NUL; what is no UTF-8 at all arrives as replacement characters. */
export function isBinary(lines: readonly DiffLine[]): boolean {
	return lines.some(({ text }) => text.includes("\0") || /\uFFFD{2}/.test(text));
}

/** ReplacementChunk {1 target_content, 2 replacement_content}. */
export function replacementOf(chunk: Message): Replacement {
	return { target: chunk.text(1), replacement: chunk.text(2) };
}

function plainLines(text: string, kind: DiffLine["kind"]): DiffLine[] {
	if (text === "") return [];
	return withoutLineEnd(text)
		.split(/\r?\n/)
		.map((line) => ({ kind, text: line }));
}

function withoutLineEnd(text: string): string {
	if (!text.endsWith("\n")) return text;
	return text.slice(0, text.endsWith("\r\n") ? -2 : -1);
}

/** UnifiedDiffLineType: 1 INSERT, 2 DELETE, 3 UNCHANGED. */
function lineKind(type: number): DiffLine["kind"] {
	if (type === 1) return "add";
	return type === 2 ? "remove" : "context";
}
