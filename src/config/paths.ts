import { join } from "node:path";
import { getAgentDir } from "@earendil-works/pi-coding-agent";

/** Where this extension keeps its files. */
export interface DataPaths {
	/** The folder of everything below. */
	readonly root: string;
	readonly settings: string;
	readonly models: string;
	readonly logs: string;
}

/** `agentDir` is pi's own folder: `PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
export function dataPaths(agentDir: string = getAgentDir()): DataPaths {
	const root = join(agentDir, "antigravity");
	return {
		root,
		settings: join(root, "config.json"),
		models: join(root, "models.json"),
		logs: join(root, "logs"),
	};
}
