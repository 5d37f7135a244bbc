/**
 * A text of at most `maxBytes` bytes of UTF-8: as it is, or its beginning and its end with a note between of how much is
 * missing. Below some 60 bytes there is no room for the note and only the beginning is kept.
 */
export function clipMiddle(text: string, maxBytes: number): string {
	const bytes = Buffer.from(text);
	if (bytes.length <= maxBytes) return text;
	const note = (missing: number) => `\n[… ${missing} bytes left out …]\n`;
	const room = maxBytes - Buffer.byteLength(note(bytes.length));
	if (room <= 20) return bytes.toString("utf8", 0, charStart(bytes, maxBytes));
	const headEnd = charStart(bytes, Math.ceil((room * 2) / 3));
	const tailStart = charEnd(bytes, bytes.length - Math.floor(room / 3));
	return bytes.toString("utf8", 0, headEnd) + note(tailStart - headEnd) + bytes.toString("utf8", tailStart);
}

/** The nearest start of a character at or before `index`. */
function charStart(bytes: Buffer, index: number): number {
	let at = Math.max(0, index);
	while (at > 0 && isInsideChar(bytes, at)) at--;
	return at;
}

/** The nearest start of a character at or after `index`. */
function charEnd(bytes: Buffer, index: number): number {
	let at = index;
	while (at < bytes.length && isInsideChar(bytes, at)) at++;
	return at;
}

function isInsideChar(bytes: Buffer, index: number): boolean {
	return ((bytes[index] ?? 0) & 0xc0) === 0x80;
}
