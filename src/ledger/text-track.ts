/** How a text that was shown before changed. */
export type TextChange =
	| { readonly kind: "grew"; readonly delta: string }
	| { readonly kind: "rewritten"; readonly text: string };

/**
 * One growing text (the answer or the thinking of one model call) as both sources describe it, and how much of it was
 * shown. The database is the truth; stdout may be ahead of it, behind it, or all there is. But stdout has the answer's words only:
 * what comes before them, thinking or an earlier step, only the database tells. So what stdout says waits until the row has text,
 * or until no row is expected any more.
 */
export class TextTrack {
	#row: string | undefined;
	#rowIsFinal = false;
	#stdout = "";
	#stdoutAlone = false;
	#shown = "";

	/** What was shown so far. */
	get shown(): string {
		return this.#shown;
	}

	/** Part of what was shown comes from stdout only. */
	get exceedsRow(): boolean {
		return this.#shown.length > (this.#row?.length ?? 0);
	}

	/** The text the row holds now. `isFinal`: agy has finished the row. */
	fromRow(text: string, isFinal: boolean): TextChange | undefined {
		this.#row = text;
		this.#rowIsFinal = isFinal;
		return this.#show(this.#target(), isFinal);
	}

	fromStdout(delta: string): TextChange | undefined {
		this.#stdout += delta;
		return this.#show(this.#target(), false);
	}

	/** No row is to be expected, or none with this text. */
	stdoutAlone(): TextChange | undefined {
		this.#stdoutAlone = true;
		return this.#show(this.#target(), false);
	}

	/** Adds what neither source had for this text when they ended. */
	append(delta: string): TextChange | undefined {
		return this.#show(this.#shown + delta, true);
	}

	/** Nothing more will come: what was held back is shown, but for the line break that agy's printing adds at the end. */
	settle(): TextChange | undefined {
		const row = this.#row;
		if (row !== undefined && (this.#rowIsFinal || !this.#stdout.startsWith(row))) return this.#show(row, true);
		const printed = this.#stdout.replace(/\r?\n$/, "");
		return this.#show(row !== undefined && row.length > printed.length ? row : printed, true);
	}

	#target(): string {
		const row = this.#row;
		if (row !== undefined && (this.#rowIsFinal || row.length >= this.#stdout.length)) return row;
		if (!this.#stdoutAlone && !row) return "";
		if (row !== undefined && !this.#stdout.startsWith(row)) return row;
		const ahead = dependable(this.#stdout);
		return row !== undefined && row.length > ahead.length ? row : ahead;
	}

	#show(target: string, decided: boolean): TextChange | undefined {
		const shown = this.#shown;
		if (target === shown) return undefined;
		if (target.startsWith(shown)) {
			this.#shown = target;
			return { kind: "grew", delta: target.slice(shown.length) };
		}
		// A row that lags behind, or that shrank and may grow again.
		if (!decided && shown.startsWith(target)) return undefined;
		this.#shown = target;
		return { kind: "rewritten", text: target };
	}
}

/**
 * The part of a text from stdout that can be shown before the database confirms it: agy's printing adds a line break at
 * the end that the row does not have, and agy 1.1.12 broke characters into U+FFFD (fixed in 1.1.15).
 */
function dependable(text: string): string {
	const broken = text.indexOf("\uFFFD");
	return (broken < 0 ? text : text.slice(0, broken)).trimEnd();
}
