import { basename, dirname } from "node:path";
import { getCurrentSystemMessage, type Message } from "@earendil-works/pi-ai";
import { contains } from "../files/contains.ts";
import { textOf } from "./transcript.ts";
import type { Workspace } from "./workspace.ts";

/** pi's sections that describe pi and its own tools; agy has others. */
const ABOUT_PI: ReadonlySet<string> = new Set(["preamble", "tools", "rules", "docs", "cwd", "mcp_servers"]);
/** Context files that agy reads by itself, from the working directory up to the root of the repository. */
const READ_BY_AGY: ReadonlySet<string> = new Set(["AGENTS.md", "GEMINI.md"]);

const CONTEXT_FILE =
	/<project_instructions path="([^"]*)">\n([\s\S]*?)\n<\/project_instructions>(?=\n\n<project_instructions path="|\n<\/project_context>\s*$)/g;

/**
 * The instructions in pi's system prompt that agy does not read by itself: the appended system prompt, context files
 * outside the workspace, CLAUDE.md, skills, sections of other extensions. Empty when there are none.
 */
export function instructionsFor(messages: readonly Message[], workspace: Workspace): string {
	const system = getCurrentSystemMessage(messages);
	if (!system) return "";
	const sections = Object.entries(system.sections ?? {}).filter(
		(section): section is [string, string] => section[1] !== null,
	);
	// pi writes `docs` only along with its own preamble: without it the preamble is the user's.
	const ownPreamble = sections.some(([name]) => name === "docs");
	const parts = [textOf(system.content)];
	for (const [name, text] of sections) {
		if (name === "project_context") parts.push(contextFiles(text, workspace));
		else if (!ABOUT_PI.has(name) || (name === "preamble" && !ownPreamble)) parts.push(text);
	}
	return parts
		.map((part) => part.trim())
		.filter((part) => part !== "")
		.join("\n\n");
}

function contextFiles(section: string, workspace: Workspace): string {
	const files = [...section.matchAll(CONTEXT_FILE)];
	if (files.length === 0) return section;
	return files
		.filter(([, path]) => path !== undefined && !agyReads(path, workspace))
		.map(([whole]) => whole)
		.join("\n\n");
}

function agyReads(path: string, { cwd, root }: Workspace): boolean {
	if (!READ_BY_AGY.has(basename(path))) return false;
	const folder = dirname(path);
	return contains(root, folder) && contains(folder, cwd);
}
