import type { ActivityEvent, ToolKind } from "../engine/events.ts";
import { shorten } from "./printable.ts";
import { stepSubject } from "./step-title.ts";

const MAX_DETAIL = 60;

/** What agy is doing, in a few words. `cwd` is absolute. */
export function activityWords({ doing, detail, tool = "other" }: ActivityEvent, cwd: string): string {
	const subject = detail === undefined ? "" : shorten(stepSubject(tool, detail, cwd), MAX_DETAIL);
	switch (doing) {
		case "waiting-for-slot":
			return "waiting for a slot";
		case "waiting-for-conversation":
			return "waiting for the conversation";
		case "starting":
			return "starting";
		case "thinking":
			return "thinking";
		case "writing":
			return "writing";
		case "running-tool":
			return subject === "" ? "running a tool" : `${runningVerb(tool)} ${subject}`;
		case "waiting-for-permission":
			return subject === "" ? "waiting for permission" : `waiting for permission: ${subject}`;
		case "waiting-for-answer":
			return "waiting for an answer";
		case "retrying":
			return subject === "" ? "retrying" : `retrying after ${subject}`;
		case "finishing":
			return "finishing";
		case "waiting-for-background":
			return subject === "" ? "waiting for background tasks" : `waiting for background tasks: ${subject}`;
	}
}

function runningVerb(tool: ToolKind): string {
	switch (tool) {
		case "edit":
			return "editing";
		case "read":
			return "reading";
		case "list":
			return "listing";
		case "grep":
			return "searching for";
		case "find":
			return "finding";
		case "mcp":
			return "calling";
		case "web":
			return "searching the web for";
		case "url":
			return "fetching";
		case "question":
			return "asking";
		case "image":
			return "drawing";
		case "command":
		case "subagent":
		case "other":
			return "running";
	}
}
