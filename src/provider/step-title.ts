import { isAbsolute, relative, sep } from "node:path";
import type { FileDiff, ToolEvent, ToolKind } from "../engine/events.ts";
import { formatDuration } from "./duration.ts";
import { printable } from "./printable.ts";

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
			return name;
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
	const words = [stepVerb(step.kind, step.name, step.diff?.change), stepSubject(step.summary, cwd)];
	if (step.diff) words.push(diffCounts(step.diff));
	return words.filter((word) => word !== "").join(" ");
}

/** The summary on one line, with an absolute path below `cwd` shortened to a relative one. */
export function stepSubject(summary: string, cwd: string): string {
	return displayPath(
		printable(summary)
			.replace(/\s*\n\s*/g, " ")
			.trim(),
		cwd,
	);
}

/** `path` relative to `cwd` where it lies below it, else unchanged. */
export function displayPath(path: string, cwd: string): string {
	if (!isAbsolute(path)) return path;
	const short = relative(cwd, path);
	return short === "" || short === ".." || short.startsWith(`..${sep}`) || isAbsolute(short) ? path : short;
}

export function diffCounts(diff: Pick<FileDiff, "added" | "removed">): string {
	return [diff.added > 0 ? `+${diff.added}` : "", diff.removed > 0 ? `-${diff.removed}` : ""]
		.filter((count) => count !== "")
		.join(" ");
}

/** What came of a step, in a few words: `exit 1 · 2 s`, `failed: no such file`. Empty while it runs. */
export function stepOutcome(step: ToolEvent): string {
	const parts: string[] = [];
	if (step.exitCode !== undefined) parts.push(`exit ${step.exitCode}`);
	if (step.state === "cancelled") parts.push("cancelled");
	if (step.state === "background") parts.push("in the background");
	if (step.error) parts.push(`${step.error.denied ? "refused" : "failed"}: ${firstLine(step.error.message)}`);
	else if (step.state === "failed") parts.push("failed");
	const duration = stepDuration(step);
	if (duration !== undefined && duration >= 1000) parts.push(formatDuration(duration));
	return parts.join(" · ");
}

/** How long the step took by agy's own record, in milliseconds. */
export function stepDuration(step: ToolEvent): number | undefined {
	if (step.startedAt === undefined || step.endedAt === undefined) return undefined;
	return Math.max(0, step.endedAt - step.startedAt);
}

export function isTerminal(step: ToolEvent): boolean {
	return step.state === "done" || step.state === "failed" || step.state === "cancelled";
}

function firstLine(text: string): string {
	return printable(text).trim().split("\n", 1)[0] ?? "";
}
