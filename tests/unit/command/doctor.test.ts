import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { dispatch } from "../../../src/command/dispatch.ts";
import { checkAgy } from "../../../src/command/doctor/agy.ts";
import { checkAgySettings } from "../../../src/command/doctor/agy-settings.ts";
import { checkBridge } from "../../../src/command/doctor/bridge.ts";
import type { Check } from "../../../src/command/doctor/check.ts";
import {
	checkDecoding,
	checkFileEvents,
	checkModels,
	checkSettings,
	checkSurroundings,
} from "../../../src/command/doctor/checks.ts";
import { checkHooks } from "../../../src/command/doctor/hooks.ts";
import type { AgyProbe, BridgeStatus } from "../../../src/command/environment.ts";
import { commandEnvironment } from "./environment.ts";

const levels = (checks: readonly Check[]) => checks.map((check) => check.level);
const settings = (content: unknown, permissions: "skip" | "deny" = "skip") =>
	checkAgySettings("settings.json", typeof content === "string" ? content : JSON.stringify(content), permissions);

test("a machine in order has no problem and no warning", async (t) => {
	const agy = "printf 'claude-sonnet-4-6\\tSonnet\\ngemini-3.8-flash-low\\tGemini 3.8 Flash (Low)\\n'";
	const reply = await dispatch("doctor", commandEnvironment(t, { agy }));
	assert.equal(reply.level, "info");
	assert.deepEqual(reply.lines, [
		"✓ agy: 1.3.3",
		"✓ sign-in: agy is signed in",
		"✓ models: agy lists 2",
		"✓ write access: settings, cache and log can be written",
		"✓ agy's conversations: none yet to try to read",
		"✓ file events: changes of agy's database are noticed at once",
		"✓ other extensions: none claims `antigravity` or `/agy`",
		"✓ agy's hooks: no hook looks at agy's tools before they run",
		"✓ agy's settings: none, so agy's defaults count",
		"✓ settings: all usable",
		"no problems, no warnings.",
	]);
});

test("what is wrong is told with its remedy, and --verbose tells more", async (t) => {
	const env = commandEnvironment(t, {
		agy: "echo 'Error: Please sign in' >&2; exit 1",
		variables: { AGY_MODE: "yolo", AGY_GATEWAY_URL: "https://example.org" },
	});
	const hooks = join(env.probes.cwd, ".agents", "hooks.json");
	mkdirSync(dirname(hooks));
	writeFileSync(
		hooks,
		'{"guard":{"PreToolUse":[{"matcher":"run_command","hooks":[{"type":"command","command":"guard.sh"}]}]}}',
	);
	const agySettings = join(env.probes.geminiDir, "antigravity-cli", "settings.json");
	mkdirSync(dirname(agySettings), { recursive: true });
	writeFileSync(agySettings, '{"allow":["command(git)"]}');
	writeFileSync(env.dataDirectory, "a file is in the way");
	const reply = await dispatch("doctor --verbose", {
		...env,
		probes: { ...env.probes, conflicts: () => ["other-agy"], fileEvents: async () => "polling" },
	});
	const text = reply.lines.join("\n");
	assert.equal(reply.level, "error");
	for (const expected of [
		/✗ sign-in: agy is not signed in\.\n {4}→ Run `agy`/,
		/✗ write access: .* cannot be written \(EEXIST\)/,
		/! file events: .*polled/,
		/✗ other extensions: also claiming .*other-agy/,
		/! agy's hooks: "guard" looks at run_command .*\n {4}→ .*\n {4}guard\.sh/,
		/! agy's settings: allow at the top of the file is ignored/,
		/! settings: AGY_MODE: /,
		/! environment: AGY_GATEWAY_URL is set/,
		/3 problems, 5 warnings\.$/,
	]) {
		assert.match(text, expected);
	}
});

test("without agy only agy itself is a problem", async (t) => {
	const env = commandEnvironment(t);
	const gone = { kind: "failed", failure: { kind: "not-installed", searched: ["/usr/bin/agy"] } } as const;
	const reply = await dispatch("doctor -v", {
		...env,
		catalogue: { ...env.catalogue, refresh: async () => gone },
		probes: { ...env.probes, agy: async () => ({ found: false, searched: ["/usr/bin/agy"] }) },
	});
	assert.match(reply.lines.join("\n"), /^✗ agy: not found\n {4}→ Install .*\n {4}\/usr\/bin\/agy\n✓ write access/);
	assert.equal(reply.lines.at(-1), "1 problem, no warnings.");
});

test("agy: too old and broken are problems", () => {
	const old = checkAgy({ found: true, path: "/a", version: "1.0.3", tooOldFor: { floor: "1.0.16" } });
	assert.deepEqual([old.level, /1\.0\.16 or later/.test(old.remedy ?? "")], ["problem", true]);
	assert.equal(checkAgy({ found: "broken", path: "/a", cause: "EACCES" }).level, "problem");
});

describe("an older agy that works", () => {
	const check = (version: string) => checkAgy({ found: true, path: "/a", version });

	test("is a warning that names in one line what it lacks, and the remedy", () => {
		const oldest = check("1.0.16");
		assert.deepEqual([oldest.level, oldest.remedy], ["warning", "Run `agy update`."]);
		assert.match(
			oldest.text,
			/^1\.0\.16 works, but lacks prompts on stdin, since 1\.1\.1; models .* by slug .*1\.1\.5; stream-json .*1\.1\.8; `\/agy quota`, since 1\.1\.11; `mode: plan`, since 1\.1\.12; API keys, since 1\.1\.13; `toolsRunIn: pi`.* without tools, since 1\.2\.1$/,
		);
	});
	test("is told only what came after it", () => {
		assert.match(check("1.1.7").text, /lacks stream-json/);
		assert.match(check("1.1.8").text, /lacks `\/agy quota`/);
		assert.match(check("1.2.0").text, /lacks `toolsRunIn: pi`/);
		assert.deepEqual(check("1.2.1"), { level: "ok", name: "agy", text: "1.2.1", details: ["/a"] });
	});
	test("is a warning too where it does not say its version, since turns with it may work", () => {
		const unnamed = checkAgy({ found: "unnamed", path: "/a" });
		assert.equal(unnamed.level, "warning");
		assert.match(unnamed.text, /\/a does not say its version: it is older than 1\.0\.16, the oldest that was tried/);
	});
});

test("models: a failure that is not about signing in is a warning, since the old list works on", () => {
	const found: AgyProbe = { found: true, path: "/agy", version: "1.3.3" };
	assert.deepEqual(levels(checkModels(found, { kind: "failed", failure: { kind: "no-network" } }, 7)), ["warning"]);
	const late = { kind: "failed", failure: { kind: "timed-out", seconds: 30 } } as const;
	assert.deepEqual(levels(checkModels(found, late, 7)), ["warning"]);
	assert.deepEqual(levels(checkModels(found, { kind: "not-needed" }, 7)), ["ok", "ok"]);
});

test("models: nothing more is said of an agy that does not work at all", () => {
	const broken: AgyProbe = { found: "broken", path: "/agy", cause: "EACCES" };
	assert.deepEqual(checkModels(broken, { kind: "failed", failure: { kind: "exit", code: 1 } }, 7), []);
});

describe("the doctor and the bridge", () => {
	const status = (contact: BridgeStatus["contact"]): BridgeStatus => ({
		state: "",
		tools: ["a", "b"],
		leftOut: [],
		contact,
	});

	test("says without starting anything what the session knows", () => {
		assert.match(checkBridge(status("no turn yet")).text, /offered 2; `\/agy bridge test`/);
		assert.match(checkBridge(status("connected")).text, /offered 2, and connected/);
		const missed = checkBridge(status("not connected"));
		assert.deepEqual([missed.level, /bridgeGlobalConfig/.test(missed.remedy ?? "")], ["warning", true]);
		assert.match(checkBridge({ ...status("no turn yet"), tools: [] }).text, /offered none/);
	});
	test("starts agy with --verbose only, when everything else has been looked at", async (t) => {
		const variables = { AGY_DEFAULT_MODEL: "sonnet" };
		const env = commandEnvironment(t, { variables, bridgeStatus: () => status("no turn yet") });
		const order: string[] = [];
		const probes = {
			...env.probes,
			async decoding() {
				await new Promise((resolve) => setImmediate(resolve));
				order.push("decoded");
				return { kind: "none" } as const;
			},
			async bridge() {
				order.push("started");
				return { kind: "not-connected" } as const;
			},
		};
		const said: string[] = [];
		const plain = await dispatch("doctor", { ...env, probes }, (line) => said.push(line));
		assert.deepEqual([order, plain.level, said], [["decoded"], "info", ["Looking at agy…"]]);
		const verbose = await dispatch("doctor --verbose", { ...env, probes }, (line) => said.push(line));
		assert.deepEqual(order, ["decoded", "decoded", "started"]);
		assert.match(said.at(-1) ?? "", /can cost part of a model request/);
		assert.equal(verbose.level, "warning");
		assert.match(verbose.lines.join("\n"), /! pi's tools: agy was started and does not connect/);
	});
});

test("a default model that agy does not list any more is named, with others", async (t) => {
	const env = commandEnvironment(t, {
		agy: "printf 'gemini-3.8-flash-low\\tGemini 3.8 Flash (Low)\\n'",
		variables: { AGY_DEFAULT_MODEL: "gemini-2.5-flash" },
	});
	const lines = (await dispatch("doctor", env)).lines.join("\n");
	assert.match(lines, /! settings: defaultModel: agy lists no model "gemini-2\.5-flash"\n {4}→ .*gemini-3\.8-flash\./);
});

test("conversations: unknown steps warn, an unreadable one is a problem", () => {
	const decoded = (unknownSteps: number) => checkDecoding({ kind: "decoded", id: "x", steps: 9, unknownSteps }).level;
	assert.deepEqual([decoded(0), decoded(2)], ["ok", "warning"]);
	assert.equal(checkDecoding({ kind: "failed", path: "/x.db", cause: "not a database" }).level, "problem");
});

test("file events: polling that was asked for is no warning", () => {
	assert.equal(checkFileEvents("polling", false).level, "ok");
	assert.equal(checkFileEvents("polling", true).level, "warning");
});

test("a working folder below a hidden one is a warning", () => {
	assert.deepEqual(levels(checkSurroundings({}, "/home/e/.worktrees/x")), ["warning"]);
	assert.deepEqual(levels(checkSurroundings({}, "/home/e/src")), []);
});

test("a key that is no setting's is told with the one that may have been meant", () => {
	const unknown = (where: string) => checkSettings("config.json", [{ where, reason: "none", isUnknownKey: true }])[0];
	assert.equal(unknown("permision")?.remedy, "Correct it in config.json. Was permissions meant?");
	assert.equal(unknown("colour")?.remedy, "Correct it in config.json.");
});

test("agy's settings: known mistakes are named, the rest is left alone", () => {
	assert.deepEqual(levels(settings({ theme: "dark", permissions: { allow: ["mcp(server/*)", "command(*)"] } })), [
		"ok",
	]);
	for (const [content, expected] of [
		["{", /not a JSON object/],
		["[]", /not a JSON object/],
		[{ allow: [], deny: [] }, /allow, deny at the top/],
		[{ autoExecutionPolicy: "AUTO" }, /autoExecutionPolicy/],
		[{ allowAutoRunCommands: true }, /allowAutoRunCommands/],
		[{ sandboxAllowNetwork: true }, /no such key/],
		[{ permissions: { allow: ["command(git status)", 7] } }, undefined],
		[{ permissions: { allow: ["command(git status)"] } }, /command\(git status\): agy often does not honour/],
		[{ permissions: { allow: ["write_file(/src/**)"] } }, /takes a folder/],
		[{ enableTerminalSandbox: true }, /no boundary/],
	] as const) {
		const [check] = settings(content);
		if (expected === undefined) assert.ok(check);
		else assert.match(check?.text ?? "", expected);
	}
	assert.deepEqual(levels(settings({ enableTerminalSandbox: true }, "deny")), ["ok"]);
});

test("agy's hooks: only PreToolUse counts, and odd shapes are no fault", () => {
	const check = (text: string) => checkHooks([{ path: "hooks.json", text }]);
	assert.deepEqual(levels(check('{"a":{"Stop":[{"hooks":[]}]},"b":{"PreToolUse":[]},"c":7}')), ["ok"]);
	assert.deepEqual(levels(check('{"a":{"PreToolUse":[{}]},"b":{"PreToolUse":[7]}}')), ["warning", "warning"]);
	assert.deepEqual(levels(check("{")), ["warning"]);
	assert.match(check('{"a":{"PreToolUse":[{"matcher":""}]}}')[0]?.text ?? "", /every tool/);
});
