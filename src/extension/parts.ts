import { existsSync } from "node:fs";
import { join } from "node:path";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { type DataPaths, dataPaths } from "../config/paths.ts";
import { createSettingsSource, type SettingsSource } from "../config/settings-source.ts";
import { createConversationPlanner } from "../conversation/planner.ts";
import { createSessionStore } from "../conversation/session-store.ts";
import { systemClock } from "../engine/clock.ts";
import { createFileLog, type FileLog } from "../log/file-log.ts";
import { createCatalogue, type LocateAgy, type ModelCatalogue } from "../models/catalogue.ts";
import { formatVersion } from "../run/agy-features.ts";
import { VersionReader } from "../run/agy-version.ts";
import { createCliEngine } from "../run/cli-engine.ts";
import { dataFolders, flagValue } from "../run/data-folders.ts";
import { parseExtraArgs } from "../run/extra-args.ts";
import { type AgyLocation, locateAgy } from "../run/locate-agy.ts";
import type { AntigravityParts } from "./register.ts";

/** The real parts, for the tools and the command as well. Making them reads two small files and starts nothing. */
export interface RealParts extends AntigravityParts {
	readonly catalogue: ModelCatalogue;
	readonly log: FileLog;
	readonly settingsSource: SettingsSource;
	readonly paths: DataPaths;
	locate(): AgyLocation;
}

export function createParts(env: NodeJS.ProcessEnv = process.env, agentDir: string = getAgentDir()): RealParts {
	const clock = systemClock;
	const paths = dataPaths(agentDir);
	const settingsSource = createSettingsSource(paths.settings, env);
	const settings = () => settingsSource.current();
	const log = createFileLog({ directory: paths.logs, level: () => settings().logLevel, clock });
	const locate = () => locateAgy({ agyPath: settings().agyPath, env });
	const store = createSessionStore({ folder: join(paths.root, "sessions"), clock, log });
	const catalogue = createCatalogue({
		cachePath: paths.models,
		locateAgy: commandFinder(locate, settings, env),
		clock,
		log,
	});
	return {
		clock,
		log,
		settings,
		settingsSource,
		paths,
		catalogue,
		locate,
		engine: createCliEngine({ settings, clock, log, agentDir, env }),
		planner: createConversationPlanner({
			store,
			settings,
			clock,
			log,
			conversationExists: (id) => existsSync(join(folders(settings, env).conversations, `${id}.db`)),
		}),
		findAgyProblem() {
			const location = locate();
			return location.kind === "found" ? undefined : { kind: "not-installed", searched: location.searched };
		},
		outputsDirectory: join(paths.root, "outputs"),
	};
}

type ReadSettings = AntigravityParts["settings"];

/** agy's arguments from the settings; bad ones are refused by the engine, with the reason. */
function extraArgs(settings: ReadSettings): readonly string[] {
	const parsed = parseExtraArgs(settings().extraArgs);
	return parsed.kind === "ok" ? parsed.args : [];
}

function folders(settings: ReadSettings, env: NodeJS.ProcessEnv) {
	const { conversationsDir } = settings();
	return dataFolders({ conversationsDir, extraArgs: extraArgs(settings), env });
}

/** How agy is asked for its models: with its own data folder, if the settings name another one. */
function commandFinder(locate: () => AgyLocation, settings: ReadSettings, env: NodeJS.ProcessEnv): LocateAgy {
	const versions = new VersionReader();
	return async () => {
		const location = locate();
		if (location.kind === "missing") {
			return { ok: false, failure: { kind: "not-installed", searched: location.searched } };
		}
		const childEnv = { ...definedOnly(env), AGY_CLI_DISABLE_AUTO_UPDATE: "true" };
		const version = await versions.read(location.path, childEnv);
		const known = version.kind === "read" ? version.features.version : undefined;
		const folder = flagValue(extraArgs(settings), "gemini_dir");
		const leadingArgs = folder === undefined ? [] : [`--gemini_dir=${folder}`];
		return {
			ok: true,
			command: { path: location.path, leadingArgs, env: childEnv },
			...(known !== undefined && { version: formatVersion(known) }),
		};
	};
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
	return Object.fromEntries(
		Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
	);
}
