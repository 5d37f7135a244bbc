import { type SettingName, settingNames, settingsSchema } from "./schema.ts";

/** Names that people know from other integrations and that the rule would spell differently. */
const OWN_NAMES: Partial<Record<SettingName, string>> = { agyPath: "AGY_BIN", permissions: "AGY_SKIP_PERMISSIONS" };

/** The variable of a setting: `AGY_` and its name in upper snake case (`maxParallelRuns`: `AGY_MAX_PARALLEL_RUNS`). */
export function environmentName(name: SettingName): string {
	return OWN_NAMES[name] ?? `AGY_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** A setting as a variable gave it, in the type its schema wants; without `value` when the text is none of that type. */
export interface EnvironmentValue {
	readonly name: SettingName;
	readonly variable: string;
	readonly text: string;
	readonly value?: unknown;
}

/** The settings that `env` holds. Empty variables count as unset; agy's own variables are none of ours and are not read. */
export function readEnvironment(env: NodeJS.ProcessEnv): EnvironmentValue[] {
	return settingNames.flatMap((name): EnvironmentValue[] => {
		const variable = environmentName(name);
		const text = env[variable]?.trim();
		if (text === undefined || text === "") return [];
		return [{ name, variable, text, ...parseText(name, text) }];
	});
}

/**
 * Reads a setting from text, as it stands in a variable or behind `/agy`: switches as `on`/`off`, `yes`/`no`, `true`/`false`,
 * `1`/`0`; lists separated by commas. Undefined when it is none.
 */
export function parseText(name: SettingName, text: string): { readonly value: unknown } | undefined {
	const schema = settingsSchema.shape[name];
	for (const candidate of readings(name, text)) {
		const parsed = schema.safeParse(candidate);
		if (parsed.success) return { value: parsed.data };
	}
	return undefined;
}

function readings(name: SettingName, text: string): unknown[] {
	const on = switchOf(text);
	const words = text.split(",").flatMap((word) => word.trim() || []);
	if (name === "permissions" && on !== undefined) return [on ? "skip" : "deny"];
	return [text, ...(on === undefined ? [] : [on]), Number(text), words];
}

function switchOf(text: string): boolean | undefined {
	if (/^(1|true|yes|on)$/i.test(text)) return true;
	if (/^(0|false|no|off)$/i.test(text)) return false;
	return undefined;
}
