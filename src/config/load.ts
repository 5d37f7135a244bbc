import { readFileSync } from "node:fs";
import { z } from "zod/v3";
import { codeOf } from "../engine/thrown.ts";
import { environmentName, readEnvironment } from "./environment.ts";
import {
	defaultSettings,
	isSettingName,
	type SettingName,
	type Settings,
	settingNames,
	settingsSchema,
} from "./schema.ts";

/** A setting that was given and could not be used. */
export interface SettingProblem {
	/** The key in the file (with its place inside a list, `bridgeAllow.1`), or the variable. */
	readonly where: string;
	readonly reason: string;
}

/** Who decided a setting. */
export type SettingOrigin = "default" | "file" | "environment";

export interface LoadedSettings {
	readonly settings: Settings;
	readonly origins: Readonly<Record<SettingName, SettingOrigin>>;
	readonly problems: readonly SettingProblem[];
}

/** What the settings file holds, before any value is looked at. */
export type SettingsFile =
	| { readonly kind: "absent" }
	| { readonly kind: "object"; readonly content: Readonly<Record<string, unknown>> }
	| { readonly kind: "unreadable"; readonly reason: string };

const fileShape = z.record(z.string(), z.unknown());

/** Never throws. */
export function readSettingsFile(path: string): SettingsFile {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		const code = codeOf(error);
		if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
		return { kind: "unreadable", reason: `it cannot be read (${code ?? "unknown cause"})` };
	}
	return parseSettingsFile(text);
}

/** An empty file counts as one without settings. A byte order mark, as some editors write it, does not count. */
export function parseSettingsFile(text: string): SettingsFile {
	const json = text.replace(/^\uFEFF/, "");
	if (json.trim() === "") return { kind: "object", content: {} };
	try {
		const parsed = fileShape.safeParse(JSON.parse(json));
		if (parsed.success) return { kind: "object", content: parsed.data };
		return { kind: "unreadable", reason: "it does not hold a JSON object" };
	} catch {
		return { kind: "unreadable", reason: "it is not valid JSON" };
	}
}

/**
 * Defaults, over them what the file says, over that the environment. What is wrong is reported and left out; but whoever meant
 * to say something of permissions has not asked for all of them, so `deny` counts then.
 */
export function combineSettings(file: SettingsFile, env: NodeJS.ProcessEnv): LoadedSettings {
	const problems: SettingProblem[] = [];
	const given: Partial<Record<SettingName, unknown>> = {};
	const origins = Object.fromEntries(settingNames.map((name) => [name, "default"])) as Record<
		SettingName,
		SettingOrigin
	>;
	if (file.kind === "unreadable") problems.push({ where: WHOLE_FILE, reason: file.reason });
	for (const [key, value] of Object.entries(file.kind === "object" ? file.content : {})) {
		if (!isSettingName(key)) {
			problems.push({ where: key, reason: "there is no such setting" });
			continue;
		}
		const parsed = settingsSchema.shape[key].safeParse(value);
		if (parsed.success) {
			given[key] = parsed.data;
			origins[key] = "file";
			continue;
		}
		for (const issue of parsed.error.issues) {
			problems.push({ where: [key, ...issue.path].join("."), reason: issue.message });
		}
	}
	for (const entry of readEnvironment(env)) {
		if ("reason" in entry) {
			problems.push({ where: entry.variable, reason: entry.reason });
			continue;
		}
		given[entry.name] = entry.value;
		origins[entry.name] = "environment";
	}
	const doubt = problems.findIndex(({ where }) => where === WHOLE_FILE || PERMISSIONS.includes(where));
	const doubtful = problems[doubt];
	if (doubtful !== undefined && given.permissions === undefined) {
		given.permissions = "deny";
		problems[doubt] = { ...doubtful, reason: `${doubtful.reason}; until it is right, permissions are denied` };
	}
	return { settings: settingsSchema.parse({ ...defaultSettings, ...given }), origins, problems };
}

const WHOLE_FILE = "the whole file";
/** Where permissions are spoken of. */
const PERMISSIONS = ["permissions", environmentName("permissions")];
