import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { type ExtensionContext, initTheme, type Theme } from "@earendil-works/pi-coding-agent";
import { type Component, type TUI, visibleWidth } from "@earendil-works/pi-tui";
import { pickSettings, toItem, visibleRows } from "../../../src/command/settings-picker.ts";
import { settingNames } from "../../../src/config/schema.ts";
import type { SettingsSource } from "../../../src/config/settings-source.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import { commandEnvironment } from "./environment.ts";

before(() => initTheme("dark"));

const [ENTER, ESCAPE, BACKSPACE] = ["\r", "\x1b", "\x7f"];
// Only these two of the theme's many ways to style are used here.
const plain = { fg: (_colour: string, text: string) => text, bold: (text: string) => text } as unknown as Theme;

/** The picker on a terminal of this many rows. */
function open(settings: SettingsSource, rows = 24) {
	const told: string[] = [];
	let picker: Component | undefined;
	const tui = { terminal: { rows }, requestRender() {} } as unknown as TUI;
	const ui = {
		custom(factory: (tui: TUI, theme: Theme, keys: unknown, done: () => void) => Component) {
			return new Promise<void>((resolve) => {
				picker = factory(tui, plain, undefined, resolve);
			});
		},
		notify: (text: string) => told.push(text),
	} as unknown as ExtensionContext["ui"];
	const closed = pickSettings(ui, settings);
	return {
		closed,
		told,
		type(...keys: string[]) {
			for (const key of keys) picker?.handleInput?.(key);
		},
		lines: (width = 80) => (picker?.render(width) ?? []).map((line) => bare(line)),
	};
}

/** A line without colours, and without the marks pi puts around the cursor. */
function bare(line: string): string {
	return stripVTControlCharacters(line.replaceAll("\x1b_pi:fc\x07", "").replaceAll("\x1b_pi:/fc\x07", "")).trimEnd();
}

/** Saving takes a moment. */
async function until(holds: () => boolean): Promise<void> {
	const end = Date.now() + PATIENCE_MS;
	while (!holds()) {
		assert.ok(Date.now() < end, "it never came");
		await turnOfTheLoop();
	}
}

test("there is a row for each setting, with its meaning, its value and how to change it", (t) => {
	const { settings } = commandEnvironment(t, { variables: { AGY_MODE: "plan" } });
	const items = settingNames.map((name) => toItem(name, settings, plain));
	for (const item of items) {
		assert.ok((item.description ?? "").length > 10, item.id);
		assert.ok(item.currentValue.length > 0, item.id);
		assert.ok((item.values === undefined) !== (item.submenu === undefined), item.id);
		if (item.values !== undefined) assert.ok(item.values.includes(item.currentValue), item.id);
	}
	const mode = items.find((item) => item.id === "mode");
	assert.deepEqual(mode?.values, ["accept-edits", "plan"]);
	assert.match(mode?.description ?? "", /Now set by AGY_MODE/);
});

test("it fits on small terminals, keys included, and beyond no width", (t) => {
	assert.deepEqual([10, 16, 24, 30, 60].map(visibleRows), [3, 3, 9, 14, 14]);
	const { settings } = commandEnvironment(t);
	for (const width of [34, 60, 80, 140]) {
		const lines = open(settings).lines(width);
		assert.ok(lines.length <= 21, `${lines.length} lines at ${width}`);
		assert.ok(lines.every((line) => visibleWidth(line) <= width));
		assert.ok(lines.some((line) => line.includes("Enter/Space")));
	}
});

describe("a value that is typed", () => {
	test("has its setting, its meaning and its keys beside it, and is saved", async (t) => {
		const { settings } = commandEnvironment(t);
		const picker = open(settings);
		picker.type(..."maxPar", ENTER);
		const text = picker.lines().join("\n");
		assert.match(text, /maxParallelRuns\nagy processes of all pi .*Empty: the default\.\n> 4\nenter saves/);
		picker.type(BACKSPACE, "2", ENTER);
		await until(() => settings.current().maxParallelRuns === 2);
		assert.match(picker.lines().join("\n"), /maxParallelRuns +2/);
		assert.deepEqual(picker.told, []);
	});
	test("goes back to the default when it is empty", async (t) => {
		const { settings } = commandEnvironment(t);
		await settings.change("agyPath", "/wrong");
		const picker = open(settings);
		picker.type(..."agyPath", ENTER, ...Array.from("/wrong", () => BACKSPACE), ENTER);
		await until(() => /agyPath +\(default\)/.test(picker.lines().join("\n")));
		assert.deepEqual(JSON.parse(readFileSync(settings.path, "utf8")), {});
	});
	test("that cannot be is told, and the old one stays", async (t) => {
		const { settings } = commandEnvironment(t);
		const picker = open(settings);
		picker.type(..."maxPar", ENTER, "9", "9", ENTER);
		await until(() => picker.told.length > 0);
		assert.match(picker.told[0] ?? "", /maxParallelRuns cannot be "499"/);
		assert.match(picker.lines().join("\n"), /maxParallelRuns +4/);
	});
	test("is left as it was by Escape, which then closes the list", async (t) => {
		const { settings } = commandEnvironment(t);
		const picker = open(settings);
		picker.type(..."maxPar", ENTER, "9", ESCAPE);
		assert.match(picker.lines().join("\n"), /maxParallelRuns +4/);
		picker.type(ESCAPE);
		await picker.closed;
		assert.equal(settings.origin("maxParallelRuns"), "default");
	});
});
