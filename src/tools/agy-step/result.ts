import { truncateHead, truncateTail } from "@earendil-works/pi-coding-agent";
import type { ToolEvent, ToolKind, ToolWait } from "../../engine/events.ts";
import type { CardEnd } from "../../provider/step-card.ts";
import { formatDuration } from "../../words/duration.ts";
import { errorText } from "../../words/permission.ts";
import { printable } from "../../words/printable.ts";
import { diffCounts, endingWord, stepDuration, stepTitle } from "../../words/step-title.ts";
import { displayDiff } from "../diff-view.ts";
import type { StepDetails } from "./details.ts";
import { stepInput } from "./input.ts";

/** What the model reads after a switch: little, since every card of the session stays in its context. */
const CONTENT_LIMIT = { maxBytes: 4 * 1024, maxLines: 60 };
/** What the card can be expanded to. */
const DETAILS_LIMIT = { maxBytes: 30 * 1024, maxLines: 1000 };

export interface StepResult {
	readonly text: string;
	readonly details: StepDetails;
	readonly isError: boolean;
}

/** True when `output` does not fit into a card, so that the whole of it should be kept elsewhere. */
export function needsFile(output: string): boolean {
	return Buffer.byteLength(output) > CONTENT_LIMIT.maxBytes || countLines(output) > CONTENT_LIMIT.maxLines;
}

/** What a card's result is made of. */
export interface StepView {
	readonly step: ToolEvent;
	/** Undefined while the step is still followed. */
	readonly end: CardEnd | undefined;
	/** The card only brings the end of a step that ran on in the background. */
	readonly isSecond: boolean;
	/** Absolute. */
	readonly cwd: string;
	/** What agy was allowed when it began. */
	readonly permissions: "skip" | "deny";
	/** Where the whole output is, if it was kept. */
	readonly outputPath?: string;
}

/** The step as a tool result. */
export function stepResult(view: StepView): StepResult {
	const { step, end, cwd } = view;
	const details = stepDetails(view);
	const failed = details.error !== undefined || step.state === "failed" || step.state === "cancelled";
	const badExit = step.exitCode !== undefined && step.exitCode !== 0;
	const isError = end === "stopped" || end === "lost" || (end !== undefined && (failed || badExit));
	return { text: contentText(step, details, cwd), details, isError };
}

function stepDetails({ step, end, isSecond, outputPath, permissions }: StepView): StepDetails {
	const output = step.output === undefined ? undefined : cut(step.kind, step.output, DETAILS_LIMIT);
	const duration = stepDuration(step);
	const diff = step.diff && displayDiff(step.diff);
	const input = stepInput(step);
	return {
		kind: step.kind,
		tool: step.name,
		summary: step.summary,
		state: end === undefined || end === "finished" ? step.state : end,
		...(output !== undefined && { output: output.content }),
		...(output?.truncated && { totalLines: output.totalLines }),
		...(outputPath !== undefined && { outputPath }),
		...(diff !== undefined && { diff }),
		...(step.diff && { change: step.diff.change, added: step.diff.added, removed: step.diff.removed }),
		...(step.diff?.binary && { binary: true }),
		...(step.diff?.movedTo !== undefined && { movedTo: step.diff.movedTo }),
		...(step.exitCode !== undefined && { exitCode: step.exitCode }),
		...(step.error && { error: printable(errorText(step.error)).trim(), refused: step.error.denied !== undefined }),
		...(step.error?.denied?.by === "permission" && { remedy: REMEDIES[permissions] }),
		...(input !== undefined && { input }),
		...(step.progress !== undefined && { progress: step.progress }),
		...(step.wait && { waitsFor: waitText(step.wait) }),
		...(step.startedAt !== undefined && { startedAt: step.startedAt }),
		...(duration !== undefined && { duration }),
		...(isSecond && { late: true }),
		...(step.imagePaths && { imagePaths: [...step.imagePaths] }),
		...(step.task?.logPath !== undefined && { taskLog: step.task.logPath }),
	};
}

const REMEDIES: Readonly<Record<StepView["permissions"], string>> = {
	deny: "the setting `permissions: skip` would allow it",
	skip: "a rule in agy's own permissions, or a policy, forbids it",
};

interface Cut {
	readonly content: string;
	readonly truncated: boolean;
	readonly totalLines: number;
	readonly outputLines: number;
}

/** Commands end with what matters; everything else begins with it. */
function cut(kind: ToolKind, output: string, limit: { maxBytes: number; maxLines: number }): Cut {
	const fromEnd = kind === "command";
	// Only a part that surely holds the result is looked at: this runs for every update of a growing output.
	const room = limit.maxBytes * 4;
	const isLarge = output.length > room;
	const part = printable(!isLarge ? output : fromEnd ? output.slice(-room) : output.slice(0, room));
	const head = fromEnd ? undefined : truncateHead(part, limit);
	const { content, truncated, outputLines } =
		head === undefined || head.firstLineExceedsLimit ? truncateTail(part, limit) : head;
	return { content, truncated: truncated || isLarge, outputLines, totalLines: countLines(output) };
}

function countLines(text: string): number {
	let count = text === "" || text.endsWith("\n") ? 0 : 1;
	for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
	return count;
}

function contentText(step: ToolEvent, details: StepDetails, cwd: string): string {
	const parts: string[] = [];
	if (step.diff) parts.push(`${step.diff.change} ${step.diff.path} ${diffCounts(step.diff)}`.trim());
	const output = step.output === undefined ? undefined : cut(step.kind, step.output, CONTENT_LIMIT);
	if (output !== undefined && output.content.trim() !== "") parts.push(output.content.trimEnd());
	if (details.imagePaths) parts.push(...details.imagePaths);
	const notes = statusNotes(details);
	if (details.duration !== undefined && details.duration >= 1000) notes.push(formatDuration(details.duration));
	if (output?.truncated) notes.push(truncationNote(output, details.outputPath));
	if (notes.length > 0) parts.push(`[${notes.join(" · ")}]`);
	return parts.length > 0 ? parts.join("\n") : `${stepTitle(step, cwd)}: done`;
}

/** What came of a step, in the words of the card. `showPath` may shorten a path for people. */
export function statusNotes(details: StepDetails, showPath = (path: string) => path): string[] {
	const notes: string[] = [];
	if (details.exitCode !== undefined && details.exitCode !== 0) notes.push(`exit code ${details.exitCode}`);
	const ending = endingWord({ ...details, refused: details.refused === true });
	if (ending !== undefined) notes.push(details.error === undefined ? ending : `${ending}: ${details.error}`);
	if (details.remedy !== undefined) notes.push(details.remedy);
	if (details.binary) notes.push("binary file");
	if (details.kind === "question" && details.state === "done") notes.push("agy cannot ask here and decided by itself");
	if (details.late) notes.unshift("finished in the background");
	if (details.state === "background") notes.push("still running in the background");
	if (details.state === "stopped") notes.push("stopped before it was over");
	if (details.state === "lost") notes.push("agy stopped before this step was over");
	if (details.waitsFor !== undefined && details.state === "waiting") notes.push(details.waitsFor);
	if (details.progress !== undefined && details.state !== "done") notes.push(details.progress);
	if (details.taskLog !== undefined && details.state === "background") notes.push(`log: ${showPath(details.taskLog)}`);
	return notes.map(printable);
}

function truncationNote(output: Cut, path: string | undefined): string {
	const where = path === undefined ? "" : `, full output: ${path}`;
	return `${output.outputLines} of ${output.totalLines} lines shown${where}`;
}

function waitText(wait: ToolWait): string {
	switch (wait.for) {
		case "permission":
			return `waiting for permission: ${wait.action} ${wait.target}`.trimEnd();
		case "answer":
			return `waiting for an answer: ${wait.question}`;
	}
}
