import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, truncateHead } from "@earendil-works/pi-coding-agent";
import { clipMiddle } from "../../conversation/clip.ts";
import type { NoticeEvent } from "../../engine/events.ts";
import type { Failure } from "../../engine/failure.ts";
import { activityWords } from "../../words/activity.ts";
import { formatDuration } from "../../words/duration.ts";
import { failureWords } from "../../words/failure-words.ts";
import { printable } from "../../words/printable.ts";
import type { AskDetails } from "./details.ts";
import { delegationRemedy } from "./remedy.ts";
import { type Delegation, modelName } from "./request.ts";
import { changedFiles, ranCommands, shownStep } from "./work-done.ts";
import { commandLine, fileLine } from "./work-lines.ts";
import type { WorkLog } from "./work-log.ts";

/** The part of an answer that a card shows while it grows. */
const GROWING_BYTES = 4 * 1024;
/** Steps that the expanded card shows, and lines of each list that the calling model reads. */
const SHOWN_STEPS = 60;
const LISTED = 40;

export interface Moment {
	/** Milliseconds since the epoch. */
	readonly startedAt: number;
	readonly now: number;
}

/** The details of a delegation as it stands. `answer` is the part that is kept, `answerPath` where the whole is. */
export function reportDetails(
	delegation: Delegation,
	log: WorkLog,
	{ startedAt, now }: Moment,
	answer: string,
	answerPath?: string,
): AskDetails {
	const { cwd, mode, model } = delegation;
	const { end, steps, activity, conversationId, usage } = log;
	const shown = steps.slice(-SHOWN_STEPS);
	return {
		model: modelName(model),
		mode,
		cwd,
		...(conversationId !== undefined && { conversationId }),
		outcome: end?.outcome.kind ?? "running",
		...(end?.outcome.kind === "failed" && { problem: problemText(end.outcome.failure, now) }),
		...(end === undefined && activity !== undefined && { activity: activityWords(activity, cwd) }),
		startedAt,
		...(end !== undefined && { duration: now - startedAt }),
		...(usage !== undefined && { usage: { ...usage } }),
		answer,
		...(answerPath !== undefined && { answerPath }),
		files: changedFiles(steps, cwd),
		commands: ranCommands(steps, cwd),
		pictures: steps.flatMap((step) => step.imagePaths ?? []),
		denied: noticeTexts(log, (notice) => notice.code === "denied-action"),
		notes: noticeTexts(log, isWorthNoting),
		steps: shown.map((step) => shownStep(step, cwd)),
		earlierSteps: steps.length - shown.length,
	};
}

/** Whoever delegates cannot see what agy decided in its place, so that is told as well as every warning. */
function isWorthNoting({ code, level }: NoticeEvent): boolean {
	return code === "self-answered-question" || (level !== "info" && code !== "denied-action");
}

/** Cause and remedy, for the model that delegates. `now` is in milliseconds since the epoch. */
export function problemText(failure: Failure, now: number): string {
	return `${failureWords(failure, now).cause} ${delegationRemedy(failure, now)}`;
}

function noticeTexts(log: WorkLog, wanted: (notice: NoticeEvent) => boolean): string[] {
	return [...new Set(log.notices.filter(wanted).map((notice) => printable(notice.text)))];
}

/** The end of an answer that is still growing. */
export function growingAnswer(answer: string): string {
	return printable(answer.slice(-GROWING_BYTES));
}

/** The answer within what pi allows a tool's output; `isCut` says that the whole of it should be kept elsewhere. */
export function boundedAnswer(answer: string): { readonly text: string; readonly isCut: boolean } {
	const limit = { maxBytes: DEFAULT_MAX_BYTES, maxLines: DEFAULT_MAX_LINES };
	const { content, truncated, firstLineExceedsLimit } = truncateHead(printable(answer), limit);
	if (firstLineExceedsLimit) return { text: clipMiddle(printable(answer), limit.maxBytes), isCut: true };
	return { text: content, isCut: truncated };
}

/** What the calling model reads: the answer first, then the facts of the work. */
export function reportText(details: AskDetails): string {
	const { answer, answerPath, files, commands, pictures, denied, notes } = details;
	const blocks = [
		opening(details),
		answer,
		answerPath === undefined ? "" : `[The answer is longer; all of it is in ${answerPath}]`,
		list("Files changed", files.map(fileLine)),
		list("Commands run", commands.map(commandLine)),
		list("Pictures made", pictures),
		list("Not allowed", denied),
		list("Notes", notes),
		closing(details),
	];
	return blocks.filter((block) => block !== "").join("\n\n");
}

function opening({ outcome, problem, answer }: AskDetails): string {
	switch (outcome) {
		case "answered":
			return answer === "" ? "agy ended without words." : "";
		case "cancelled":
			return `The delegation was cancelled.${answer === "" ? "" : " What agy had said:"}`;
		case "failed":
			return `${problem ?? "agy failed."}${answer === "" ? "" : " What agy had said:"}`;
		case "running":
			return "";
	}
}

function closing({ model, mode, conversationId, duration }: AskDetails): string {
	const parts = [model, mode];
	if (duration !== undefined) parts.push(formatDuration(duration));
	if (conversationId !== undefined) parts.push(`conversationId ${conversationId}`);
	return `[${parts.join(" · ")}]`;
}

function list(title: string, lines: readonly string[]): string {
	if (lines.length === 0) return "";
	const more = lines.length > LISTED ? [`- … and ${lines.length - LISTED} more`] : [];
	return [`${title}:`, ...lines.slice(0, LISTED).map((line) => `- ${line}`), ...more].join("\n");
}
