import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An agent of agy that has no tools, in a folder of its own that is to be named with `--add-dir`. */
export interface StagedAgent {
	readonly name: string;
	readonly directory: string;
	/** Removes the folder. Never rejects. */
	remove(): Promise<void>;
}

const NAME = "pi-words-only";

/** `excludeDefaultComponents` needs agy 1.2.1; an older agy would quietly use its default agent, with all tools. */
const DEFINITION = `---
name: ${NAME}
description: Answers in words only.
tools: []
excludeDefaultComponents: true
inheritCustomizations: false
---
Answer the request with text only. You have no tools.
`;

/** Writes the agent for one run, readable by this user only. Rejects when `parent` (the temporary folder) is not writable. */
export async function stageWordsOnlyAgent(parent: string = tmpdir()): Promise<StagedAgent> {
	const directory = await mkdtemp(join(parent, "pi-agy-agent-"));
	const agents = join(directory, ".agents", "agents");
	await mkdir(agents, { recursive: true, mode: 0o700 });
	await writeFile(join(agents, `${NAME}.md`), DEFINITION, { mode: 0o600 });
	return {
		name: NAME,
		directory,
		async remove() {
			await rm(directory, { recursive: true, force: true }).catch(() => {});
		},
	};
}
