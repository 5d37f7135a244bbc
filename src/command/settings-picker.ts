import { type ExtensionContext, getSettingsListTheme, keyHint, type Theme } from "@earendil-works/pi-coding-agent";
import { Container, Input, type SettingItem, SettingsList, Text, type TUI } from "@earendil-works/pi-tui";
import { settingDescription, settingKind } from "../config/choices.ts";
import { environmentName } from "../config/environment.ts";
import { isSettingName, type SettingName, settingNames } from "../config/schema.ts";
import { showValue } from "../config/setting-words.ts";
import type { SettingsSource } from "../config/settings-source.ts";
import { changeSetting } from "./change-setting.ts";

/** Opens pi's own settings list with all settings; resolves when it is closed. Changes are saved one by one. */
export async function pickSettings(ui: ExtensionContext["ui"], settings: SettingsSource): Promise<void> {
	await ui.custom<void>((tui, theme, _keybindings, done) => new SettingsPicker(ui, settings, { tui, theme, done }));
}

interface Screen {
	readonly tui: TUI;
	readonly theme: Theme;
	done(): void;
}

class SettingsPicker extends Container {
	/** PageUp and PageDown move in the list, not in the transcript behind it. */
	readonly capturesViewportInput = true;
	readonly #ui: ExtensionContext["ui"];
	readonly #settings: SettingsSource;
	readonly #tui: TUI;
	readonly #list: SettingsList;

	constructor(ui: ExtensionContext["ui"], settings: SettingsSource, { tui, theme, done }: Screen) {
		super();
		this.#ui = ui;
		this.#settings = settings;
		this.#tui = tui;
		this.#list = new SettingsList(
			settingNames.map((name) => toItem(name, settings, theme)),
			visibleRows(tui.terminal.rows),
			getSettingsListTheme(),
			(id, value) => {
				if (isSettingName(id)) void this.#apply(id, value);
			},
			done,
			{ enableSearch: true },
		);
		this.addChild(new Text(theme.fg("accent", theme.bold("Antigravity settings")), 0, 0));
		this.addChild(new Text(theme.fg("dim", "Changes take effect on the next turn."), 0, 0));
		this.addChild(this.#list);
	}

	handleInput(data: string): void {
		this.#list.handleInput(data);
		this.#tui.requestRender();
	}

	async #apply(name: SettingName, value: string): Promise<void> {
		const reply = await changeSetting(this.#settings, name, value);
		if (reply.level !== "info" || this.#settings.origin(name) === "environment") {
			this.#ui.notify(reply.lines.join("\n"), reply.level);
		}
		this.#list.updateValue(name, showValue(this.#settings.current()[name]));
		this.#tui.requestRender();
	}
}

/** Rows of a terminal that are not the list's: headings, search, description, keys, and pi's footer. */
const OTHER_ROWS = 15;

/** How many settings are shown at once, so that what explains them is not pushed off the screen. */
export function visibleRows(terminalRows: number): number {
	return Math.min(14, Math.max(3, terminalRows - OTHER_ROWS));
}

/** One row: Enter moves to the next value where there are few, and opens a line to type into where there are not. */
export function toItem(name: SettingName, settings: SettingsSource, theme: Theme): SettingItem {
	const taken = settingKind(name);
	const fromEnvironment = settings.origin(name) === "environment" ? ` Now set by ${environmentName(name)}.` : "";
	const description = `${settingDescription(name)}${fromEnvironment}`;
	const item = { id: name, label: name, description, currentValue: showValue(settings.current()[name]) };
	if (taken.kind === "choice") return { ...item, values: [...taken.values] };
	if (taken.kind === "switch") return { ...item, values: ["on", "off"] };
	return {
		...item,
		submenu: (_current, done) => new ValueLine({ name, description, value: editable(name, settings), theme, done }),
	};
}

function editable(name: SettingName, settings: SettingsSource): string {
	const value = settings.current()[name];
	return Array.isArray(value) ? value.join(",") : String(value ?? "");
}

interface ValueLineOptions {
	readonly name: SettingName;
	readonly description: string;
	readonly value: string;
	readonly theme: Theme;
	/** Without a value nothing changes; an empty one is the default. */
	done(value?: string): void;
}

/** A line to type a value into, below what it is for. */
class ValueLine extends Container {
	readonly #input = new Input();

	constructor({ name, description, value, theme, done }: ValueLineOptions) {
		super();
		const ending = settingKind(name).kind === "list" ? " Separated by commas." : "";
		// As if it were pasted, which leaves the cursor behind it; setValue leaves it before.
		this.#input.handleInput(`\x1b[200~${value}\x1b[201~`);
		this.#input.onSubmit = (text) => done(text.trim() === value ? undefined : text.trim());
		this.#input.onEscape = () => done();
		this.addChild(new Text(theme.bold(name), 0, 0));
		this.addChild(new Text(theme.fg("dim", `${description}${ending} Empty: the default.`), 0, 0));
		this.addChild(this.#input);
		const keys = `${keyHint("tui.select.confirm", "saves")} ${keyHint("tui.select.cancel", "goes back")}`;
		this.addChild(new Text(keys, 0, 0));
	}

	handleInput(data: string): void {
		this.#input.handleInput(data);
	}
}
