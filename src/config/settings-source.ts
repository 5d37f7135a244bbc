import { fileStamp } from "../files/file-stamp.ts";
import {
	combineSettings,
	type LoadedSettings,
	readSettingsFile,
	type SettingOrigin,
	type SettingProblem,
} from "./load.ts";
import type { SaveResult } from "./save.ts";
import type { SettingName, Settings } from "./schema.ts";

/** The settings as they are now: the file may be changed by hand or by another pi at any time. */
export interface SettingsSource {
	/** Where the file is, or would be. */
	readonly path: string;
	current(): Settings;
	problems(): readonly SettingProblem[];
	origin(name: SettingName): SettingOrigin;
	/** Writes one setting; `undefined` takes it back to its default. Rejects when the file cannot be written. */
	change<Name extends SettingName>(name: Name, value: Settings[Name] | undefined): Promise<SaveResult>;
}

/** Reads the file when it is first asked and whenever it changed since; a question costs one `stat`. */
export function createSettingsSource(path: string, env: NodeJS.ProcessEnv): SettingsSource {
	let loaded: LoadedSettings | undefined;
	let seen: string | undefined;

	function load(): LoadedSettings {
		const now = fileStamp(path);
		if (loaded === undefined || now !== seen) {
			loaded = combineSettings(readSettingsFile(path), env);
			seen = now;
		}
		return loaded;
	}

	return {
		path,
		current: () => load().settings,
		problems: () => load().problems,
		origin: (name) => load().origins[name],
		async change(name, value) {
			const { saveSetting } = await import("./save.ts");
			const result = await saveSetting(path, name, value);
			seen = undefined;
			loaded = undefined;
			return result;
		},
	};
}
