import { type Component, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

/** The lines of a reply; what does not fit goes on below, under the column or the mark that it belongs to. */
export class ReportLines implements Component {
	readonly #lines: readonly string[];

	constructor(lines: readonly string[]) {
		this.#lines = lines;
	}

	render(width: number): string[] {
		return this.#lines.flatMap((line) => wrapLine(line, width));
	}

	invalidate(): void {}
}

/** A label with the gap behind it, as in a table. */
const LABEL = /^\s*\S.*?\s{2,}(?=\S)/;
/** An indentation, perhaps with the mark of a finding. */
const MARK = /^\s*(?:[✓!✗→] )?/u;
/** How far the rest stands in when its label leaves too little room beside it. */
const BELOW = 4;

/** Pure: a line in pieces of at most `width` columns. */
export function wrapLine(line: string, width: number): string[] {
	if (visibleWidth(line) <= width) return [line];
	const head = LABEL.exec(line)?.[0] ?? MARK.exec(line)?.[0] ?? "";
	const rest = line.slice(head.length);
	const room = width - visibleWidth(head);
	if (room < width / 2) return [...wrap(head.trimEnd(), width, 0), ...wrap(rest, width, BELOW)];
	const [first = "", ...others] = wrap(rest, width, visibleWidth(head));
	return [head + first.trimStart(), ...others];
}

function wrap(text: string, width: number, indent: number): string[] {
	const room = Math.max(1, width - indent);
	return splitPaths(text, room)
		.flatMap((part) => wrapTextWithAnsi(part, room))
		.map((piece) => `${" ".repeat(width - room)}${piece}`);
}

/** `text` in parts that each begin a line: a path too long for one goes on behind a slash, not in the middle of a name. */
function splitPaths(text: string, room: number): string[] {
	const path = new RegExp(`\\S{${room + 1},}`).exec(text);
	const slash = path?.[0].lastIndexOf("/", room - 1) ?? -1;
	if (path === null || slash <= 0) return [text];
	const end = path.index + slash + 1;
	return [text.slice(0, end), ...splitPaths(text.slice(end), room)];
}
