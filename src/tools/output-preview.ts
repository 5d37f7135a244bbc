import { type Theme, type ToolDefinition, truncateToVisualLines } from "@earendil-works/pi-coding-agent";
import { type Component, truncateToWidth } from "@earendil-works/pi-tui";

type RenderContext = Parameters<NonNullable<ToolDefinition["renderResult"]>>[3];

/** `... (12 more lines, ctrl+o to expand)`; where there are no keys, as in an exported page, only what there is more of. */
export function expandHint(what: string, theme: Theme, keys: Pick<RenderContext, "keyHint" | "keyText">): string {
	if (keys.keyText("app.tools.expand") === "") return theme.fg("muted", `... (${what})`);
	return `${theme.fg("muted", `... (${what}, `)}${keys.keyHint("app.tools.expand", "to expand")}${theme.fg("muted", ")")}`;
}

/** A few lines of an output as they wrap at the current width. pi draws it with every frame, so the result is kept. */
export class OutputPreview implements Component {
	readonly #text: string;
	readonly #maxLines: number;
	readonly #keep: "start" | "end";
	readonly #hint: (hidden: number) => string;
	#drawn: { readonly width: number; readonly lines: string[] } | undefined;

	constructor(text: string, maxLines: number, keep: "start" | "end", hint: (hidden: number) => string) {
		this.#text = text;
		this.#maxLines = maxLines;
		this.#keep = keep;
		this.#hint = hint;
	}

	render(width: number): string[] {
		if (this.#drawn?.width !== width) this.#drawn = { width, lines: this.#draw(width) };
		return this.#drawn.lines;
	}

	invalidate(): void {
		this.#drawn = undefined;
	}

	#draw(width: number): string[] {
		const { visualLines, skippedCount } = truncateToVisualLines(this.#text, this.#maxLines, width, 0, this.#keep);
		if (skippedCount === 0) return [...visualLines];
		const hint = truncateToWidth(this.#hint(skippedCount), width, "...");
		return this.#keep === "end" ? [hint, ...visualLines] : [...visualLines, hint];
	}
}
