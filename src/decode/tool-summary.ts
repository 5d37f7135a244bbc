import type { JsonObject, ToolKind } from "../engine/events.ts";

const MAX_SUMMARY = 300;

/** agy's tool names and what they do; those of a step type of their own and those that come as generic steps. */
const KINDS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
	["run_command", "command"],
	["command_status", "command"],
	["send_command_input", "command"],
	["shell_exec", "command"],
	["read_terminal", "command"],
	["code_action", "edit"],
	["write_to_file", "edit"],
	["replace_file_content", "edit"],
	["multi_replace_file_content", "edit"],
	["edit_notebook", "edit"],
	["delete_file", "edit"],
	["move", "edit"],
	["view_file", "read"],
	["view_file_outline", "read"],
	["view_code_item", "read"],
	["read_notebook", "read"],
	["list_dir", "list"],
	["list_directory", "list"],
	["grep_search", "grep"],
	["code_search", "grep"],
	["find_by_name", "find"],
	["call_mcp_tool", "mcp"],
	["search_web", "web"],
	["read_url_content", "url"],
	["view_content_chunk", "url"],
	["open_browser_url", "url"],
	["invoke_subagent", "subagent"],
	["browser_subagent", "subagent"],
	["ask_question", "question"],
	["generate_image", "image"],
]);

/** What the tool of this name does; `other` for one that is not known here. */
export function toolKindOf(name: string): ToolKind {
	return KINDS.get(name) ?? "other";
}

/** What a call does in one line, without the verb, from its arguments; "" where they do not tell. */
export function summarise(kind: ToolKind, args: JsonObject): string {
	const arg = (...names: string[]) => firstText(args, names);
	switch (kind) {
		case "command":
			return oneLine(arg("CommandLine", "Command", "Input", "CommandId"));
		case "read":
			return withLines(arg("AbsolutePath", "TargetFile", "File", "Path"), args);
		case "edit":
			return oneLine(arg("TargetFile", "AbsolutePath", "DirectoryPath", "Source", "Path"));
		case "list":
			return oneLine(arg("DirectoryPath", "AbsolutePath", "Path"));
		case "grep":
			return oneLine(inPlace(quoted(arg("Query")), arg("SearchPath", "SearchDirectory")));
		case "find":
			return oneLine(inPlace(arg("Pattern"), arg("SearchDirectory", "SearchPath")));
		case "mcp":
			return oneLine([arg("ServerName"), arg("ToolName")].filter(Boolean).join("/"));
		case "web":
			return oneLine(quoted(arg("query", "Query")));
		case "url":
			return oneLine(arg("Url", "url"));
		case "subagent":
			return oneLine(arg("Role", "SubagentName", "TaskName", "Task", "Prompt"));
		case "question":
			return oneLine(arg("question", "Question"));
		case "image":
			return oneLine(arg("ImageName", "Prompt"));
		case "other":
			return oneLine(arg("Url", "url"));
		default:
			return kind satisfies never;
	}
}

/** The first line that says something, shortened; an ellipsis where anything was left out. */
export function oneLine(text: string): string {
	const trimmed = text.trim();
	const line = (/^[^\r\n]*/.exec(trimmed)?.[0] ?? "").trimEnd();
	if (line.length > MAX_SUMMARY) return `${line.slice(0, MAX_SUMMARY)}…`;
	return line.length < trimmed.length ? `${line} …` : line;
}

function firstText(args: JsonObject, names: string[]): string {
	for (const name of names) {
		const value = args[name];
		if (typeof value === "string" && value !== "") return value;
	}
	return "";
}

function withLines(path: string, args: JsonObject): string {
	const { StartLine: from, EndLine: to } = args;
	return oneLine(typeof from === "number" && typeof to === "number" && path !== "" ? `${path}:${from}-${to}` : path);
}

function quoted(text: string): string {
	return text === "" ? "" : `"${text}"`;
}

function inPlace(what: string, where: string): string {
	return where === "" ? what : `${what} in ${where}`;
}
