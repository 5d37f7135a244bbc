import type { Theme, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { type Component, truncateToWidth } from "@earendil-works/pi-tui";

type RenderContext = Parameters<NonNullable<ToolDefinition["renderResult"]>>[3];

/** `... (12 more lines, ctrl+o to expand)`; where there are no keys, as in an exported page, only what there is more of. */
export function expandHint(what: string, theme: Theme, keys: Pick<RenderContext, "keyHint" | "keyText">): string {
	if (keys.keyText("app.tools.expand") === "") return theme.fg("muted", `... (${what})`);
	return `${theme.fg("muted", `... (${what}, `)}${keys.keyHint("app.tools.expand", "to expand")}${theme.fg("muted", ")")}`;
}

/** The first or last lines of something as they wrap at the current width. pi draws it with every frame, so they are kept. */
export class OutputPreview implements Component {
	readonly #whole: Component;
	readonly #maxLines: number;
	readonly #keep: "start" | "end";
	readonly #hint: (hidden: number) => string;
	#drawn: { readonly width: number; readonly lines: string[] } | undefined;

	constructor(whole: Component, maxLines: number, keep: "start" | "end", hint: (hidden: number) => string) {
		this.#whole = whole;
		this.#maxLines = maxLines;
		this.#keep = keep;
		this.#hint = hint;
	}

	render(width: number): string[] {
		if (this.#drawn?.width !== width) this.#drawn = { width, lines: this.#draw(width) };
		return this.#drawn.lines;
	}

	invalidate(): void {
		this.#whole.invalidate();
		this.#drawn = undefined;
	}

	#draw(width: number): string[] {
		const lines = [...this.#whole.render(width)];
		const hidden = lines.length - this.#maxLines;
		if (hidden <= 0) return lines;
		const hint = truncateToWidth(this.#hint(hidden), width, "...");
		return this.#keep === "end" ? [hint, ...lines.slice(-this.#maxLines)] : [...lines.slice(0, this.#maxLines), hint];
	}
}
