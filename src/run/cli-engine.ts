import type { Settings } from "../config/schema.ts";
import type { Clock } from "../engine/clock.ts";
import type { Engine } from "../engine/engine.ts";
import type { Log } from "../engine/log.ts";
import { loadSqlite } from "../tail/load-sqlite.ts";
import { VersionReader } from "./agy/agy-version.ts";
import { defaultPatience, type Patience } from "./ending/ending.ts";
import { ownerPrefix } from "./process/environment.ts";
import { Guardian } from "./process/guardian.ts";
import type { Rung } from "./process/kill-ladder.ts";
import { systemOpenFiles } from "./process/open-files.ts";
import { endOrphans } from "./process/orphans.ts";
import { ownIdentity, type ProcessTable, systemProcesses } from "./process/process-table.ts";
import { startRun } from "./run.ts";
import { type OwnProcess, type RunContext, type RunFolders, runFolders } from "./run-context.ts";
import { ToolServerRegistrar } from "./tool-server/registrar.ts";

export interface CliEngineOptions {
	/** Asked at the start of every run. */
	readonly settings: () => Settings;
	readonly clock: Clock;
	readonly log: Log;
	/** pi's agent folder; locks and notes live below it. */
	readonly agentDir: string;
	/** pi's own environment. */
	readonly env: Readonly<Record<string, string | undefined>>;
	/** Shared with others who ask for agy's version, so that it is asked once. */
	readonly versions?: VersionReader;
	readonly platform?: NodeJS.Platform;
	/** When a turn's end is believed; for tests. */
	readonly patience?: Omit<Patience, "backgroundMs">;
	/** How an agy that does not exit is ended; for tests. */
	readonly rungs?: readonly Rung[];
}

/** The engine that starts `agy -p` for every run and follows its database. */
export function createCliEngine(options: CliEngineOptions): Engine {
	const context = sharedContext(options);
	return { name: "agy-cli", start: (request) => startRun(request, context) };
}

function sharedContext(options: CliEngineOptions): RunContext {
	const { platform = process.platform, patience = defaultPatience } = options;
	const table = systemProcesses(platform);
	const folders = runFolders(options.agentDir);
	return {
		settings: options.settings,
		clock: options.clock,
		log: options.log,
		env: options.env,
		platform,
		table,
		openFiles: systemOpenFiles(platform),
		versions: options.versions ?? new VersionReader(),
		own: once(() => ownProcess(options, table, folders, platform)),
		folders,
		patience,
		rungs: options.rungs,
		sqlite: once(loadSqlite),
		lingering: new Map(),
		usageTotals: new Map(),
	};
}

async function ownProcess(
	{ clock, log }: CliEngineOptions,
	table: ProcessTable,
	folders: RunFolders,
	platform: NodeJS.Platform,
): Promise<OwnProcess> {
	const identity = await ownIdentity(table);
	const orphans = await endOrphans({ folder: folders.runs, table, clock });
	if (orphans > 0) log.info("run.orphans", { ended: orphans });
	const registrar = new ToolServerRegistrar({ root: folders.root, table, owner: identity, log });
	await registrar.cleanUp();
	const guardian = new Guardian({ ownerPrefix: ownerPrefix(identity), clock, platform });
	return { identity, guardian, registrar };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
	let made: Promise<T> | undefined;
	return () => {
		made ??= make();
		return made;
	};
}
