import { settingKind } from "./choices.ts";
import type { SettingName, Settings } from "./schema.ts";

/** What the setting takes, in words that follow "it must be". */
export function allowedWords(name: SettingName): string {
	const taken = settingKind(name);
	switch (taken.kind) {
		case "choice":
			return [taken.values.slice(0, -1).join(", "), taken.values.at(-1)].join(" or ");
		case "switch":
			return "on (true) or off (false)";
		case "number":
			return `${taken.isWhole ? "a whole number" : "a number"} ${taken.range}`;
		case "text":
			return "a text";
		case "list":
			return "a list of names";
	}
}

const MAX_FOUND = 60;

/** What stands where a setting should, whatever it is. */
export function foundWords(value: unknown): string {
	const text = JSON.stringify(value) ?? String(value);
	return text.length > MAX_FOUND ? `${text.slice(0, MAX_FOUND - 1)}…` : text;
}

/** A setting's value as it would be typed. */
export function showValue(value: Settings[SettingName]): string {
	if (value === undefined || value === "") return "(default)";
	if (typeof value === "boolean") return value ? "on" : "off";
	if (Array.isArray(value)) return value.length === 0 ? "(none)" : value.join(",");
	return String(value);
}

/** That this value counts, as a part of a sentence. */
export function usedWords(value: Settings[SettingName]): string {
	if (Array.isArray(value)) return `it is read as ${value.length === 0 ? "empty" : value.join(", ")}`;
	const shown = showValue(value);
	return shown === "(default)" ? "the default is used" : `${shown} is used`;
}
