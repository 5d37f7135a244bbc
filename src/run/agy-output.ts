import type { StreamMessage, StreamResult } from "../stdout/stream-message.ts";
import { StreamReader, textResult } from "../stdout/stream-reader.ts";

/** agy's stdout: messages where it prints stream-json, plain text that is kept for the end where it cannot. */
export class AgyOutput {
	readonly #format: "stream-json" | "text";
	readonly #reader = new StreamReader();
	readonly #decoder = new TextDecoder();
	#text = "";

	constructor(format: "stream-json" | "text") {
		this.#format = format;
	}

	/** Plain text was printed. */
	get hasText(): boolean {
		return this.#text.trim() !== "";
	}

	/** Lines among the messages that were none of agy's. */
	get skippedLines(): number {
		return this.#reader.skippedLines;
	}

	push(chunk: Uint8Array): readonly StreamMessage[] {
		if (this.#format === "stream-json") return this.#reader.push(chunk);
		this.#text += this.#decoder.decode(chunk, { stream: true });
		return [];
	}

	/** No more will come. */
	end(): readonly StreamMessage[] {
		if (this.#format === "stream-json") return this.#reader.end();
		this.#text += this.#decoder.decode();
		return [];
	}

	/** The plain text as the result it stands for; undefined where agy prints messages. */
	asResult(exitCode: number | undefined): StreamResult | undefined {
		return this.#format === "text" ? textResult(this.#text, exitCode) : undefined;
	}
}
