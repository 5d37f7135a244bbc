import {
	DynamicBorder,
	type ExtensionContext,
	getSettingsListTheme,
	type Theme,
} from "@earendil-works/pi-coding-agent";
import { Container, type SettingItem, SettingsList, Spacer, Text, type TUI } from "@earendil-works/pi-tui";
import { settingDescription, settingKind } from "../config/choices.ts";
import { environmentName } from "../config/environment.ts";
import { isSettingName, type SettingName, settingNames } from "../config/schema.ts";
import { describeProblem, problemsOf } from "../config/setting-problems.ts";
import { showValue } from "../config/setting-words.ts";
import type { SettingsSource } from "../config/settings-source.ts";
import { changeCheckedSetting } from "./change-setting.ts";
import type { CommandEnvironment } from "./environment.ts";
import type { Reply } from "./sub-command.ts";
import { ValueEditor } from "./value-editor.ts";

/** What the picker shows and changes. */
export type PickerEnvironment = Pick<CommandEnvironment, "settings" | "catalogue">;

/** Opens pi's own settings list with all settings; resolves when it is closed. Changes are saved one by one. */
export async function pickSettings(ui: ExtensionContext["ui"], env: PickerEnvironment): Promise<void> {
	await ui.custom<void>((tui, theme, _keybindings, done) => new SettingsPicker(env, { tui, theme, done }));
}

interface Screen {
	readonly tui: TUI;
	readonly theme: Theme;
	done(): void;
}

const TITLE_NOTE = "Changes take effect on the next turn.";

class SettingsPicker extends Container {
	/** PageUp and PageDown move in the list, not in the transcript behind it. */
	readonly capturesViewportInput = true;
	readonly #env: PickerEnvironment;
	readonly #tui: TUI;
	readonly #theme: Theme;
	readonly #items: SettingItem[];
	readonly #list: SettingsList;
	/** Below the title: what became of the last change, where that has to be said. */
	readonly #note: Text;

	constructor(env: PickerEnvironment, { tui, theme, done }: Screen) {
		super();
		this.#env = env;
		this.#tui = tui;
		this.#theme = theme;
		this.#note = new Text(theme.fg("dim", TITLE_NOTE), 1, 0);
		this.#items = settingNames.map((name) =>
			toItem(name, env.settings, (value, close) => this.#edit(name, value, close)),
		);
		this.#list = new SettingsList(
			this.#items,
			visibleRows(tui.terminal.rows),
			getSettingsListTheme(),
			(id, value) => {
				if (isSettingName(id)) void this.#choose(id, value);
			},
			done,
			{ enableSearch: true },
		);
		this.addChild(new DynamicBorder((text) => theme.fg("border", text)));
		this.addChild(new Text(theme.fg("accent", theme.bold("Antigravity settings")), 1, 0));
		this.addChild(this.#note);
		this.addChild(new Spacer(1));
		this.addChild(this.#list);
		this.addChild(new DynamicBorder((text) => theme.fg("border", text)));
	}

	handleInput(data: string): void {
		this.#list.handleInput(data);
		this.#tui.requestRender();
	}

	async #choose(name: SettingName, value: string): Promise<void> {
		this.#tell(name, await changeCheckedSetting(this.#env, name, value));
	}

	#edit(name: SettingName, value: string, close: () => void): ValueEditor {
		return new ValueEditor({
			title: name,
			description: `${descriptionOf(name, this.#env.settings)}${settingKind(name).kind === "list" ? " Separated by commas." : ""} Empty: the default.`,
			value,
			theme: this.#theme,
			close,
			save: async (text) => {
				const reply = await changeCheckedSetting(this.#env, name, text);
				if (reply.level !== "error") this.#tell(name, reply);
				return reply;
			},
			changed: () => this.#tui.requestRender(),
		});
	}

	#tell(name: SettingName, { level, lines }: Reply): void {
		const { settings } = this.#env;
		const isPlain = level === "info" && settings.origin(name) !== "environment";
		const colour = level === "error" ? "error" : "warning";
		this.#note.setText(isPlain ? this.#theme.fg("dim", TITLE_NOTE) : this.#theme.fg(colour, lines.join(" ")));
		this.#list.updateValue(name, showValue(settings.current()[name]));
		for (const item of this.#items) if (isSettingName(item.id)) item.description = descriptionOf(item.id, settings);
		this.#tui.requestRender();
	}
}

/** Rows of a terminal that are not the list's: borders, headings, search, description, keys, and pi's footer. */
const OTHER_ROWS = 18;

/** How many settings are shown at once, so that what explains them is not pushed off the screen. */
export function visibleRows(terminalRows: number): number {
	return Math.min(14, Math.max(3, terminalRows - OTHER_ROWS));
}

/** One row: Enter moves to the next value where there are few, and opens `edit` where there are not. */
export function toItem(
	name: SettingName,
	settings: SettingsSource,
	edit: (value: string, close: () => void) => ValueEditor,
): SettingItem {
	const taken = settingKind(name);
	const value = showValue(settings.current()[name]);
	const item = { id: name, label: name, description: descriptionOf(name, settings), currentValue: value };
	if (taken.kind === "choice") return { ...item, values: [...taken.values] };
	if (taken.kind === "switch") return { ...item, values: ["on", "off"] };
	return { ...item, submenu: (_current, done) => edit(editable(name, settings), () => done()) };
}

/** What the setting means, and what keeps or kept its value from counting. */
function descriptionOf(name: SettingName, settings: SettingsSource): string {
	return [
		settingDescription(name),
		...(settings.origin(name) === "environment" ? [`Now set by ${environmentName(name)}.`] : []),
		...problemsOf(name, settings.problems()).map((problem) => `Wrong: ${describeProblem(problem, settings.path)}.`),
	].join(" ");
}

function editable(name: SettingName, settings: SettingsSource): string {
	const value = settings.current()[name];
	return Array.isArray(value) ? value.join(",") : String(value ?? "");
}
