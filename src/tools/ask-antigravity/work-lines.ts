import { diffCounts } from "../../words/step-title.ts";
import type { ChangedFile, RanCommand } from "./details.ts";

/** `src/x.ts (created) +12`; the change is left out where it is a plain edit. */
export function fileLine({ path, change, movedTo, added, removed }: ChangedFile): string {
	const how =
		change === "edited" ? "" : change === "moved" && movedTo !== undefined ? `(moved to ${movedTo})` : `(${change})`;
	return [path, how, diffCounts({ added, removed })].filter((part) => part !== "").join(" ");
}

/** `npm test (exit 1)`. */
export function commandLine({ command, exitCode, state }: RanCommand): string {
	if (exitCode !== undefined) return `${command} (exit ${exitCode})`;
	switch (state) {
		case "done":
			return command;
		case "failed":
		case "cancelled":
			return `${command} (${state})`;
		case "background":
			return `${command} (left running in the background)`;
		case "waiting":
		case "running":
			return `${command} (not finished)`;
	}
}
