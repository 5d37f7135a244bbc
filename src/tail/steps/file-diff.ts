import { diffLines } from "diff";
import type { DiffLine } from "../../engine/events.ts";
import type { Message } from "../wire.ts";

/** A comparison that would find more changes than this is given up: it would block pi and tell a reader little. */
const MAX_EDITS = 4000;

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
		.map((line): DiffLine => ({ kind: lineKind(line.number(2)), text: line.text(1).replace(/\r?\n$/, "") }));
	return lines.length > 0 ? lines : undefined;
}

/** The lines of replaced passages, one after the other; undefined when there are none or they are too different. */
export function replacementLines(replacements: readonly Replacement[]): DiffLine[] | undefined {
	const lines: DiffLine[] = [];
	for (const { target, replacement } of replacements) {
		const part = compareLines(target, replacement);
		if (part === undefined) return undefined;
		lines.push(...part);
	}
	return lines.length > 0 ? lines : undefined;
}

/** Compares two texts; undefined when they are too different to be worth it. */
export function compareLines(before: string, after: string): DiffLine[] | undefined {
	if (before === "" || after === "") return [...plainLines(before, "remove"), ...plainLines(after, "add")];
	const changes = diffLines(before, after, { maxEditLength: MAX_EDITS });
	return changes?.flatMap((change) =>
		plainLines(change.value, change.added ? "add" : change.removed ? "remove" : "context"),
	);
}

export function countLines(lines: readonly DiffLine[], kind: DiffLine["kind"]): number {
	return lines.filter((line) => line.kind === kind).length;
}

/** ReplacementChunk {1 target_content, 2 replacement_content}. */
export function replacementOf(chunk: Message): Replacement {
	return { target: chunk.text(1), replacement: chunk.text(2) };
}

function plainLines(text: string, kind: DiffLine["kind"]): DiffLine[] {
	if (text === "") return [];
	return text
		.replace(/\r?\n$/, "")
		.split(/\r?\n/)
		.map((line) => ({ kind, text: line }));
}

/** UnifiedDiffLineType: 1 INSERT, 2 DELETE, 3 UNCHANGED. */
function lineKind(type: number): DiffLine["kind"] {
	if (type === 1) return "add";
	return type === 2 ? "remove" : "context";
}
