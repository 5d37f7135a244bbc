import { randomUUID } from "node:crypto";
import type { Settings } from "../config/schema.ts";
import type { LocateAgy } from "../models/catalogue.ts";
import { formatVersion } from "../run/agy/agy-features.ts";
import { VersionReader, type VersionResult } from "../run/agy/agy-version.ts";
import { type DataFolders, dataFolders, flagValue } from "../run/agy/data-folders.ts";
import { parseExtraArgs } from "../run/agy/extra-args.ts";
import { type AgyLocation, locateAgy } from "../run/agy/locate-agy.ts";
import { childEnvironment } from "../run/process/environment.ts";
import { ownIdentity, type ProcessIdentity, type ProcessTable } from "../run/process/process-table.ts";

/** The agy that the settings mean, for everything that is no turn. Turns get the same environment and the same versions. */
export interface AgyAccess {
	readonly versions: VersionReader;
	/** Looks at a few files; starts nothing. */
	locate(): AgyLocation;
	/** What the binary says it is. Never rejects. */
	version(path: string): Promise<VersionResult>;
	/** How it is asked a short question. */
	readonly command: LocateAgy;
	folders(): DataFolders;
}

export interface AgyAccessOptions {
	settings(): Settings;
	/** pi's own environment. */
	readonly env: NodeJS.ProcessEnv;
	readonly table: ProcessTable;
}

/** Flags of agy that move its data, and with it the sign-in. */
const DATA_FLAGS = ["gemini_dir", "app_data_dir"];

/** Reads the settings anew at every question. Nothing is started before the first one. */
export function createAgyAccess({ settings, env, table }: AgyAccessOptions): AgyAccess {
	const versions = new VersionReader();
	let own: Promise<ProcessIdentity> | undefined;

	const locate = () => locateAgy({ agyPath: settings().agyPath, env });

	/** agy's arguments from the settings; bad ones are refused when a turn starts, with the reason. */
	function extraArgs(): readonly string[] {
		const parsed = parseExtraArgs(settings().extraArgs);
		return parsed.kind === "ok" ? parsed.args : [];
	}

	/** Marked like a turn's, so that an agy which outlives this pi is found and ended by the next one. */
	async function environment(): Promise<Record<string, string>> {
		own ??= ownIdentity(table);
		return childEnvironment({ parent: env, mark: { owner: await own, runId: randomUUID() } });
	}

	return {
		versions,
		locate,
		version: async (path) => versions.read(path, await environment()),
		async command() {
			const location = locate();
			if (location.kind === "missing") {
				return { ok: false, failure: { kind: "not-installed", searched: location.searched } };
			}
			const childEnv = await environment();
			const read = await versions.read(location.path, childEnv);
			const version = read.kind === "read" ? read.features.version : undefined;
			const args = extraArgs();
			const leadingArgs = DATA_FLAGS.flatMap((flag) => {
				const value = flagValue(args, flag);
				return value === undefined ? [] : [`--${flag}=${value}`];
			});
			return {
				ok: true,
				command: { path: location.path, leadingArgs, env: childEnv },
				...(version !== undefined && { version: formatVersion(version) }),
			};
		},
		folders: () => dataFolders({ conversationsDir: settings().conversationsDir, extraArgs: extraArgs(), env }),
	};
}
