import { readFileSync } from "node:fs";
import { z } from "zod/v3";
import { codeOf } from "../engine/thrown.ts";
import { settingKind } from "./choices.ts";
import { parseText, readEnvironment } from "./environment.ts";
import {
	defaultSettings,
	isSettingName,
	type SettingName,
	type Settings,
	settingNames,
	settingsSchema,
} from "./schema.ts";
import { allowedWords, foundWords, usedWords } from "./setting-words.ts";

/** A setting that was given and could not be used, or not all of it. */
export interface SettingProblem {
	/** The key in the file, the variable, or `WHOLE_FILE`. */
	readonly where: string;
	/** What is wrong and what counts instead, as the end of a sentence. */
	readonly reason: string;
	/** The file has a key that is no setting's. */
	readonly isUnknownKey?: boolean;
}

/** Where the problem is when nothing of the file could be read. */
export const WHOLE_FILE = "the whole file";

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
 * Defaults, over them what the file says, over that the environment. What is wrong is reported and left out. But where the file
 * cannot be read, or `permissions` or `bridgeDeny` is wrong in it, the defaults may allow more than was meant. Until that is put
 * right, `permissions` is `deny`, and `bridge` is `off`.
 */
export function combineSettings(file: SettingsFile, env: NodeJS.ProcessEnv): LoadedSettings {
	const { given, origins, faults } = takeAll(file, env);
	const isDoubtful = (name: SettingName) =>
		origins[name] === "default" && (file.kind === "unreadable" || faults.some((fault) => fault.name === name));
	const careful: Partial<Settings> = {
		...(isDoubtful("permissions") && { permissions: "deny" }),
		...(isDoubtful("bridgeDeny") && origins.bridge !== "environment" && { bridge: "off" }),
	};
	const settings = settingsSchema.parse({ ...defaultSettings, ...given, ...careful });
	const problems = faults.map((fault) => toProblem(fault, settings));
	if (file.kind === "unreadable") {
		const until = Object.entries(careful).map(([name, value]) => `${name} is ${value}`);
		const reason = [file.reason, ...(until.length > 0 ? [`until it is right, ${until.join(" and ")}`] : [])].join("; ");
		problems.unshift({ where: WHOLE_FILE, reason });
	}
	// `bridge` is off for caution alone: nobody has decided it.
	return { settings, origins: careful.bridge ? { ...origins, bridge: "default" } : origins, problems };
}

function takeAll(file: SettingsFile, env: NodeJS.ProcessEnv) {
	const faults: Fault[] = [];
	const given: Partial<Record<SettingName, unknown>> = {};
	const origins = Object.fromEntries(settingNames.map((name) => [name, "default"])) as Record<
		SettingName,
		SettingOrigin
	>;
	const take = (where: string, name: SettingName, { usable, wrong }: Reading, origin: SettingOrigin) => {
		if (wrong !== undefined) faults.push({ where, name, what: wrong });
		if (usable === undefined) return;
		given[name] = usable;
		origins[name] = origin;
	};
	for (const [key, value] of Object.entries(file.kind === "object" ? file.content : {})) {
		if (isSettingName(key)) take(key, key, readValue(key, value), "file");
		else faults.push({ where: key, what: "there is no such setting" });
	}
	for (const { name, variable, text, value } of readEnvironment(env)) {
		take(variable, name, value === undefined ? { wrong: mustBe(name, text) } : { usable: value }, "environment");
	}
	return { given, origins, faults };
}

/** What a value comes to: all of it, a part, or nothing; `wrong` says why not all. */
interface Reading {
	readonly usable?: unknown;
	readonly wrong?: string;
}

interface Fault {
	readonly where: string;
	/** Absent where the file has a key that is no setting's. */
	readonly name?: SettingName;
	readonly what: string;
}

function readValue(name: SettingName, value: unknown): Reading {
	const parsed = settingsSchema.shape[name].safeParse(value);
	if (parsed.success) return { usable: parsed.data };
	if (settingKind(name).kind !== "list") return { wrong: mustBe(name, value) };
	// What a list says well counts: one wrong word in a list of what is denied must not allow the others.
	if (typeof value === "string") return { usable: parseText(name, value)?.value, wrong: mustBe(name, value) };
	if (!Array.isArray(value)) return { wrong: mustBe(name, value) };
	const wrong = value.filter((entry) => typeof entry !== "string").map(foundWords);
	return {
		usable: value.filter((entry) => typeof entry === "string"),
		wrong: `must be ${allowedWords(name)}, but holds ${wrong.join(", ")}`,
	};
}

function mustBe(name: SettingName, value: unknown): string {
	return `must be ${allowedWords(name)}, but is ${foundWords(value)}`;
}

function toProblem({ where, name, what }: Fault, settings: Settings): SettingProblem {
	if (name === undefined) return { where, reason: what, isUnknownKey: true };
	const off = name === "bridgeDeny" && settings.bridge === "off" ? ", and bridge is off" : "";
	return { where, reason: `${what}; ${usedWords(settings[name])}${off}` };
}
