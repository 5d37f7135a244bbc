import { environmentName, parseText } from "../config/environment.ts";
import { defaultSettings, type SettingName, type Settings } from "../config/schema.ts";
import { allowedWords, showValue } from "../config/setting-words.ts";
import type { SettingsSource } from "../config/settings-source.ts";
import { messageOf } from "../engine/thrown.ts";
import { resolveAlias } from "../models/alias.ts";
import { chooseModel } from "../words/choose-model.ts";
import type { CommandEnvironment } from "./environment.ts";
import { type Reply, refuse, say } from "./sub-command.ts";

/** As `changeSetting`, but of the default model also refuses a name that means no model which agy lists. */
export async function changeCheckedSetting(
	{ settings, catalogue }: Pick<CommandEnvironment, "settings" | "catalogue">,
	name: SettingName,
	text: string,
): Promise<Reply> {
	if (name !== "defaultModel" || text === "") return changeSetting(settings, name, text);
	const found = resolveAlias(catalogue.entries(), text, undefined, catalogue.isComplete());
	if ("choice" in found) return changeSetting(settings, name, text);
	return refuse(
		`agy lists no model "${text}".`,
		`${chooseModel(found)} \`/agy models refresh\` asks agy for its list again.`,
	);
}

/**
 * Reads `text` as a value of the setting, saves it and says what became of it. Without text the setting goes back to its default.
 * Never rejects.
 */
export async function changeSetting(settings: SettingsSource, name: SettingName, text: string): Promise<Reply> {
	const parsed = text === "" ? { value: undefined } : parseText(name, text);
	if (parsed === undefined) return refuse(`${name} cannot be "${text}": it must be ${allowedWords(name)}.`);
	try {
		// parseText has put the value through this setting's own schema.
		const value = parsed.value as Settings[typeof name] | undefined;
		const { movedAside } = await settings.change(name, value);
		const aside =
			movedAside === undefined ? [] : [`The old settings file could not be read; it is kept as ${movedAside}.`];
		return say(effect(settings, name, text, value ?? defaultSettings[name]), ...aside);
	} catch (error) {
		const cause = messageOf(error);
		return refuse(
			`${settings.path} could not be written: ${cause}.`,
			"Make its folder writable for your user; nothing was changed.",
		);
	}
}

function effect(settings: SettingsSource, name: SettingName, text: string, wanted: Settings[SettingName]): string {
	const value = showValue(settings.current()[name]);
	const saved = `${name} ${text === "" ? "is back to its default" : `is saved as ${text}`}, but`;
	if (settings.origin(name) === "environment") {
		return `${saved} ${environmentName(name)} is set and wins: ${value} stays in force.`;
	}
	if (value !== showValue(wanted)) return `${saved} ${value} stays in force: see \`/agy doctor\`.`;
	const now = text === "" ? `back to its default, ${value}` : `now ${text}`;
	return `${name} is ${now}. This takes effect on the next turn.`;
}
