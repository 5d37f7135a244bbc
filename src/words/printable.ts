import { stripVTControlCharacters } from "node:util";

/** Control characters (C0, delete, C1) without tab and line feed. */
const CONTROL = /[^\P{Cc}\t\n]/gu;
/** What turns the direction of writing: a command could be shown as another than the one that runs. */
const DIRECTION = /[\u202A-\u202E\u2066-\u2069]/g;

/** `text` without escape sequences and control characters, so that a command's output cannot draw on pi's screen. */
export function printable(text: string): string {
	return stripVTControlCharacters(text).replace(/\r\n?/g, "\n").replace(CONTROL, "").replace(DIRECTION, "");
}

/** The same on one line. */
export function printableLine(text: string): string {
	return printable(text)
		.replace(/\s*\n\s*/g, " ")
		.trim();
}

/** At most `length` UTF-16 units of `text`; an ellipsis stands for the rest. */
export function shorten(text: string, length: number): string {
	return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** The last lines of an output, each cut to `length` characters. */
export function lastLines(output: string, { lines, length }: { lines: number; length: number }): string {
	// Only a part that surely holds the lines is looked at: outputs grow to megabytes.
	return printable(output.slice(-lines * length * 4))
		.trimEnd()
		.split("\n")
		.slice(-lines)
		.map((line) => shorten(line, length))
		.join("\n");
}
