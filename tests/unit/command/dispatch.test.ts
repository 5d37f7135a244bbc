import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, test } from "node:test";
import { complete, dispatch } from "../../../src/command/dispatch.ts";
import type { BridgeStatus } from "../../../src/command/environment.ts";
import { subCommands } from "../../../src/command/table.ts";
import { commandEnvironment, NOW } from "./environment.ts";

const text = (reply: { lines: readonly string[] }) => reply.lines.join("\n");

test("every sub-command answers without agy having run a turn, and none throws", async (t) => {
	const env = commandEnvironment(t);
	for (const { name } of subCommands) {
		const reply = await dispatch(name, env);
		assert.equal(reply.level === "error", name === "quota", `${name}: ${text(reply)}`);
		assert.ok(reply.lines.length > 0, name);
	}
});

test("every sub-command refuses words it does not know, with its usage", async (t) => {
	const env = commandEnvironment(t);
	for (const { name } of subCommands) {
		if (name === "help" || name === "model") continue;
		const reply = await dispatch(`${name} nonsense nonsense nonsense`, env);
		assert.deepEqual([reply.level, text(reply).startsWith(`Usage: /agy ${name}`)], ["error", true], text(reply));
	}
});

test("an unknown word gets a suggestion, or the whole list", async (t) => {
	const env = commandEnvironment(t);
	assert.match(text(await dispatch("stauts", env)), /Did you mean \/agy status\?/);
	assert.match(text(await dispatch("xyzzy", env)), /status, doctor, mode/);
});

test("what a setting is and what it becomes is told under the same name, the setting's own", async (t) => {
	const env = commandEnvironment(t);
	assert.match(text(await dispatch("thinking", env)), /^defaultThinking is medium \(from: default\)/);
	assert.match(text(await dispatch("thinking high", env)), /^defaultThinking is now high/);
	assert.match(text(await dispatch("model", env)), /^defaultModel is flash, now gemini-.*AskAntigravity.*`\/model`/s);
	assert.match(text(await dispatch("model sonnet", env)), /^defaultModel is now sonnet/);
});

test("a fault in a sub-command is a reply", async (t) => {
	const env = commandEnvironment(t, {
		logPath: () => {
			throw new Error("no folder");
		},
	});
	assert.deepEqual(await dispatch("logs", env), { level: "error", lines: ["/agy logs failed: no folder"] });
});

test("completions continue the word, name arguments, and are null where nothing fits", async (t) => {
	const env = commandEnvironment(t);
	const values = async (prefix: string) => (await complete(prefix, env))?.map((completion) => completion.value) ?? null;
	assert.deepEqual((await values(""))?.length, subCommands.length);
	assert.deepEqual(await values("mo"), ["mode", "model", "models"]);
	assert.deepEqual(await values("mode "), ["mode plan", "mode accept-edits"]);
	assert.deepEqual(await values("permissions d"), ["permissions deny"]);
	assert.deepEqual(await values("conversation use "), ["conversation use known"]);
	assert.ok((await values("model "))?.includes("model gemini-3.8-flash"));
	for (const prefix of [
		"x",
		"mode",
		"mode plan",
		"mode plan ",
		"mode x",
		"status ",
		"conversation show ",
		"nonsense ",
	]) {
		assert.equal(await values(prefix), null, prefix);
	}
});

test("a change is saved, says when it counts, and is seen at once", async (t) => {
	const env = commandEnvironment(t);
	for (const [line, setting, value] of [
		["mode plan", "mode", "plan"],
		["permissions deny", "permissions", "deny"],
		["display inline", "display", "inline"],
		["thinking high", "defaultThinking", "high"],
		["bridge off", "bridge", "off"],
		["model pro low", "defaultModel", "pro low"],
	] as const) {
		const reply = await dispatch(line, env);
		assert.match(text(reply), /takes effect on the next turn/, line);
		assert.equal(env.settings.current()[setting], value);
	}
	assert.match(text(await dispatch("mode", env)), /^mode is plan \(from: file\)/);
});

test("a variable wins over a change, and the reply says so", async (t) => {
	const env = commandEnvironment(t, { variables: { AGY_MODE: "accept-edits" } });
	const reply = await dispatch("mode plan", env);
	assert.match(text(reply), /AGY_MODE is set and wins: accept-edits stays in force/);
	assert.equal(JSON.parse(readFileSync(env.settings.path, "utf8")).mode, "plan");
});

test("a settings folder that cannot be written is told", async (t) => {
	const env = commandEnvironment(t);
	writeFileSync(env.dataDirectory, "a file is in the way");
	const reply = await dispatch("mode plan", env);
	assert.equal(reply.level, "error");
	assert.match(text(reply), /could not be written/);
});

test("model refuses what agy does not list, with suggestions", async (t) => {
	const env = commandEnvironment(t);
	await dispatch("models refresh", env);
	const reply = await dispatch("model flash", env);
	assert.equal(reply.level, "error");
	assert.match(text(reply), /no model "flash". Did you mean: claude-sonnet-4-6\?/);
	assert.equal(env.settings.current().defaultModel, "flash");
});

test("models lists what there is with its age; refresh tells what came and went", async (t) => {
	let published = 0;
	const env = commandEnvironment(t, {
		publishModels: async () => {
			published++;
		},
	});
	assert.match(text(await dispatch("models", env)), /built in \(agy has not been asked yet\)/);
	assert.match(text(await dispatch("models", env)), /gemini-3.1-pro +Gemini 3.1 Pro \(thinking: low, high\)/);
	const refreshed = text(await dispatch("models refresh", env));
	assert.match(
		refreshed,
		/Gone: gemini-3.8-flash, .*\n1 models, as agy 1.3.3 listed them 0 s ago:\n {2}claude-sonnet-4-6/,
	);
	assert.equal(published, 1);
	env.clock.advance(90 * 60 * 1000);
	assert.match(text(await dispatch("models", env)), /1 h 30 min ago/);
	assert.match(text(await dispatch("models refresh", env)), /^Nothing changed/);
});

test("a failed refresh keeps the list and says what to do", async (t) => {
	const env = commandEnvironment(t, { agy: "echo 'Error: Please sign in to view available models.' >&2; exit 1" });
	const reply = await dispatch("models refresh", env);
	assert.equal(reply.level, "error");
	assert.match(text(reply), /not signed in\. Run `agy`.*\nThe list stays as it was:\n7 models/);
});

test("quota shows bars, and how old the answer is", async (t) => {
	const answer =
		'{"command":{"data":{"groups":[{"name":"Gemini Models","buckets":[{"window":"5h","remaining_fraction":0.5}]}]}}}';
	const env = commandEnvironment(t, { agy: `echo '${answer}'` });
	assert.match(text(await dispatch("quota", env)), /^Gemini Models\n {2}5h {2}█{10}░{10} +50 % left$/);
	env.clock.advance(60_000);
	assert.match(text(await dispatch("quota", env)), /asked 1 min ago/);
});

test("conversation shows, renews and chooses; clear forgets", async (t) => {
	const env = commandEnvironment(t);
	assert.match(text(await dispatch("conversation", env)), /no agy conversation yet/);
	assert.match(text(await dispatch("conversation use other", env)), /There is no conversation other here/);
	assert.match(text(await dispatch("conversation use known", env)), /continues conversation known/);
	assert.equal(text(await dispatch("conversation show", env)), "known\n  /conversations/known.db");
	assert.match(text(await dispatch("status", env)), /conversation +known\n +\/conversations\/known.db/);
	assert.match(text(await dispatch("conversation new", env)), /starts a new agy conversation/);
	assert.match(text(await dispatch("clear", env)), /nothing to forget/);
	await dispatch("conversation use known", env);
	assert.match(text(await dispatch("clear", env)), /^Forgotten/);
});

test("logs shows the end of today's file", async (t) => {
	const env = commandEnvironment(t);
	assert.equal(text(await dispatch("logs path", env)), env.logPath());
	assert.match(text(await dispatch("logs", env)), /Nothing was logged today/);
	mkdirSync(dirname(env.logPath()), { recursive: true });
	writeFileSync(env.logPath(), Array.from({ length: 30 }, (_, i) => `{"event":"e${i}"}\n`).join(""));
	const { lines } = await dispatch("logs", env);
	assert.equal(lines.length, 21);
	assert.equal(lines.at(-1), '{"event":"e29"}');
});

test("status tells the last turn, an agy that is missing, and settings that are not usable", async (t) => {
	const env = commandEnvironment(t, {
		variables: { AGY_MODE: "yolo" },
		lastTurn: () => ({ endedAt: NOW - 5_000, outcome: { kind: "answered" }, summary: "answered" }),
	});
	const missing = {
		...env,
		probes: { ...env.probes, agy: async () => ({ found: false as const, searched: ["/usr/bin/agy"] }) },
	};
	const status = text(await dispatch("status", missing));
	assert.match(status, /agy +not found; see \/agy doctor/);
	assert.match(status, /last turn +answered \(5 s ago\)/);
	assert.match(status, /settings +1 entry is not usable/);
});

describe("bridge", () => {
	const leftOut = ["read", "bash"].map((name) => ({ name, reason: "agy has its own" }));
	const status: BridgeStatus = { state: "Running.", tools: ["search", "recall"], leftOut, contact: "no turn yet" };

	test("shows what is offered, and what is left out for the same reason in one line", async (t) => {
		const env = commandEnvironment(t, { bridgeStatus: () => status });
		assert.deepEqual((await dispatch("bridge", env)).lines.slice(1), [
			"Running.",
			"  offered: search, recall",
			"  not offered, agy has its own: read, bash",
		]);
	});
	test("test starts agy, after saying what that can cost", async (t) => {
		const env = commandEnvironment(t);
		const told: string[] = [];
		const bridge = async () => {
			told.push("started");
			return { kind: "connected", by: "workspace-file", seconds: 1.5 } as const;
		};
		const reply = await dispatch("bridge test", { ...env, probes: { ...env.probes, bridge } }, (line) =>
			told.push(line),
		);
		assert.deepEqual(reply, {
			level: "info",
			lines: ["✓ pi's tools: agy was started and connects to them (workspace-file, after 1.5 s)"],
		});
		assert.match(told[0] ?? "", /can cost part of a model request/);
		assert.deepEqual(told.slice(1), ["started"]);
	});
});
