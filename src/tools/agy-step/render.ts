import { renderDiff, type Theme, type ToolDefinition } from "@earendil-works/pi-coding-agent";
import { Container, Spacer, Text } from "@earendil-works/pi-tui";
import type { TSchema } from "typebox";
import { diffCounts, stepSubject, stepVerb } from "../../provider/step-title.ts";
import { expandHint, OutputPreview } from "../output-preview.ts";
import { readDetails, type StepDetails } from "./details.ts";
import { statusNotes } from "./result.ts";
import { isToolKind } from "./tool-kind.ts";

type Definition = ToolDefinition<TSchema, StepDetails | undefined, CardState>;
type RenderCall = NonNullable<Definition["renderCall"]>;
type RenderResult = NonNullable<Definition["renderResult"]>;
type RenderContext = Parameters<RenderResult>[3];

/** Shared by the two renderers of one card. */
interface CardState {
	title?: Text;
}

/** Lines of output shown before the card is expanded. */
const PREVIEW_LINES = 5;
const PREVIEW_DIFF_LINES = 40;

/** The card's first line: `run npm test`. */
export const renderStepCall: RenderCall = (args, theme, context) => {
	const title = context.lastComponent instanceof Text ? context.lastComponent : new Text("", 0, 0);
	context.state.title = title;
	title.setText(titleText(readArguments(args), theme, context.cwd));
	return title;
};

/** The rest: output or diff, and a last line with what came of it. */
export const renderStepResult: RenderResult = (result, { expanded }, theme, context) => {
	const body = new Container();
	const details = readDetails(result.details);
	if (details === undefined) {
		const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
		if (text.trim() !== "") body.addChild(new Text(theme.fg(context.isError ? "error" : "toolOutput", text), 0, 0));
		return body;
	}
	context.state.title?.setText(titleText(details, theme, context.cwd));
	addDiff(body, details, expanded, theme, context);
	addOutput(body, details, expanded, theme, context);
	const notes = statusNotes(details);
	if (details.outputPath !== undefined) notes.push(`full output: ${details.outputPath}`);
	if (notes.length > 0) {
		const color = context.isError ? "error" : "muted";
		body.addChild(new Spacer(1));
		body.addChild(new Text(theme.fg(color, notes.join(" · ")), 0, 0));
	}
	return body;
};

type TitleParts = Pick<StepDetails, "kind" | "tool" | "summary" | "change" | "added" | "removed">;

function titleText(parts: TitleParts, theme: Theme, cwd: string): string {
	const kind = isToolKind(parts.kind) ? parts.kind : "other";
	const verb = theme.fg("toolTitle", theme.bold(stepVerb(kind, parts.tool, parts.change)));
	const words = [verb, theme.fg("accent", stepSubject(kind, parts.summary, cwd))];
	const { added = 0, removed = 0 } = parts;
	if (added > 0) words.push(theme.fg("toolDiffAdded", diffCounts({ added, removed: 0 })));
	if (removed > 0) words.push(theme.fg("toolDiffRemoved", diffCounts({ added: 0, removed })));
	return words.join(" ");
}

function addDiff(body: Container, details: StepDetails, expanded: boolean, theme: Theme, context: RenderContext): void {
	if (details.diff === undefined) return;
	const lines = details.diff.split("\n");
	const shown = expanded ? lines : lines.slice(0, PREVIEW_DIFF_LINES);
	body.addChild(new Spacer(1));
	body.addChild(new Text(renderDiff(shown.join("\n")), 0, 0));
	const hidden = lines.length - shown.length;
	if (hidden > 0) body.addChild(new Text(expandHint(`${hidden} more lines`, theme, context), 0, 0));
}

function addOutput(
	body: Container,
	details: StepDetails,
	expanded: boolean,
	theme: Theme,
	context: RenderContext,
): void {
	const output = details.output?.trim();
	if (output === undefined || output === "" || details.diff !== undefined) return;
	const styled = output
		.split("\n")
		.map((line) => theme.fg("toolOutput", line))
		.join("\n");
	body.addChild(new Spacer(1));
	if (expanded) {
		body.addChild(new Text(styled, 0, 0));
		return;
	}
	const keep = details.kind === "command" ? "end" : "start";
	const hint = (hidden: number) => expandHint(`${hidden} ${keep === "end" ? "earlier" : "more"} lines`, theme, context);
	body.addChild(new OutputPreview(styled, PREVIEW_LINES, keep, hint));
}

function readArguments(args: unknown): TitleParts {
	const value = typeof args === "object" && args !== null ? args : {};
	const text = (name: string) => {
		const found: unknown = Reflect.get(value, name);
		return typeof found === "string" ? found : "";
	};
	return { kind: text("kind"), tool: text("tool"), summary: text("summary") };
}
