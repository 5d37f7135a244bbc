import { environmentName, parseText } from "../config/environment.ts";
import type { SettingName, Settings } from "../config/schema.ts";
import type { SettingsSource } from "../config/settings-source.ts";
import { messageOf } from "../engine/thrown.ts";
import { type Reply, refuse, say } from "./sub-command.ts";

/**
 * Reads `text` as a value of the setting, saves it and says what became of it. Without text the setting goes back to its default.
 * Never rejects.
 */
export async function changeSetting(settings: SettingsSource, name: SettingName, text: string): Promise<Reply> {
	const parsed = text === "" ? { value: undefined } : parseText(name, text);
	if ("reason" in parsed) return refuse(`${name} cannot be "${text}": ${parsed.reason}.`);
	try {
		// parseText has put the value through this setting's own schema.
		const { movedAside } = await settings.change(name, parsed.value as Settings[typeof name] | undefined);
		const aside =
			movedAside === undefined ? [] : [`The old settings file could not be read; it is kept as ${movedAside}.`];
		return say(effect(settings, name, text), ...aside);
	} catch (error) {
		const cause = messageOf(error);
		return refuse(`${settings.path} could not be written: ${cause}`);
	}
}

function effect(settings: SettingsSource, name: SettingName, text: string): string {
	const value = showValue(settings.current()[name]);
	if (settings.origin(name) === "environment") {
		const saved = text === "" ? "is back to its default" : `is saved as ${text}`;
		return `${name} ${saved}, but ${environmentName(name)} is set and wins: ${value} stays in force.`;
	}
	const now = text === "" ? `back to its default, ${value}` : `now ${text}`;
	return `${name} is ${now}. This takes effect on the next turn.`;
}

/** A setting's value as it would be typed. */
export function showValue(value: Settings[SettingName]): string {
	if (value === undefined || value === "") return "(default)";
	if (typeof value === "boolean") return value ? "on" : "off";
	if (Array.isArray(value)) return value.length === 0 ? "(none)" : value.join(",");
	return String(value);
}
