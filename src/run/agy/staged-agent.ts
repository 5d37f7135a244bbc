import { mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makePrivateFolder } from "../../files/private-folder.ts";

/** An agent of agy without its built-in tools, in a folder that is to be named with `--add-dir`. */
export interface StagedAgent {
	readonly name: string;
	readonly directory: string;
	/** Removes what was made for it. Never rejects. */
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

/**
 * Writes an agent for one run, readable by this user only: into `folder` where it is given (a working directory is where agy looks
 * first), else into a new one among the temporary files. Rejects when that cannot be written to.
 */
export async function stageAgent(kind: AgentKind, folder?: string): Promise<StagedAgent> {
	const name = `pi-${kind}`;
	const directory = folder ?? (await makePrivateFolder());
	const agents = join(directory, ".agents", "agents");
	const file = join(agents, `${name}.md`);
	await mkdir(agents, { recursive: true, mode: 0o700 });
	await writeFile(file, DEFINITIONS[kind], { mode: 0o600 });
	return {
		name,
		directory,
		async remove() {
			await rm(file, { force: true }).catch(() => {});
			// Whatever else lies there is not ours.
			const empty = [agents, dirname(agents), ...(folder === undefined ? [directory] : [])];
			for (const path of empty) await rmdir(path).catch(() => {});
		},
	};
}
