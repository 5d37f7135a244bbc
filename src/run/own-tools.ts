import type { RunRequest } from "../engine/engine.ts";
import type { AgyEvent, ToolKind } from "../engine/events.ts";
import type { Failure } from "../engine/failure.ts";

/** What an agy without tools of its own cannot do. Its other built-in tools touch nothing. */
const SWITCHED_OFF: ReadonlySet<ToolKind> = new Set<ToolKind>([
	"command",
	"edit",
	"read",
	"list",
	"grep",
	"find",
	"web",
	"url",
	"subagent",
]);

/**
 * Pure: why a run must not go on after an event: agy's tools were switched off, and it uses one. An agy that does not find the
 * agent it was told to be may quietly be another one, so this is looked at and not trusted.
 */
export function forbiddenToolUse({ ownTools }: Pick<RunRequest, "ownTools">, event: AgyEvent): Failure | undefined {
	if (ownTools !== "off" || event.type !== "tool" || !SWITCHED_OFF.has(event.kind)) return undefined;
	return {
		kind: "bad-request",
		problem: `agy used a tool of its own (${event.name}) although the setting toolsRunIn switches them off, and was stopped. The tool may have begun.`,
		remedy: "Update agy, or set toolsRunIn to agy.",
	};
}
