import type { JsonValue, ToolEvent } from "../../engine/events.ts";
import { isJsonObject } from "../../engine/json.ts";
import { printable, shorten } from "../../words/printable.ts";

const MAX_LENGTH = 2_000;
/** Arguments in which agy's models say in words what the call is for. */
const LABELS: ReadonlySet<string> = new Set(["toolAction", "toolSummary"]);

/** What a step was given, where its title does not say it all; undefined where it does. */
export function stepInput(step: ToolEvent): string | undefined {
	const text = printable(inputText(step)).trim();
	if (text === "" || text === step.summary) return undefined;
	return shorten(text, MAX_LENGTH);
}

function inputText({ kind, args }: ToolEvent): string {
	switch (kind) {
		case "command":
			return textOf(args.CommandLine);
		case "mcp":
			return compact(args.Arguments);
		case "subagent":
			return textOf(args.Prompt) || prompts(args.Subagents);
		case "image":
			return textOf(args.Prompt);
		case "other":
			return compact(Object.fromEntries(Object.entries(args).filter(([name]) => !LABELS.has(name))));
		case "edit":
		case "read":
		case "list":
		case "grep":
		case "find":
		case "web":
		case "url":
		case "question":
			return "";
	}
}

/** `query: "open", limit: 2`. A generic step has JSON as text here. */
function compact(value: JsonValue | undefined): string {
	if (!isJsonObject(value)) return textOf(value);
	return Object.entries(value)
		.map(([name, item]) => `${name}: ${JSON.stringify(item)}`)
		.join(", ");
}

function prompts(subagents: JsonValue | undefined): string {
	if (!Array.isArray(subagents)) return "";
	return subagents
		.filter(isJsonObject)
		.map((subagent) => textOf(subagent.Prompt))
		.join("\n");
}

function textOf(value: JsonValue | undefined): string {
	return typeof value === "string" ? value : "";
}
