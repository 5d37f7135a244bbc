import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { environmentName, parseText } from "../../../src/config/environment.ts";
import { combineSettings, parseSettingsFile, readSettingsFile } from "../../../src/config/load.ts";
import { defaultSettings, settingNames } from "../../../src/config/schema.ts";
import { createSettingsSource } from "../../../src/config/settings-source.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function settingsPath(t: TestContext): string {
	const folder = temporaryFolder(t);
	return join(folder, "antigravity", "config.json");
}

function write(path: string, text: string): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
}

const combine = (text: string, env: NodeJS.ProcessEnv = {}) => combineSettings(parseSettingsFile(text), env);

test("without a file and variables everything has its default", () => {
	const { settings, problems, origins } = combineSettings(readSettingsFile("/nowhere/config.json"), {});
	assert.deepEqual(settings, defaultSettings);
	assert.deepEqual(problems, []);
	assert.ok(Object.values(origins).every((origin) => origin === "default"));
});

test("the file wins over the defaults, the environment over the file", () => {
	const file = '{"mode":"plan","maxParallelRuns":2,"bridgeAllow":["a"]}';
	const { settings, problems, origins } = combine(file, {
		AGY_MAX_PARALLEL_RUNS: "3",
		AGY_BRIDGE_DENY: "x, y,",
		AGY_MODE: "",
	});
	assert.deepEqual(problems, []);
	assert.deepEqual(
		[settings.mode, settings.maxParallelRuns, settings.bridgeAllow, settings.bridgeDeny],
		["plan", 3, ["a"], ["x", "y"]],
	);
	assert.deepEqual([origins.mode, origins.maxParallelRuns, origins.display], ["file", "environment", "default"]);
});

test("a bad key is reported with what is allowed, found and used, and the good ones are used", () => {
	const { settings, problems } = combine(
		'{"mode":"yolo","display":"inline","colour":1,"agyPath":7,"sandbox":"x","maxParallelRuns":99}',
		{ AGY_TURN_SECONDS: "soon", AGY_LOG_LEVEL: "debug" },
	);
	assert.deepEqual(
		[settings.mode, settings.display, settings.logLevel, settings.maxParallelRuns],
		["accept-edits", "inline", "debug", 4],
	);
	assert.deepEqual(problems, [
		{ where: "mode", reason: 'must be accept-edits or plan, but is "yolo"; accept-edits is used' },
		{ where: "colour", reason: "there is no such setting", isUnknownKey: true },
		{ where: "agyPath", reason: "must be a text, but is 7; the default is used" },
		{ where: "sandbox", reason: 'must be on (true) or off (false), but is "x"; off is used' },
		{ where: "maxParallelRuns", reason: "must be a whole number from 1 to 64, but is 99; 4 is used" },
		{ where: "AGY_TURN_SECONDS", reason: 'must be a number above 0 and not above 86400, but is "soon"; 7200 is used' },
	]);
});

test("what is used instead of a bad key may be what a variable says", () => {
	const [problem] = combine('{"mode":"yolo"}', { AGY_MODE: "plan" }).problems;
	assert.match(problem?.reason ?? "", /; plan is used$/);
});

test("a long value is reported short", () => {
	const [problem] = combine(JSON.stringify({ mode: "x".repeat(500) })).problems;
	assert.ok((problem?.reason.length ?? 0) < 140, problem?.reason);
});

test("the good entries of a list count, the bad ones are reported", () => {
	const { settings, problems } = combine('{"bridgeDeny":["memory",7,"mail",{"name":"x"}],"bridgeAllow":[null]}');
	assert.deepEqual(
		[settings.bridgeDeny, settings.bridgeAllow, settings.bridge],
		[["memory", "mail"], [], "extensions"],
	);
	assert.deepEqual(problems, [
		{ where: "bridgeDeny", reason: 'must be a list of names, but holds 7, {"name":"x"}; it is read as memory, mail' },
		{ where: "bridgeAllow", reason: "must be a list of names, but holds null; it is read as empty" },
	]);
});

test("a text where a list belongs is read as a variable would be", () => {
	const { settings, problems } = combine('{"bridgeDeny":"memory, mail"}');
	assert.deepEqual([settings.bridgeDeny, settings.bridge], [["memory", "mail"], "extensions"]);
	assert.deepEqual(problems, [
		{ where: "bridgeDeny", reason: 'must be a list of names, but is "memory, mail"; it is read as memory, mail' },
	]);
});

test("where it cannot be told which tools are denied, none is offered", () => {
	const junk = combine('{"bridgeDeny":{"memory":true},"bridge":"all"}');
	assert.deepEqual([junk.settings.bridge, junk.origins.bridge], ["off", "default"]);
	assert.match(junk.problems[0]?.reason ?? "", /; it is read as empty, and bridge is off$/);
	assert.equal(combine("{").settings.bridge, "off");
	assert.equal(combine('{"bridgeDeny":7}', { AGY_BRIDGE_DENY: "memory" }).settings.bridge, "extensions");
	assert.equal(combine("{", { AGY_BRIDGE: "all" }).settings.bridge, "all");
});

for (const [name, text] of Object.entries({
	"no JSON": "{mode: plan}",
	"a list": "[]",
	"a word": '"plan"',
	null: "null",
})) {
	test(`a file that holds ${name} leaves the defaults and says so`, () => {
		const { settings, problems } = combine(text);
		assert.deepEqual(settings, { ...defaultSettings, permissions: "deny", bridge: "off" });
		assert.equal(problems.length, 1);
	});
}

test("permissions that are not understood are not given", () => {
	for (const [text, env] of [
		['{"permissions":"denny"}', {}],
		["{}", { AGY_SKIP_PERMISSIONS: "never" }],
		['{"permissions":"deny",}', {}],
	] as const) {
		const { settings, origins, problems } = combine(text, env);
		// As by default nothing was decided, so that the person at the screen is asked.
		assert.deepEqual([settings.permissions, origins.permissions], ["deny", "default"], text);
		assert.match(
			problems[0]?.reason ?? "",
			/; (deny is used|until it is right, permissions is deny and bridge is off)$/,
		);
	}
	const readable = combine('{"permissions":"skip","mode":"yolo"}', { AGY_SKIP_PERMISSIONS: "never" });
	assert.equal(readable.settings.permissions, "skip");
	assert.equal(combine("{", { AGY_SKIP_PERMISSIONS: "1" }).settings.permissions, "skip");
	assert.equal(combine('{"mode":"yolo"}').settings.permissions, "skip");
});

test("a byte order mark does not make a file unreadable", () => {
	const { settings, problems } = combine('\uFEFF{"mode":"plan"}');
	assert.deepEqual([settings.mode, problems], ["plan", []]);
});

test("a settings path that is a folder, and keys out of the prototype, are no trouble", (t) => {
	const path = settingsPath(t);
	mkdirSync(path, { recursive: true });
	assert.equal(readSettingsFile(path).kind, "unreadable");
	assert.equal(combine('{"__proto__":{"mode":"plan"},"toString":1}').settings.mode, defaultSettings.mode);
});

test("variables have the names people know, follow one rule, and none is agy's own", () => {
	assert.deepEqual(
		["agyPath", "extraArgs", "conversationsDir", "mode", "permissions", "defaultModel", "defaultThinking"].map((name) =>
			environmentName(name as (typeof settingNames)[number]),
		),
		[
			"AGY_BIN",
			"AGY_EXTRA_ARGS",
			"AGY_CONVERSATIONS_DIR",
			"AGY_MODE",
			"AGY_SKIP_PERMISSIONS",
			"AGY_DEFAULT_MODEL",
			"AGY_DEFAULT_THINKING",
		],
	);
	const names = settingNames.map(environmentName);
	assert.equal(new Set(names).size, names.length);
	for (const name of names) {
		assert.match(name, /^AGY_[A-Z]+(_[A-Z]+)*$/);
		assert.doesNotMatch(name, /^AGY_(CLI_|ADC_AUTH$|GATEWAY_URL$|ENABLE_HUB$|ERROR$)/);
	}
});

test("text is read as the type of its setting", () => {
	const value = (name: (typeof settingNames)[number], text: string) => {
		const parsed = parseText(name, text);
		return parsed?.value;
	};
	for (const text of ["1", "true", "YES", "on"]) {
		assert.equal(value("sandbox", text), true);
		assert.equal(value("permissions", text), "skip");
	}
	for (const text of ["0", "false", "no", "off"]) {
		assert.equal(value("sandbox", text), false);
		assert.equal(value("permissions", text), "deny");
	}
	assert.equal(value("permissions", "deny"), "deny");
	assert.equal(value("display", "off"), "off");
	assert.equal(value("bridge", "off"), "off");
	assert.equal(value("agyPath", "1"), "1");
	assert.equal(value("turnSeconds", "90"), 90);
	assert.equal(value("maxParallelRuns", "2.5"), undefined);
	assert.equal(value("sandbox", "perhaps"), undefined);
	assert.deepEqual(value("bridgeAllow", "a, b"), ["a", "b"]);
});

test("a change is written for the user alone, keeps unknown keys, and counts at once", async (t) => {
	const path = settingsPath(t);
	write(path, '{"future":{"x":1},"mode":"plan"}');
	const source = createSettingsSource(path, {});
	assert.equal(source.current().mode, "plan");
	await source.change("display", "off");
	assert.equal(source.current().display, "off");
	assert.equal(source.origin("display"), "file");
	assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), { future: { x: 1 }, mode: "plan", display: "off" });
	assert.equal(statSync(path).mode & 0o777, 0o600);
	await source.change("display", undefined);
	assert.equal(source.origin("display"), "default");
});

test("the file may be changed by others at any time", (t) => {
	const path = settingsPath(t);
	const source = createSettingsSource(path, {});
	assert.equal(source.current().mode, "accept-edits");
	write(path, '{"mode":"plan"}');
	assert.equal(source.current().mode, "plan");
	rmSync(path);
	assert.equal(source.current().mode, "accept-edits");
});

test("a file that is not understood is put aside before a change, not lost", async (t) => {
	const path = settingsPath(t);
	write(path, "{ mode: plan }");
	const source = createSettingsSource(path, {});
	const { movedAside } = await source.change("mode", "plan");
	assert.equal(movedAside, `${path}.invalid`);
	assert.equal(readFileSync(`${path}.invalid`, "utf8"), "{ mode: plan }");
	assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), { mode: "plan" });
});

test("a folder that cannot be written is an error of the change, and the settings go on", async () => {
	const source = createSettingsSource("/dev/null/antigravity/config.json", {});
	await assert.rejects(source.change("mode", "plan"));
	assert.deepEqual(source.current(), defaultSettings);
});

test("processes that write at once lose nothing", async (t) => {
	const path = settingsPath(t);
	const writer = fileURLToPath(new URL("settings-writer.ts", import.meta.url));
	const names = ["startUpSeconds", "inactivitySeconds", "turnSeconds", "exitGraceSeconds"];
	const exits = names.map((name) => once(fork(writer, [path, name], { execArgv: [] }), "exit"));
	for (const [code] of await Promise.all(exits)) assert.equal(code, 0);
	assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), Object.fromEntries(names.map((name) => [name, 8])));
	assert.equal(existsSync(`${path}.lock`), false);
});
