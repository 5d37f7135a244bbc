import type { Theme, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { type Component, type Container, Text, truncateToWidth } from "@earendil-works/pi-tui";

type RenderContext = Parameters<NonNullable<ToolDefinition["renderResult"]>>[3];

/** `... (12 more lines, ctrl+o to expand)`; where there are no keys, as in an exported page, only what there is more of. */
export function expandHint(what: string, theme: Theme, keys: Pick<RenderContext, "keyHint" | "keyText">): string {
	if (keys.keyText("app.tools.expand") === "") return theme.fg("muted", `... (${what})`);
	return `${theme.fg("muted", `... (${what}, `)}${keys.keyHint("app.tools.expand", "to expand")}${theme.fg("muted", ")")}`;
}

/** Lines in the colour of a tool's output. */
export function outputText(text: string, theme: Theme): string {
	return text
		.split("\n")
		.map((line) => theme.fg("toolOutput", line))
		.join("\n");
}

/** What a card shows of a result without details of ours, as another version left it: its text. */
export function addPlainResult(
	body: Container,
	content: readonly { readonly type: string; readonly text?: string }[],
	theme: Theme,
	{ isError }: Pick<RenderContext, "isError">,
): void {
	const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
	if (text.trim() !== "") body.addChild(new Text(theme.fg(isError ? "error" : "toolOutput", text), 0, 0));
}

/** How much of something long is shown before its card is expanded, and from which end. */
export interface Fold {
	readonly lines: number;
	readonly keep: "start" | "end";
}

/** Adds `whole`, or the part of it that `fold` tells until the card is expanded, with a hint of how much more there is. */
export function addFolded(
	body: Container,
	whole: Component,
	{ lines, keep }: Fold,
	expanded: boolean,
	theme: Theme,
	keys: Pick<RenderContext, "keyHint" | "keyText">,
): void {
	const hint = (hidden: number) => expandHint(`${hidden} ${keep === "end" ? "earlier" : "more"} lines`, theme, keys);
	body.addChild(expanded ? whole : new OutputPreview(whole, lines, keep, hint));
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
