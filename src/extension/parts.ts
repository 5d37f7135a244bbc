import { existsSync } from "node:fs";
import { join } from "node:path";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { type DataPaths, dataPaths } from "../config/paths.ts";
import { createSettingsSource, type SettingsSource } from "../config/settings-source.ts";
import { createConversationPlanner } from "../conversation/planner.ts";
import { createSessionStore, type SessionStore } from "../conversation/session-store.ts";
import { systemClock } from "../engine/clock.ts";
import { createFileLog, type FileLog } from "../log/file-log.ts";
import { createCatalogue, type ModelCatalogue } from "../models/catalogue.ts";
import { createCliEngine } from "../run/cli-engine.ts";
import { systemOpenFiles } from "../run/conversation-folder.ts";
import type { IdleParts } from "../run/idle-conversation.ts";
import { systemProcesses } from "../run/process-table.ts";
import { runFolders } from "../run/run-context.ts";
import { type AgyAccess, createAgyAccess } from "./agy-access.ts";
import type { AntigravityParts } from "./register.ts";

/** The real parts, for the tools and the command as well. Making them reads two small files and starts nothing. */
export interface RealParts extends AntigravityParts {
	readonly catalogue: ModelCatalogue;
	readonly log: FileLog;
	readonly settingsSource: SettingsSource;
	readonly paths: DataPaths;
	readonly store: SessionStore;
	readonly agy: AgyAccess;
	/** pi's own environment. */
	readonly env: NodeJS.ProcessEnv;
	/** What is needed to look at a conversation that nobody works on. */
	idle(): IdleParts;
}

/** An agy that has answered is mostly gone by then. */
const EXIT_MS = 2_000;

export function createParts(env: NodeJS.ProcessEnv = process.env, agentDir: string = getAgentDir()): RealParts {
	const clock = systemClock;
	const paths = dataPaths(agentDir);
	const settingsSource = createSettingsSource(paths.settings, env);
	const settings = () => settingsSource.current();
	const log = createFileLog({ directory: paths.logs, level: () => settings().logLevel, clock });
	const table = systemProcesses();
	const agy = createAgyAccess({ settings, env, table });
	const store = createSessionStore({ folder: join(paths.root, "sessions"), clock, log });
	return {
		clock,
		log,
		settings,
		settingsSource,
		paths,
		store,
		agy,
		env,
		catalogue: createCatalogue({ cachePath: paths.models, locateAgy: agy.command, clock, log }),
		engine: createCliEngine({ settings, clock, log, agentDir, env, versions: agy.versions }),
		planner: createConversationPlanner({
			store,
			settings,
			clock,
			log,
			conversationExists: (id) => existsSync(join(agy.folders().conversations, `${id}.db`)),
		}),
		findAgyProblem() {
			const location = agy.locate();
			return location.kind === "found" ? undefined : { kind: "not-installed", searched: location.searched };
		},
		idle: () => ({
			folder: agy.folders().conversations,
			locks: runFolders(agentDir).locks,
			table,
			openFiles: systemOpenFiles(),
			clock,
			waitMs: EXIT_MS,
		}),
		outputsDirectory: join(paths.root, "outputs"),
	};
}
