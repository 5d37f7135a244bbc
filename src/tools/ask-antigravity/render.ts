import { getMarkdownTheme, renderDiff, type Theme, type ToolDefinition } from "@earendil-works/pi-coding-agent";
import { Container, Markdown, Spacer, Text } from "@earendil-works/pi-tui";
import type { Clock } from "../../engine/clock.ts";
import { formatDuration } from "../../words/duration.ts";
import { homePath } from "../../words/home-path.ts";
import { printable } from "../../words/printable.ts";
import { diffCounts } from "../../words/step-title.ts";
import { type TickState, tickWhileRunning } from "../elapsed.ts";
import { addFolded, addPlainResult, outputText } from "../output-preview.ts";
import { type AskDetails, readAskDetails, type ShownStep } from "./details.ts";
import { ASK_TOOL, type askParameters } from "./parameters.ts";
import { commandLine, fileLine } from "./work-lines.ts";

type Definition = ToolDefinition<typeof askParameters, AskDetails | undefined, TickState>;
type RenderCall = NonNullable<Definition["renderCall"]>;
type RenderResult = NonNullable<Definition["renderResult"]>;
type RenderContext = Parameters<RenderResult>[3];

const TASK_LINES = 3;
const ANSWER_LINES = 8;
/** Steps shown before the card is expanded, while it runs. */
const RECENT_STEPS = 3;

/** The card's head: the tool's name, what the call asks for, and the task. */
export const renderAskCall: RenderCall = (args, theme, context) => {
	const body = new Container();
	const { prompt, model, thinking, mode, cwd, conversationId, context: background } = textFields(args);
	const asked = [
		model,
		thinking,
		mode,
		background !== undefined && background !== "none" ? `context ${background}` : undefined,
		conversationId === undefined ? undefined : `continues ${conversationId}`,
		cwd === undefined ? undefined : `in ${homePath(cwd)}`,
	].filter((part) => part !== undefined);
	const title = theme.fg("toolTitle", theme.bold(ASK_TOOL));
	const words = asked.length === 0 ? title : `${title} ${theme.fg("accent", printable(asked.join(" · ")))}`;
	body.addChild(new Text(words, 0, 0));
	const task = outputText(printable(prompt ?? ""), theme);
	if (task !== "")
		addFolded(body, new Text(task, 0, 0), { lines: TASK_LINES, keep: "start" }, context.expanded, theme, context);
	return body;
};

/** The rest of the card. `clock` tells how long a running delegation has taken. */
export function askResultRenderer(clock: Clock): RenderResult {
	return (result, { expanded, isPartial }, theme, context) => {
		const body = new Container();
		const details = readAskDetails(result.details);
		if (details === undefined) {
			addPlainResult(body, result.content, theme, context);
			return body;
		}
		tickWhileRunning(isPartial, clock, context);
		body.addChild(new Spacer(1));
		body.addChild(new Text(theme.fg("muted", statusLine(details, clock.now())), 0, 0));
		addSteps(body, details, expanded, theme);
		addAnswer(body, details, expanded, theme, context);
		addWork(body, details, expanded, theme);
		return body;
	};
}

function statusLine(details: AskDetails, now: number): string {
	const { model, mode, outcome, activity, startedAt, duration, conversationId } = details;
	const parts = [model, mode, formatDuration(duration ?? now - startedAt)];
	if (outcome === "running") parts.push(activity ?? "starting");
	if (outcome === "cancelled") parts.push("cancelled");
	if (outcome === "failed") parts.push("failed");
	if (outcome !== "running" && conversationId !== undefined) parts.push(conversationId);
	return printable(parts.join(" · "));
}

function addSteps(body: Container, details: AskDetails, expanded: boolean, theme: Theme): void {
	const { outcome, steps, earlierSteps } = details;
	if (!expanded && outcome !== "running") return;
	const shown = expanded ? steps : steps.slice(-RECENT_STEPS);
	if (shown.length === 0) return;
	body.addChild(new Spacer(1));
	const hidden = earlierSteps + steps.length - shown.length;
	if (hidden > 0) body.addChild(new Text(theme.fg("muted", `... ${hidden} earlier steps`), 0, 0));
	for (const step of shown) addStep(body, step, expanded, theme);
}

function addStep(body: Container, step: ShownStep, expanded: boolean, theme: Theme): void {
	const sign =
		step.state === "failed"
			? theme.fg("error", "✗")
			: step.state === "done"
				? theme.fg("success", "✓")
				: theme.fg("muted", "…");
	const outcome = step.outcome === "" ? "" : theme.fg("muted", ` · ${step.outcome}`);
	body.addChild(new Text(`${sign} ${theme.fg("toolOutput", step.title)}${outcome}`, 0, 0));
	if (!expanded) return;
	if (step.diff !== undefined) body.addChild(new Text(renderDiff(step.diff), 2, 0));
	if (step.output !== undefined) body.addChild(new Text(outputText(step.output, theme), 2, 0));
}

function addAnswer(
	body: Container,
	{ answer, outcome, problem, answerPath }: AskDetails,
	expanded: boolean,
	theme: Theme,
	context: RenderContext,
): void {
	if (problem !== undefined) {
		body.addChild(new Spacer(1));
		body.addChild(new Text(theme.fg("error", printable(problem)), 0, 0));
	}
	if (answer.trim() !== "") {
		body.addChild(new Spacer(1));
		const keep = outcome === "running" ? "end" : "start";
		const words = new Markdown(answer.trim(), 0, 0, getMarkdownTheme());
		addFolded(body, words, { lines: ANSWER_LINES, keep }, expanded, theme, context);
	}
	if (answerPath !== undefined)
		body.addChild(new Text(theme.fg("muted", `full answer: ${homePath(answerPath)}`), 0, 0));
}

/** What was done: one line of numbers, or every file and command. */
function addWork(body: Container, details: AskDetails, expanded: boolean, theme: Theme): void {
	const { files, commands, pictures, denied, notes, outcome } = details;
	if (outcome === "running") return;
	const warnings = [...denied, ...notes];
	const done = expanded ? [...files.map(fileLine), ...commands.map(commandLine)] : numbers(details);
	done.push(...pictures.map((path) => homePath(path)));
	if (done.length + warnings.length > 0) body.addChild(new Spacer(1));
	const separator = expanded ? "\n" : " · ";
	if (done.length > 0) body.addChild(new Text(theme.fg("muted", done.join(separator)), 0, 0));
	for (const warning of warnings) body.addChild(new Text(theme.fg("warning", warning), 0, 0));
}

function numbers({ files, commands }: AskDetails): string[] {
	const added = files.reduce((sum, file) => sum + file.added, 0);
	const removed = files.reduce((sum, file) => sum + file.removed, 0);
	const failed = commands.filter(({ exitCode, state }) => state === "failed" || (exitCode ?? 0) !== 0).length;
	const parts: string[] = [];
	if (files.length > 0) parts.push(`${count(files.length, "file")} changed ${diffCounts({ added, removed })}`.trim());
	if (commands.length > 0) {
		parts.push(`${count(commands.length, "command")} run${failed === 0 ? "" : `, ${failed} failed`}`);
	}
	return parts;
}

function count(number: number, what: string): string {
	return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** The arguments as far as they have come and are text: a model is still writing them when the card appears. */
function textFields(args: unknown): Readonly<Record<string, string | undefined>> {
	if (typeof args !== "object" || args === null) return {};
	return Object.fromEntries(Object.entries(args).filter(([, value]) => typeof value === "string" && value !== ""));
}
