import type { ToolError } from "../engine/events.ts";
import { homePath } from "./home-path.ts";
import { printableLine, shorten } from "./printable.ts";

/** Longer targets, such as a script given to a shell, are shortened to this many characters. */
const MAX_TARGET = 120;

/**
 * What a permission is for, as it goes on after "permission" or "allowed": `to run npm test`. `action` is the name that agy's
 * permission rules have for it, or that of a tool.
 */
export function permittedAction(action: string, target = ""): string {
	const line = printableLine(target).trim();
	const what = homePath(shorten(line, MAX_TARGET));
	switch (action) {
		case "command":
			return `to run ${what || "a command"}`;
		case "unsandboxed":
			return `to run ${what || "a command"} outside the sandbox`;
		case "read_file":
			return `to read ${what || "a file"}`;
		case "write_file":
			return `to write ${what || "a file"}`;
		case "read_url":
			return `to fetch ${what || "a web page"}`;
		case "mcp":
			return `to call ${what || "a tool of an MCP server"}`;
		default:
			return `to use ${printableLine(action)}${what === "" ? "" : `: ${what}`}`;
	}
}

/** Why a step failed or was refused. agy's own words for a refusal speak of a user, whom nobody asked. */
export function errorText({ message, denied }: ToolError): string {
	if (denied?.by !== "permission" || denied.action === undefined) return message;
	return `no permission ${permittedAction(denied.action, denied.target)}`;
}
