import { renderDiff, type Theme, type ToolDefinition } from "@earendil-works/pi-coding-agent";
import { Container, Spacer, Text, TruncatedText } from "@earendil-works/pi-tui";
import type { TSchema } from "typebox";
import type { Clock } from "../../engine/clock.ts";
import { formatToolDuration } from "../../words/duration.ts";
import { homePath } from "../../words/home-path.ts";
import { printableLine } from "../../words/printable.ts";
import { diffCounts, displayPath, stepSubject, stepVerb } from "../../words/step-title.ts";
import { linesLeftOut } from "../diff-view.ts";
import { type TickState, tickWhileRunning } from "../elapsed.ts";
import { addFolded, addPlainResult, expandHint, outputText } from "../output-preview.ts";
import { readDetails, type StepDetails } from "./details.ts";
import { statusNotes } from "./result.ts";
import { isToolKind } from "./tool-kind.ts";

type Definition = ToolDefinition<TSchema, StepDetails | undefined, CardState>;
type CallParameters = Parameters<NonNullable<Definition["renderCall"]>>;
type RenderResult = NonNullable<Definition["renderResult"]>;
type RenderContext = Parameters<RenderResult>[3];

/** Shared by the two renderers of one card. */
interface CardState extends TickState {
	title?: Text;
	/** When a step that agy gives no time for was first drawn. Milliseconds since the epoch. */
	firstDrawn?: number;
}

/** Lines of output shown before the card is expanded. */
const PREVIEW_LINES = 5;
const PREVIEW_DIFF_LINES = 40;
/** A new file is as agy wrote it: its beginning tells enough. */
const PREVIEW_NEW_FILE_LINES = 10;

/**
 * The card's first line: `run npm test`. `recorded` gives the details of the card's result where there is one already: in a
 * page that pi exports, no result can change its title any more.
 */
export function renderStepCall(
	args: CallParameters[0],
	theme: CallParameters[1],
	context: CallParameters[2],
	recorded: () => unknown,
): Text {
	const known = context.lastComponent instanceof Text ? context.lastComponent : undefined;
	const title = known ?? new Text("", 0, 0);
	context.state.title = title;
	const details = known === undefined ? readDetails(recorded()) : undefined;
	title.setText(titleText(details ?? readArguments(args), theme, context.cwd));
	return title;
}

/** The rest: output or diff, a line with what came of it, and the time. `clock` tells how long a running step has taken. */
export function stepResultRenderer(clock: Clock): RenderResult {
	return (result, { expanded, isPartial }, theme, context) => {
		const body = new Container();
		const details = readDetails(result.details);
		if (details === undefined) {
			addPlainResult(body, result.content, theme, context);
			return body;
		}
		tickWhileRunning(isPartial, clock, context);
		context.state.title?.setText(titleText(details, theme, context.cwd));
		addInput(body, details, expanded, theme);
		addDiff(body, details, expanded, theme, context);
		addOutput(body, details, expanded, theme, context);
		for (const path of details.imagePaths ?? []) {
			body.addChild(new Text(theme.fg("muted", printableLine(displayPath(path, context.cwd))), 0, 0));
		}
		const notes = [...statusNotes(details, homePath), ...outputNotes(details)];
		if (notes.length > 0) {
			const color = context.isError ? "error" : "muted";
			body.addChild(new Spacer(1));
			body.addChild(new Text(theme.fg(color, notes.join(" · ")), 0, 0));
		}
		const time = timeText(details, isPartial, clock, context.state);
		if (time !== undefined) {
			if (notes.length === 0) body.addChild(new Spacer(1));
			body.addChild(new Text(theme.fg("muted", time), 0, 0));
		}
		return body;
	};
}

/** As pi's own cards of commands have it: `Elapsed 4.2s` while the step runs, then `Took 4.2s`. Nothing below a second. */
function timeText(details: StepDetails, isPartial: boolean, clock: Clock, state: CardState): string | undefined {
	if (isPartial) state.firstDrawn ??= clock.now();
	const since = details.startedAt ?? state.firstDrawn ?? clock.now();
	const length = isPartial ? clock.now() - since : details.duration;
	if (length === undefined || length < 1000) return undefined;
	return `${isPartial ? "Elapsed" : "Took"} ${formatToolDuration(length)}`;
}

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

function addInput(body: Container, { kind, input }: StepDetails, expanded: boolean, theme: Theme): void {
	if (input === undefined) return;
	if (expanded) body.addChild(new Text(theme.fg("muted", input), 0, 0));
	// The first line of a command is its title.
	else if (kind !== "command") body.addChild(new TruncatedText(theme.fg("muted", input), 0, 0));
}

function addDiff(body: Container, details: StepDetails, expanded: boolean, theme: Theme, context: RenderContext): void {
	if (details.diff === undefined) return;
	const lines = details.diff.split("\n");
	const preview = details.change === "created" ? PREVIEW_NEW_FILE_LINES : PREVIEW_DIFF_LINES;
	const shown = expanded ? lines : lines.slice(0, preview);
	body.addChild(new Spacer(1));
	body.addChild(new Text(renderDiff(shown.join("\n")), 0, 0));
	const hidden = lines.length - shown.length;
	// The line that says so is itself among the hidden ones.
	const more = hidden + Math.max(0, linesLeftOut(details.diff) - 1);
	if (hidden > 0) body.addChild(new Text(expandHint(`${more} more lines`, theme, context), 0, 0));
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
	body.addChild(new Spacer(1));
	const keep = details.kind === "command" ? "end" : "start";
	const whole = new Text(outputText(output, theme), 0, 0);
	addFolded(body, whole, { lines: PREVIEW_LINES, keep }, expanded, theme, context);
}

/** How much of a long output the card has, and where the rest is. */
function outputNotes({ kind, output, totalLines, outputPath }: StepDetails): string[] {
	const kept = output?.trimEnd().split("\n").length ?? 0;
	const isPart = totalLines !== undefined && totalLines > kept;
	const part = `${kind === "command" ? "last" : "first"} ${kept} of ${totalLines} lines kept`;
	return [...(isPart ? [part] : []), ...(outputPath === undefined ? [] : [`full output: ${homePath(outputPath)}`])];
}

function readArguments(args: unknown): TitleParts {
	const value = typeof args === "object" && args !== null ? args : {};
	const text = (name: string) => {
		const found: unknown = Reflect.get(value, name);
		return typeof found === "string" ? found : "";
	};
	return { kind: text("kind"), tool: text("tool"), summary: text("summary") };
}
