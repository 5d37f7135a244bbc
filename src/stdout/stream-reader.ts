import { parseMessage } from "./parse-message.ts";
import type { StreamMessage, StreamResult } from "./stream-message.ts";

/** A line longer than this is dropped, in UTF-16 units: an answer is repeated whole in the result. */
const MAX_LINE_UNITS = 64 * 1024 * 1024;

/**
 * Reads agy's stdout: bytes in any pieces, messages out. Lines that are no message are counted and skipped: other
 * programs write to this pipe too (MCP servers and commands inherit it).
 */
export class StreamReader {
	readonly #maxUnits: number;
	readonly #decoder = new TextDecoder();
	#pieces: string[] = [];
	#units = 0;
	#overlong = false;
	/** A line that ended inside a JSON string; its end may follow. */
	#broken: { readonly pieces: string[]; units: number; inString: boolean } | undefined;
	#skipped = 0;

	constructor(maxUnits = MAX_LINE_UNITS) {
		this.#maxUnits = maxUnits;
	}

	/** How many lines were no message of agy's. */
	get skippedLines(): number {
		return this.#skipped;
	}

	push(chunk: Uint8Array): StreamMessage[] {
		return this.#take(this.#decoder.decode(chunk, { stream: true }));
	}

	/** No more bytes will come: the last line counts even without its line end. */
	end(): StreamMessage[] {
		const messages = this.#take(this.#decoder.decode());
		if (this.#units > 0) messages.push(...this.#finishLine());
		this.#dropBroken();
		return messages;
	}

	#take(text: string): StreamMessage[] {
		const messages: StreamMessage[] = [];
		let start = 0;
		for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
			this.#append(text.slice(start, end));
			messages.push(...this.#finishLine());
			start = end + 1;
		}
		this.#append(text.slice(start));
		return messages;
	}

	#append(piece: string): void {
		if (piece === "" || this.#overlong) return;
		this.#units += piece.length;
		if (this.#units > this.#maxUnits) {
			this.#overlong = true;
			this.#pieces = [];
		} else {
			this.#pieces.push(piece);
		}
	}

	#finishLine(): StreamMessage[] {
		const line = this.#pieces.join("");
		const overlong = this.#overlong;
		this.#pieces = [];
		this.#units = 0;
		this.#overlong = false;
		if (overlong) {
			this.#skipped++;
			this.#dropBroken();
			return [];
		}
		return this.#readLine(line);
	}

	#readLine(line: string): StreamMessage[] {
		const parsed = parseMessage(line);
		if (typeof parsed !== "string") {
			// It stands on its own, so what was broken before it was never going to be continued.
			this.#dropBroken();
			return [parsed];
		}
		if (this.#broken !== undefined || (parsed === "malformed" && line.startsWith("{"))) return this.#mend(line);
		if (parsed === "malformed" && line.trim() !== "") this.#skipped++;
		return [];
	}

	/**
	 * agy 1.1.8 wrote line ends inside strings as they are, so that one message came as several lines. They are put together
	 * again with the line end escaped.
	 */
	#mend(line: string): StreamMessage[] {
		const broken = this.#broken ?? { pieces: [], units: 0, inString: false };
		this.#broken = broken;
		if (hasOddQuotes(line)) broken.inString = !broken.inString;
		// Outside a string, a carriage return before the line end is part of the line end.
		broken.pieces.push(escapeControls(broken.inString ? line : line.replace(/\r$/, "")));
		broken.units += line.length;
		if (broken.inString && broken.units <= this.#maxUnits) return [];
		this.#broken = undefined;
		const parsed = parseMessage(broken.pieces.join("\\n"));
		if (parsed === "malformed") this.#skipped++;
		return typeof parsed === "string" ? [] : [parsed];
	}

	#dropBroken(): void {
		if (this.#broken !== undefined) this.#skipped++;
		this.#broken = undefined;
	}
}

/** Control characters stand inside strings only, and JSON wants them escaped there. */
function escapeControls(line: string): string {
	return line.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}

function hasOddQuotes(line: string): boolean {
	return line.replace(/\\./gs, "").split('"').length % 2 === 0;
}

/** What an agy without stream-json printed, as the result it stands for. The turn's end is the process's. */
export function textResult(stdout: string, exitCode: number | undefined): StreamResult {
	return {
		event: "result",
		conversationId: undefined,
		status: exitCode === 0 ? "SUCCESS" : "ERROR",
		response: stdout,
		error: undefined,
		deniedActions: [],
		usage: undefined,
	};
}
