import type { DiffLine, FileDiff } from "../engine/events.ts";
import { printable, shorten } from "../words/printable.ts";

/** Unchanged lines shown around a change, as in pi's own edit tool. */
const CONTEXT_LINES = 4;
/** Longest diff kept with a card. */
const MAX_LINES = 600;
const MAX_LINE_LENGTH = 500;

/**
 * The diff in the form that pi's `renderDiff` draws: sign, line number, text, with long unchanged stretches folded to `...`.
 * Undefined where the step carries no lines.
 */
export function displayDiff(diff: FileDiff): string | undefined {
	const lines = diff.lines;
	if (lines === undefined || lines.length === 0) return undefined;
	const numbered = numberLines(lines);
	const width = String(numbered.at(-1)?.number ?? 1).length;
	const shown = fold(numbered);
	const kept = shown
		.slice(0, MAX_LINES)
		.map((line) => (line === "gap" ? ` ${"".padStart(width)} ...` : draw(line, width)));
	if (shown.length > MAX_LINES) kept.push(` ${"".padStart(width)} ... ${shown.length - MAX_LINES} more lines`);
	return kept.join("\n");
}

/** How many lines `displayDiff` did not draw because the diff is too long. */
export function linesLeftOut(drawn: string): number {
	return Number(/\n +\.{3} (\d+) more lines$/.exec(drawn)?.[1] ?? 0);
}

interface NumberedLine extends DiffLine {
	/** In the old file for removed and unchanged lines, in the new one for added lines. */
	readonly number: number;
}

function numberLines(lines: readonly DiffLine[]): NumberedLine[] {
	let before = 1;
	let after = 1;
	return lines.map((line) => {
		const number = line.kind === "add" ? after : before;
		if (line.kind !== "add") before++;
		if (line.kind !== "remove") after++;
		return { ...line, number };
	});
}

function fold(lines: readonly NumberedLine[]): (NumberedLine | "gap")[] {
	const near = new Array<boolean>(lines.length).fill(false);
	for (const [index, line] of lines.entries()) {
		if (line.kind === "context") continue;
		const from = Math.max(0, index - CONTEXT_LINES);
		near.fill(true, from, Math.min(lines.length, index + CONTEXT_LINES + 1));
	}
	const shown: (NumberedLine | "gap")[] = [];
	for (const [index, line] of lines.entries()) {
		if (near[index]) shown.push(line);
		else if (shown.at(-1) !== "gap") shown.push("gap");
	}
	return shown;
}

function draw(line: NumberedLine, width: number): string {
	const sign = line.kind === "add" ? "+" : line.kind === "remove" ? "-" : " ";
	const text = printable(line.text).replace(/\n+$/, "");
	return `${sign}${String(line.number).padStart(width)} ${shorten(text, MAX_LINE_LENGTH)}`;
}
