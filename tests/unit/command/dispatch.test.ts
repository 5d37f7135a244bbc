import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { changeSetting } from "../../../src/command/change-setting.ts";
import { complete, dispatch } from "../../../src/command/dispatch.ts";
import type { BridgeStatus, CommandEnvironment } from "../../../src/command/environment.ts";
import { subCommands } from "../../../src/command/table.ts";
import type { SettingName } from "../../../src/config/schema.ts";
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
	assert.deepEqual(await dispatch("logs", env), {
		level: "error",
		lines: ["/agy logs failed: no folder.", "`/agy doctor` may tell why."],
	});
});

describe("completions", () => {
	const valuesIn = (env: CommandEnvironment) => async (prefix: string) =>
		(await complete(prefix, env))?.map((completion) => completion.value) ?? null;

	test("continue the word, name arguments, and set a space where more may follow", async (t) => {
		const values = valuesIn(commandEnvironment(t));
		assert.deepEqual((await values(""))?.length, subCommands.length);
		assert.deepEqual(await values("mo"), ["mode ", "model ", "models "]);
		assert.deepEqual(await values("st"), ["status"]);
		assert.deepEqual(await values("mode "), ["mode plan", "mode accept-edits"]);
		assert.deepEqual(await values("permissions d"), ["permissions deny"]);
		assert.deepEqual(await values("conversation u"), ["conversation use "]);
		assert.deepEqual(await values("conversation use "), ["conversation use known"]);
		assert.ok((await values("model "))?.includes("model gemini-3.8-flash"));
	});

	test("are null where nothing fits and where the word is whole", async (t) => {
		const values = valuesIn(commandEnvironment(t));
		const whole = ["mode", "mode plan", "mode plan ", "conversation show "];
		for (const prefix of [...whole, "x", "mode x", "status ", "nonsense "]) {
			assert.equal(await values(prefix), null, prefix);
		}
	});

	test("each says what it means", async (t) => {
		const env = commandEnvironment(t);
		const places = ["", ...subCommands.map(({ name }) => `${name} `), "conversation use "];
		for (const place of places) {
			for (const { value, description } of (await complete(place, env)) ?? []) {
				assert.ok(description.length > 5, `${value}: ${description}`);
			}
		}
		const meaning = async (prefix: string) => (await complete(prefix, env))?.[0]?.description;
		assert.equal(await meaning("conversation use k"), "written 1 min ago");
		assert.equal(await meaning("model fla"), "Now gemini-3.8-flash-medium, the newest of this name.");
		assert.equal(await meaning("model claude-s"), "Claude Sonnet 4.6");
	});

	test("a name that no model of the list has is not offered", async (t) => {
		const env = commandEnvironment(t);
		await dispatch("models refresh", env);
		assert.deepEqual(await valuesIn(env)("model "), ["model sonnet", "model claude-sonnet-4-6"]);
	});
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

test("a setting that was given and cannot be used is told with where it stands and what counts instead", async (t) => {
	const env = commandEnvironment(t, { variables: { AGY_MODE: "yolo", AGY_DEFAULT_MODEL: "sonnet" } });
	const { path } = env.settings;
	mkdirSync(env.dataDirectory);
	writeFileSync(path, '{"permissions":"maybe","mode":"plan","bridgeDeny":7,"defaultModel":7,"display":"inline"}');
	const told = async (line: string) => (await dispatch(line, env)).lines.slice(0, 2).join("\n");
	assert.equal(
		await told("permissions"),
		`permissions is deny.\n! permissions: must be skip or deny, but is "maybe"; deny is used (${path}).`,
	);
	assert.equal(
		await told("mode"),
		'mode is plan (from: file).\n! AGY_MODE: must be accept-edits or plan, but is "yolo"; plan is used (the environment).',
	);
	assert.match(await told("bridge"), /^bridge is off\.\n! bridgeDeny: must be a list .*, and bridge is off \(/);
	assert.match(
		await told("model"),
		/\(from: environment\)\.\n! defaultModel: must be a text, but is 7; sonnet is used/,
	);
	assert.match(await told("display"), /^display is inline \(from: file\)\.\n {2}cards/);
	writeFileSync(path, "{");
	assert.match(
		await told("permissions"),
		/^permissions is deny\.\n! the whole file: it is not valid JSON; until it is right/,
	);
});

test("a variable wins over a change, and the reply says so", async (t) => {
	const env = commandEnvironment(t, { variables: { AGY_MODE: "accept-edits" } });
	const reply = await dispatch("mode plan", env);
	assert.match(text(reply), /AGY_MODE is set and wins: accept-edits stays in force/);
	assert.equal(JSON.parse(readFileSync(env.settings.path, "utf8")).mode, "plan");
});

test("a change that something else in the file keeps from counting is not told as one that does", async (t) => {
	const env = commandEnvironment(t);
	mkdirSync(env.dataDirectory);
	writeFileSync(env.settings.path, '{"bridgeDeny":{"memory":true}}');
	assert.equal(
		text(await dispatch("bridge all", env)),
		"bridge is saved as all, but off stays in force: see `/agy doctor`.",
	);
	assert.equal(text(await dispatch("mode plan", env)), "mode is now plan. This takes effect on the next turn.");
});

test("a value that cannot be is refused with those that can", async (t) => {
	const { settings } = commandEnvironment(t);
	const reply = async (name: SettingName, value: string) => text(await changeSetting(settings, name, value));
	assert.equal(
		await reply("maxParallelRuns", "499"),
		'maxParallelRuns cannot be "499": it must be a whole number from 1 to 64.',
	);
	assert.equal(
		await reply("turnSeconds", "soon"),
		'turnSeconds cannot be "soon": it must be a number above 0 and not above 86400.',
	);
	assert.equal(await reply("bridge", "some"), 'bridge cannot be "some": it must be off, extensions or all.');
	assert.equal(await reply("sandbox", "x"), 'sandbox cannot be "x": it must be on (true) or off (false).');
});

test("a settings folder that cannot be written is told", async (t) => {
	const env = commandEnvironment(t);
	writeFileSync(env.dataDirectory, "a file is in the way");
	const reply = await dispatch("mode plan", env);
	assert.equal(reply.level, "error");
	assert.match(
		text(reply),
		/could not be written: .*\.\nMake its folder writable for your user; nothing was changed\.$/,
	);
});

test("model refuses what agy does not list, and says what it lists", async (t) => {
	const env = commandEnvironment(t);
	await dispatch("models refresh", env);
	const reply = await dispatch("model flash", env);
	assert.equal(reply.level, "error");
	assert.match(text(reply), /no model "flash"\.\nChoose one of: claude-sonnet-4-6\./);
	assert.equal(env.settings.current().defaultModel, "flash");
});

test("models lists what there is with its age; refresh tells what came and went", async (t) => {
	let published = 0;
	const env = commandEnvironment(t, {
		publishModels: async () => {
			published++;
		},
	});
	assert.match(text(await dispatch("models", env)), /built in \(agy has not listed its own yet\)/);
	assert.match(text(await dispatch("models", env)), /gemini-3.1-pro +Gemini 3.1 Pro \(thinking: low, high\)/);
	const refreshed = text(await dispatch("models refresh", env));
	assert.match(
		refreshed,
		/Gone: gemini-3.8-flash, .*\n1 model, as agy 1.3.3 listed them just now:\n {2}claude-sonnet-4-6/,
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

describe("conversation and clear say what they did and what comes", () => {
	const starts = "the next turn starts one.";
	const left = "the next turn starts a new one.";

	test("a session that never had one", async (t) => {
		const env = commandEnvironment(t);
		assert.equal(text(await dispatch("conversation", env)), `This session is in no agy conversation: ${starts}`);
		assert.equal(text(await dispatch("conversation new", env)), `There was no conversation to leave: ${starts}`);
		assert.equal(text(await dispatch("clear", env)), `There was no conversation to forget: ${starts}`);
		assert.match(text(await dispatch("status", env)), /conversation +none; the next turn starts one\n/);
	});

	test("one that has one, and leaves or forgets it", async (t) => {
		const env = commandEnvironment(t);
		assert.match(text(await dispatch("conversation use other", env)), /There is no conversation other here/);
		const use = async () => text(await dispatch("conversation use known", env));
		assert.equal(await use(), "The next turn continues conversation known.");
		assert.equal(text(await dispatch("conversation show", env)), "known\n  ~/conversations/known.db");
		assert.match(text(await dispatch("status", env)), /conversation +known\n +~\/conversations\/known.db/);
		assert.equal(text(await dispatch("conversation new", env)), `Conversation known is left as it is: ${left}`);
		assert.equal(text(await dispatch("conversation", env)), `This session is in no agy conversation: ${starts}`);
		assert.equal(text(await dispatch("clear", env)), `There was no conversation to forget: ${starts}`);
		await use();
		assert.equal(text(await dispatch("clear", env)), `The agy conversation of this session is forgotten: ${left}`);
	});

	test("one in which something was said, and that has branches", async (t) => {
		const env = commandEnvironment(t);
		const conversation = {
			...env.conversation,
			hasHistory: () => true,
			clear: async () => ({ ok: true, forgotten: 2 }) as const,
		};
		const run = async (line: string) => text(await dispatch(line, { ...env, conversation }));
		assert.match(await run("conversation"), /the next turn starts one, which is told what was said here\.$/);
		assert.equal(
			await run("conversation use known"),
			"The next turn continues conversation known, which is told what it has not seen of this session.",
		);
		assert.equal(
			await run("clear"),
			"All 2 agy conversations of this session are forgotten: the next turn starts a new one, which is told what was said here.",
		);
	});
});

describe("logs", () => {
	const entry = (event: string, at = NOW) => `${JSON.stringify({ at: new Date(at).toISOString(), event })}\n`;

	test("shows the last entries, the newest last, how many lines were none, and the file", async (t) => {
		const env = commandEnvironment(t);
		assert.equal(text(await dispatch("logs path", env)), env.logPath());
		assert.deepEqual((await dispatch("logs", env)).lines, ["Nothing was logged yet.", `All of it: ${env.logPath()}`]);
		mkdirSync(dirname(env.logPath()), { recursive: true });
		const entries = Array.from({ length: 30 }, (_, index) => entry(`e${index}`));
		writeFileSync(env.logPath(), `${entries.join("")}half a li\n`);
		const { lines } = await dispatch("logs", env);
		assert.equal(lines.length, 22);
		assert.match(lines[0] ?? "", /^\d\d:\d\d:\d\d +e10$/);
		assert.match(lines[19] ?? "", /e29$/);
		assert.deepEqual(lines.slice(20), ["1 line that is no entry was left out.", `All of it: ${env.logPath()}`]);
	});

	test("looks into the file before where the day's own was just begun", async (t) => {
		const env = commandEnvironment(t);
		mkdirSync(dirname(env.logPath()), { recursive: true });
		for (const [day, event] of [
			["18", "long ago"],
			["19", "before"],
			["20", "now"],
		]) {
			writeFileSync(join(dirname(env.logPath()), `agy-2026-11-${day}.log`), entry(event ?? ""));
		}
		const { lines } = await dispatch("logs", env);
		assert.deepEqual(
			lines.slice(0, -1).map((line) => line.replace(/^.* {2}/, "")),
			["before", "now"],
		);
	});
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
	assert.match(status, /settings +1 entry is wrong; see/);
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
