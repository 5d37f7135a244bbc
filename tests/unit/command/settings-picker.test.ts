import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { type ExtensionContext, initTheme, type Theme } from "@earendil-works/pi-coding-agent";
import { type Component, type TUI, visibleWidth } from "@earendil-works/pi-tui";
import { dispatch } from "../../../src/command/dispatch.ts";
import { type PickerEnvironment, pickSettings, toItem, visibleRows } from "../../../src/command/settings-picker.ts";
import { settingNames } from "../../../src/config/schema.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import { commandEnvironment } from "./environment.ts";

before(() => initTheme("dark"));

const [ENTER, ESCAPE, BACKSPACE] = ["\r", "\x1b", "\x7f"];
// Only these two of the theme's many ways to style are used here.
const plain = { fg: (_colour: string, text: string) => text, bold: (text: string) => text } as unknown as Theme;

/** The picker on a terminal of this many rows. */
function open(env: PickerEnvironment, rows = 24) {
	let picker: Component | undefined;
	const tui = { terminal: { rows }, requestRender() {} } as unknown as TUI;
	const ui = {
		custom(factory: (tui: TUI, theme: Theme, keys: unknown, done: () => void) => Component) {
			return new Promise<void>((resolve) => {
				picker = factory(tui, plain, undefined, resolve);
			});
		},
	} as unknown as ExtensionContext["ui"];
	const closed = pickSettings(ui, env);
	return {
		closed,
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
	const items = settingNames.map((name) => toItem(name, settings, () => assert.fail("it was not opened")));
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
	assert.deepEqual([10, 16, 24, 30, 60].map(visibleRows), [3, 3, 6, 12, 14]);
	const env = commandEnvironment(t);
	for (const width of [34, 60, 80, 140]) {
		const lines = open(env).lines(width);
		assert.ok(lines.length <= 21, `${lines.length} lines at ${width}`);
		assert.ok(lines.every((line) => visibleWidth(line) <= width));
		assert.ok(lines.some((line) => line.includes("Enter/Space")));
	}
});

test("it has pi's borders, around the list and around a value's line", (t) => {
	const picker = open(commandEnvironment(t));
	const frame = () => [picker.lines(60).at(0), picker.lines(60).at(1), picker.lines(60).at(-1)];
	assert.deepEqual(frame(), ["─".repeat(60), " Antigravity settings", "─".repeat(60)]);
	picker.type(..."maxPar", ENTER);
	assert.deepEqual(frame(), ["─".repeat(60), " Antigravity settings", "─".repeat(60)]);
});

test("a value that cannot be used is told where its setting is explained, until another one is chosen", async (t) => {
	const env = commandEnvironment(t);
	mkdirSync(env.dataDirectory);
	writeFileSync(env.settings.path, '{"sandbox":"x"}');
	const picker = open(env);
	const isTold = () => /Wrong: sandbox: must be on/.test(picker.lines(200).join("\n"));
	picker.type(..."sandbox");
	assert.ok(isTold());
	picker.type(ENTER);
	await until(() => env.settings.current().sandbox);
	await until(() => !isTold());
});

describe("a value that is typed", () => {
	test("has its setting, its meaning and its keys beside it, and is saved", async (t) => {
		const env = commandEnvironment(t);
		const { settings } = env;
		const picker = open(env);
		picker.type(..."maxPar", ENTER);
		const text = picker.lines().join("\n");
		assert.match(
			text,
			/maxParallelRuns\n agy processes of all pi .*Empty: the default\.\n\n> 4\n\n enter save {2}escape\/ctrl\+c go back/,
		);
		picker.type(BACKSPACE, "2", ENTER);
		await until(() => /maxParallelRuns +2/.test(picker.lines().join("\n")));
		assert.equal(settings.current().maxParallelRuns, 2);
		assert.match(picker.lines().join("\n"), /Changes take effect on the next turn/);
	});
	test("goes back to the default when it is empty", async (t) => {
		const env = commandEnvironment(t);
		const { settings } = env;
		await settings.change("agyPath", "/wrong");
		const picker = open(env);
		picker.type(..."agyPath", ENTER, ...Array.from("/wrong", () => BACKSPACE), ENTER);
		await until(() => /agyPath +\(default\)/.test(picker.lines().join("\n")));
		assert.deepEqual(JSON.parse(readFileSync(settings.path, "utf8")), {});
	});
	test("that cannot be is told below the line, which stays open for another one", async (t) => {
		const env = commandEnvironment(t);
		const picker = open(env);
		picker.type(..."maxPar", ENTER, "9", "9", ENTER);
		await until(() => /> 499\n maxParallelRuns cannot be "499": it must be a whole/.test(picker.lines().join("\n")));
		assert.equal(env.settings.current().maxParallelRuns, 4);
		picker.type(BACKSPACE, BACKSPACE, BACKSPACE, "5", ENTER);
		await until(() => /maxParallelRuns +5/.test(picker.lines().join("\n")));
	});
	test("is no default model that `/agy model` would refuse, in the same words", async (t) => {
		const env = commandEnvironment(t);
		await dispatch("models refresh", env);
		const picker = open(env);
		picker.type(..."defaultModel", ENTER, ..."probogus", ENTER);
		const refused = await dispatch("model flashprobogus", env);
		await until(() => picker.lines(200).join(" ").includes(refused.lines.join(" ")));
		assert.equal(env.settings.origin("defaultModel"), "default");
	});
	test("that a variable keeps from counting is told in the list", async (t) => {
		const env = commandEnvironment(t, { variables: { AGY_TURN_SECONDS: "60" } });
		const picker = open(env);
		picker.type(..."turnSec", ENTER, "0", ENTER);
		await until(() => /turnSeconds is saved as 600, but AGY_TURN_SECONDS is set/.test(picker.lines(120).join("\n")));
		assert.match(picker.lines().join("\n"), /turnSeconds +60\n/);
	});
	test("is left as it was by Escape, which then closes the list", async (t) => {
		const env = commandEnvironment(t);
		const { settings } = env;
		const picker = open(env);
		picker.type(..."maxPar", ENTER, "9", ESCAPE);
		assert.match(picker.lines().join("\n"), /maxParallelRuns +4/);
		picker.type(ESCAPE);
		await picker.closed;
		assert.equal(settings.origin("maxParallelRuns"), "default");
	});
});
