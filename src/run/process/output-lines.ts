/** Lines longer than this are cut; nothing that is looked for in them stands further back. */
const MAX_LINE_CHARS = 16 * 1024;

/**
 * Splits a stream of bytes into lines in bounded memory, however much comes and however long a line is, and remembers
 * the end of it.
 */
export class LineTail {
	readonly #onLine: (line: string) => void;
	readonly #keepChars: number;
	readonly #decoder = new TextDecoder();
	#open = "";
	#cut = false;
	#tail = "";

	/** `keepChars`: how much of the end `tail` holds. */
	constructor(onLine: (line: string) => void, keepChars = 16 * 1024) {
		this.#onLine = onLine;
		this.#keepChars = keepChars;
	}

	push(chunk: Uint8Array): void {
		this.#take(this.#decoder.decode(chunk, { stream: true }));
	}

	/** Hands over the last line if it had no line end. */
	end(): void {
		this.#take(this.#decoder.decode());
		if (this.#open !== "") this.#finishLine();
	}

	/** The last of what came, for the log. */
	get tail(): string {
		return this.#tail;
	}

	#take(text: string): void {
		if (text === "") return;
		this.#tail = (this.#tail + text).slice(-this.#keepChars);
		let start = 0;
		for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
			this.#append(text.slice(start, end));
			this.#finishLine();
			start = end + 1;
		}
		this.#append(text.slice(start));
	}

	#append(text: string): void {
		if (this.#cut) return;
		this.#open += text;
		if (this.#open.length <= MAX_LINE_CHARS) return;
		this.#open = this.#open.slice(0, MAX_LINE_CHARS);
		this.#cut = true;
	}

	#finishLine(): void {
		const line = this.#open.endsWith("\r") ? this.#open.slice(0, -1) : this.#open;
		this.#open = "";
		this.#cut = false;
		this.#onLine(line);
	}
}
