import { type ExtensionContext, getSettingsListTheme } from "@earendil-works/pi-coding-agent";
import { Container, Input, type SettingItem, SettingsList, Text } from "@earendil-works/pi-tui";
import { settingDescription, settingKind } from "../config/choices.ts";
import { environmentName } from "../config/environment.ts";
import { isSettingName, type SettingName, settingNames } from "../config/schema.ts";
import type { SettingsSource } from "../config/settings-source.ts";
import { changeSetting, showValue } from "./change-setting.ts";

const VISIBLE_ROWS = 14;

/** Opens pi's own settings list with all settings; resolves when it is closed. Changes are saved one by one. */
export async function pickSettings(ui: ExtensionContext["ui"], settings: SettingsSource): Promise<void> {
	await ui.custom<void>((tui, theme, _keybindings, done) => {
		const list = new SettingsList(
			settingNames.map((name) => toItem(name, settings)),
			VISIBLE_ROWS,
			getSettingsListTheme(),
			(id, value) => {
				if (isSettingName(id)) void apply(id, value);
			},
			() => done(),
			{ enableSearch: true },
		);
		async function apply(name: SettingName, value: string): Promise<void> {
			const reply = await changeSetting(settings, name, value);
			if (reply.level !== "info" || settings.origin(name) === "environment") {
				ui.notify(reply.lines.join("\n"), reply.level);
			}
			list.updateValue(name, showValue(settings.current()[name]));
			tui.requestRender();
		}
		const container = new Container();
		container.addChild(new Text(theme.fg("accent", theme.bold("Antigravity settings")), 0, 0));
		container.addChild(new Text(theme.fg("dim", "Changes take effect on the next turn."), 0, 0));
		container.addChild(list);
		return {
			// PageUp and PageDown move in the list, not in the transcript behind it.
			capturesViewportInput: list.capturesViewportInput,
			render: (width) => container.render(width),
			invalidate: () => container.invalidate(),
			handleInput(data) {
				list.handleInput(data);
				tui.requestRender();
			},
		};
	});
}

/** One row: Enter moves to the next value where there are few, and opens a line to type into where there are not. */
export function toItem(name: SettingName, settings: SettingsSource): SettingItem {
	const taken = settingKind(name);
	const fromEnvironment = settings.origin(name) === "environment" ? ` Now set by ${environmentName(name)}.` : "";
	const item = {
		id: name,
		label: name,
		description: `${settingDescription(name)}${fromEnvironment}`,
		currentValue: showValue(settings.current()[name]),
	};
	if (taken.kind === "choice") return { ...item, values: [...taken.values] };
	if (taken.kind === "switch") return { ...item, values: ["on", "off"] };
	return { ...item, submenu: (_current, done) => lineInput(showEditable(name, settings), done) };
}

function showEditable(name: SettingName, settings: SettingsSource): string {
	const value = settings.current()[name];
	return Array.isArray(value) ? value.join(",") : String(value ?? "");
}

function lineInput(current: string, done: (value?: string) => void): Input {
	const input = new Input();
	input.setValue(current);
	input.onSubmit = (value) => done(value.trim() === current ? undefined : value.trim());
	input.onEscape = () => done();
	return input;
}
