import type { FileDiff, ToolEvent } from "../../engine/events.ts";
import { isEndState } from "../../engine/tool-state.ts";
import { lastLines } from "../../words/printable.ts";
import { stepOutcome, stepSubject, stepTitle } from "../../words/step-title.ts";
import { displayDiff } from "../diff-view.ts";
import type { ChangedFile, RanCommand, ShownStep } from "./details.ts";

/** Lines of a diff and of a command's output that are kept for the expanded card. */
const DIFF_LINES = 120;
const OUTPUT = { lines: 8, length: 300 };

/** The files that agy's edits changed, each once, in the order of their first change. Edits that failed do not count. */
export function changedFiles(steps: readonly ToolEvent[], cwd: string): ChangedFile[] {
	const files = new Map<string, ChangedFile>();
	for (const { diff, state } of steps) {
		if (diff === undefined || state !== "done") continue;
		const before = files.get(diff.path);
		files.set(diff.path, before === undefined ? fileOf(diff, cwd) : changedAgain(before, diff, cwd));
	}
	return [...files.values()];
}

function fileOf(diff: FileDiff, cwd: string): ChangedFile {
	return {
		path: stepSubject("edit", diff.path, cwd),
		change: diff.change,
		...(diff.movedTo !== undefined && { movedTo: stepSubject("edit", diff.movedTo, cwd) }),
		added: diff.added,
		removed: diff.removed,
	};
}

function changedAgain(before: ChangedFile, diff: FileDiff, cwd: string): ChangedFile {
	const after = fileOf(diff, cwd);
	const isEdit = after.change === "edited";
	return {
		...before,
		...after,
		// An edit of a file that agy has just made, or moved, leaves it a new, or moved, file.
		change: isEdit ? (before.change === "deleted" ? "edited" : before.change) : after.change,
		added: before.added + after.added,
		removed: before.removed + after.removed,
	};
}

/** The commands that agy ran, in order. Those it was refused are not among them. */
export function ranCommands(steps: readonly ToolEvent[], cwd: string): RanCommand[] {
	return steps
		.filter((step) => step.kind === "command" && step.error?.denied === undefined)
		.map(({ summary, exitCode, state }) => ({
			command: stepSubject("command", summary, cwd),
			...(exitCode !== undefined && { exitCode }),
			state,
		}));
}

const drawn = new WeakMap<ToolEvent, ShownStep>();

/** A step for the expanded card. A step that has not changed is not drawn again: updates come many times a second. */
export function shownStep(step: ToolEvent, cwd: string): ShownStep {
	const known = drawn.get(step);
	if (known !== undefined) return known;
	const shown = draw(step, cwd);
	drawn.set(step, shown);
	return shown;
}

function draw(step: ToolEvent, cwd: string): ShownStep {
	const failed =
		step.state === "failed" || step.state === "cancelled" || step.error !== undefined || (step.exitCode ?? 0) !== 0;
	const diff = step.diff && displayDiff(step.diff);
	const output = step.kind === "command" && step.output !== undefined ? lastLines(step.output, OUTPUT) : "";
	return {
		title: stepTitle(step, cwd),
		outcome: stepOutcome(step),
		state: failed ? "failed" : isEndState(step.state) ? "done" : "open",
		...(diff !== undefined && { diff: firstLines(diff) }),
		...(output !== "" && { output }),
	};
}

function firstLines(diff: string): string {
	const lines = diff.split("\n");
	if (lines.length <= DIFF_LINES) return diff;
	return [...lines.slice(0, DIFF_LINES), ` ... ${lines.length - DIFF_LINES} more lines`].join("\n");
}
