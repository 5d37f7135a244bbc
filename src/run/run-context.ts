import { join } from "node:path";
import type { Settings } from "../config/schema.ts";
import type { Clock } from "../engine/clock.ts";
import type { Log } from "../engine/log.ts";
import type { StreamUsage } from "../stdout/stream-message.ts";
import type { Sqlite } from "../tail/sqlite.ts";
import type { VersionReader } from "./agy/agy-version.ts";
import type { Patience } from "./ending/ending.ts";
import type { Guardian } from "./process/guardian.ts";
import type { Rung } from "./process/kill-ladder.ts";
import type { OpenFiles } from "./process/open-files.ts";
import type { ProcessIdentity, ProcessTable } from "./process/process-table.ts";
import type { ToolServerRegistrar } from "./tool-server/registrar.ts";

/** What all runs of one engine share. */
export interface RunContext {
	readonly settings: () => Settings;
	readonly clock: Clock;
	readonly log: Log;
	/** pi's own environment. */
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly platform: NodeJS.Platform;
	readonly table: ProcessTable;
	readonly openFiles: OpenFiles;
	readonly versions: VersionReader;
	/** Known from the first run on. By then, what earlier pi processes left behind is ended. Never rejects. */
	readonly own: () => Promise<OwnProcess>;
	readonly folders: RunFolders;
	readonly patience: Omit<Patience, "backgroundMs">;
	/** How a tree is ended; absent: the usual way. */
	readonly rungs: readonly Rung[] | undefined;
	/** Rejects with `SqliteMissingError`. */
	readonly sqlite: () => Promise<Sqlite>;
	/** Runs whose turn is over and whose agy is still there, by conversation: calling one ends its agy soon. */
	readonly lingering: Map<string, () => void>;
	/** What agy's last `result` said that a conversation has used in all, for conversations whose last turn had one. */
	readonly usageTotals: Map<string, StreamUsage>;
}

/** This pi process, and the one that watches over it. */
export interface OwnProcess {
	readonly identity: ProcessIdentity;
	readonly guardian: Guardian;
	/** Names pi's tools in agy's MCP configuration. */
	readonly registrar: ToolServerRegistrar;
}

/** Where runs leave their notes for other pi processes. */
export interface RunFolders {
	/** The folder of everything this extension keeps. */
	readonly root: string;
	readonly locks: string;
	readonly runs: string;
}

/** The folders below pi's agent folder. They are made when the first run needs them. */
export function runFolders(agentDir: string): RunFolders {
	const root = join(agentDir, "antigravity");
	return { root, locks: join(root, "locks"), runs: join(root, "runs") };
}
