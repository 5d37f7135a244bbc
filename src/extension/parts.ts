import { join } from "node:path";
import { type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { type DataPaths, dataPaths } from "../config/paths.ts";
import { createSettingsSource, type SettingsSource } from "../config/settings-source.ts";
import type { SessionStore } from "../conversation/session-store.ts";
import { systemClock } from "../engine/clock.ts";
import { createFileLog, type FileLog } from "../log/file-log.ts";
import { createCatalogue, type ModelCatalogue } from "../models/catalogue.ts";
import { locateAgy } from "../run/agy/locate-agy.ts";
import { type ProcessTable, systemProcesses } from "../run/process/process-table.ts";
import type { AgyAccess } from "./agy-access.ts";
import { type Lazy, lazy, lazyEngine, lazyPlanner } from "./lazy.ts";
import type { AntigravityParts } from "./register.ts";

/** The real parts, for the tools and the command as well. Making them reads two small files and starts nothing. */
export interface RealParts extends AntigravityParts {
	readonly catalogue: ModelCatalogue;
	readonly log: FileLog;
	readonly settingsSource: SettingsSource;
	readonly paths: DataPaths;
	readonly store: Lazy<SessionStore>;
	readonly agy: Lazy<AgyAccess>;
	/** pi's own environment. */
	readonly env: NodeJS.ProcessEnv;
	/** pi's folder for settings and sessions. */
	readonly agentDir: string;
	readonly table: ProcessTable;
	/** Asks the person at the screen once what agy may do, see `askPermissionsOnce`. */
	askPermissions(ctx: Pick<ExtensionContext, "mode" | "ui" | "signal">): Promise<boolean>;
}

/** The parts as pi needs them: with this process's environment and pi's own folder, unless a test gives others. */
export function createParts(env: NodeJS.ProcessEnv = process.env, agentDir: string = getAgentDir()): RealParts {
	const clock = systemClock;
	const paths = dataPaths(agentDir);
	const settingsSource = createSettingsSource(paths.settings, env);
	const settings = () => settingsSource.current();
	const log = createFileLog({ directory: paths.logs, level: () => settings().logLevel, clock });
	const table = systemProcesses();
	const agy = lazy(async () => {
		const { createAgyAccess } = await import("./agy-access.ts");
		return createAgyAccess({ settings, env, table });
	});
	const store = lazy(async () => {
		const { createSessionStore } = await import("../conversation/session-store.ts");
		return createSessionStore({ folder: join(paths.root, "sessions"), clock, log });
	});
	const engine = lazy(async () => {
		const { createCliEngine } = await import("../run/cli-engine.ts");
		return createCliEngine({ settings, clock, log, agentDir, env, versions: (await agy.get()).versions });
	});
	const planner = lazy(async () => {
		const { createConversationPlanner } = await import("../conversation/planner.ts");
		const { hasDatabase } = await import("../run/binding/conversation-folder.ts");
		const { folders } = await agy.get();
		const conversationExists = (id: string) => hasDatabase(folders().conversations, id);
		return createConversationPlanner({ store: await store.get(), settings, clock, log, conversationExists });
	});
	return {
		clock,
		log,
		settings,
		settingsSource,
		paths,
		store,
		agy,
		env,
		catalogue: createCatalogue({
			cachePath: paths.models,
			locateAgy: async () => (await agy.get()).command(),
			clock,
			log,
		}),
		engine: lazyEngine("agy-cli", engine),
		planner: lazyPlanner(planner),
		findAgyProblem() {
			const location = locateAgy({ agyPath: settings().agyPath, env });
			return location.kind === "found" ? undefined : { kind: "not-installed", searched: location.searched };
		},
		async askPermissions(ctx) {
			const { askPermissionsOnce } = await import("../command/permission-question.ts");
			return askPermissionsOnce(ctx, settingsSource);
		},
		agentDir,
		table,
		async loadTurn() {
			await Promise.allSettled([engine.get(), planner.get()]);
		},
		outputsDirectory: join(paths.root, "outputs"),
	};
}
