import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An agent of agy without its built-in tools, in a folder of its own that is to be named with `--add-dir`. */
export interface StagedAgent {
	readonly name: string;
	readonly directory: string;
	/** Removes the folder. Never rejects. */
	remove(): Promise<void>;
}

/** The agents that can be staged: one that has no tools at all, and one that has only those of MCP servers. */
export type AgentKind = "words-only" | "tools-only";

/**
 * `excludeDefaultComponents` needs agy 1.2.1; an older agy would quietly use its default agent, with all tools. MCP tools are
 * called through the built-in `call_mcp_tool`, and the servers are among the customizations.
 */
const DEFINITIONS: Readonly<Record<AgentKind, string>> = {
	"words-only": `---
name: pi-words-only
description: Answers in words only.
tools: []
excludeDefaultComponents: true
inheritCustomizations: false
---
Answer the request with text only. You have no tools.
`,
	"tools-only": `---
name: pi-tools-only
description: Works with the tools of pi.
tools: [call_mcp_tool]
excludeDefaultComponents: true
inheritCustomizations: true
---
You are a coding agent. Your only tools are those of the MCP server of pi: read, write and edit files and run commands with
them. You have no tools of your own.
`,
};

/** Writes an agent for one run, readable by this user only. Rejects when `parent` (the temporary folder) is not writable. */
export async function stageAgent(kind: AgentKind, parent: string = tmpdir()): Promise<StagedAgent> {
	const name = `pi-${kind}`;
	const directory = await mkdtemp(join(parent, "pi-agy-agent-"));
	const agents = join(directory, ".agents", "agents");
	await mkdir(agents, { recursive: true, mode: 0o700 });
	await writeFile(join(agents, `${name}.md`), DEFINITIONS[kind], { mode: 0o600 });
	return {
		name,
		directory,
		async remove() {
			await rm(directory, { recursive: true, force: true }).catch(() => {});
		},
	};
}
