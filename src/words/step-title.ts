import { parse, sep } from "node:path";
import type { FileDiff, ToolEvent, ToolKind } from "../engine/events.ts";
import { formatDuration } from "./duration.ts";
import { homePath } from "./home-path.ts";
import { errorText } from "./permission.ts";
import { printable, printableLine } from "./printable.ts";

/** The first word of a step's title. `other` tools are called by agy's own name. */
export function stepVerb(kind: ToolKind, name: string, change?: FileDiff["change"]): string {
	switch (kind) {
		case "command":
			return "run";
		case "edit":
			return editVerb(change);
		case "read":
			return "read";
		case "list":
			return "list";
		case "grep":
			return "search";
		case "find":
			return "find";
		case "mcp":
			return "call";
		case "web":
			return "search the web for";
		case "url":
			return "fetch";
		case "subagent":
			return "subagent";
		case "question":
			return "question";
		case "image":
			return "draw";
		case "other":
			return printableLine(name);
	}
}

function editVerb(change: FileDiff["change"] | undefined): string {
	switch (change) {
		case "created":
			return "create";
		case "deleted":
			return "delete";
		case "moved":
			return "move";
		case "edited":
		case undefined:
			return "edit";
	}
}

/** The whole title in one line: `run npm test`, `edit src/x.ts +3 -1`. */
export function stepTitle(step: ToolEvent, cwd: string): string {
	const words = [stepVerb(step.kind, step.name, step.diff?.change), stepSubject(step.kind, step.summary, cwd)];
	if (step.diff) words.push(diffCounts(step.diff));
	return words.filter((word) => word !== "").join(" ");
}

/**
 * The summary on one line. Paths below `cwd` or the home folder are shortened, but not in a command: there every letter counts.
 */
export function stepSubject(kind: ToolKind, summary: string, cwd: string): string {
	const line = printableLine(summary);
	return kind === "command" ? line : withoutFolder(line, cwd);
}

/** `path` relative to `cwd` where it lies in it, else with `~` where it lies in the home folder. */
export function displayPath(path: string, cwd: string): string {
	if (path === cwd) return ".";
	return path.startsWith(cwd + sep) && cwd !== parse(cwd).root ? path.slice(cwd.length + 1) : homePath(path);
}

function withoutFolder(text: string, cwd: string): string {
	// A folder's name may hold spaces, so the text as a whole is looked at before its words.
	const whole = displayPath(text, cwd);
	if (whole !== text) return whole;
	return text
		.split(" ")
		.map((word) => displayPath(word, cwd))
		.join(" ");
}

/** `+3 -1`; a count of zero is left out. */
export function diffCounts(diff: Pick<FileDiff, "added" | "removed">): string {
	return [diff.added > 0 ? `+${diff.added}` : "", diff.removed > 0 ? `-${diff.removed}` : ""]
		.filter((count) => count !== "")
		.join(" ");
}

/** What came of a step, in a few words: `exit 1 · 2 s`, `failed: no such file`. Empty while it runs. */
export function stepOutcome(step: ToolEvent): string {
	const parts: string[] = [];
	if (step.exitCode !== undefined) parts.push(`exit ${step.exitCode}`);
	if (step.state === "background") parts.push("in the background");
	const ending = endingWord({ state: step.state, error: step.error, refused: step.error?.denied !== undefined });
	if (ending !== undefined) parts.push(step.error ? `${ending}: ${firstLine(errorText(step.error))}` : ending);
	const duration = stepDuration(step);
	if (duration !== undefined && duration >= 1000) parts.push(formatDuration(duration));
	return parts.join(" · ");
}

/** How a step ended, in one word: `refused`. Undefined for one that went well or is not over. */
export function endingWord(step: {
	readonly state: string;
	readonly error?: unknown;
	readonly refused: boolean;
}): string | undefined {
	if (step.refused) return "refused";
	if (step.state === "cancelled") return "cancelled";
	return step.state === "failed" || step.error !== undefined ? "failed" : undefined;
}

/** How long the step took by agy's own record, in milliseconds. */
export function stepDuration(step: ToolEvent): number | undefined {
	if (step.startedAt === undefined || step.endedAt === undefined) return undefined;
	return Math.max(0, step.endedAt - step.startedAt);
}

function firstLine(text: string): string {
	return printable(text).trim().split("\n", 1)[0] ?? "";
}
