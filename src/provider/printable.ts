import { stripVTControlCharacters } from "node:util";

/** Control characters (C0, delete, C1) without tab and line feed. */
const CONTROL = /[^\P{Cc}\t\n]/gu;

/** `text` without escape sequences and control characters, so that a command's output cannot draw on pi's screen. */
export function printable(text: string): string {
	return stripVTControlCharacters(text).replace(/\r\n?/g, "\n").replace(CONTROL, "");
}
