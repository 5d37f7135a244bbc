import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { only, PiRpc, piHome, runPi } from "../support/pi.ts";

const EXTENSION = fileURLToPath(new URL("../../extensions/index.ts", import.meta.url));

/** A pi beside an agy that lists `lines` and notes each of its runs. */
function setUp(t: TestContext, lines: readonly string[], env: Record<string, string> = {}) {
	const pi = piHome(t, { env });
	const runs = join(pi.dir, "runs");
	const agy = join(pi.dir, "agy");
	writeFileSync(
		agy,
		`#!/bin/sh\necho "$*" >> ${runs}\nprintf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")}\n`,
		{
			mode: 0o755,
		},
	);
	return {
		pi: { ...pi, env: { ...pi.env, AGY_BIN: agy } },
		runs: () => (existsSync(runs) ? readFileSync(runs, "utf8").trim().split("\n") : []),
	};
}

function cache(agentDir: string, models: readonly string[], age = 0): void {
	mkdirSync(join(agentDir, "antigravity"), { recursive: true });
	const content = {
		version: 1,
		fetchedAt: Date.now() - age,
		models: models.map((slug) => ({ accepts: slug, label: slug })),
	};
	writeFileSync(join(agentDir, "antigravity", "models.json"), JSON.stringify(content));
}

const listed = (stdout: string) => stdout.split("\n").flatMap((line) => /^antigravity\s+(\S+)/.exec(line)?.[1] ?? []);

test("--list-models and -p never start agy: they show the built-in list, or the cache however old", async (t) => {
	const { pi, runs } = setUp(t, ["gemini-4.0-flash-high"]);
	const fresh = await runPi(pi, [...only(EXTENSION), "--list-models"]);
	assert.ok(listed(fresh.stdout).includes("gemini-3.8-flash"), fresh.stdout);
	cache(pi.agentDir, ["gemini-3.9-pro-high", "gemini-3.9-pro-low"], 1000 * 60 * 60 * 24 * 90);
	const cached = await runPi(pi, [...only(EXTENSION), "--list-models"]);
	assert.deepEqual(listed(cached.stdout), ["gemini-3.9-pro"]);
	assert.deepEqual(runs(), []);
	await runPi(pi, [...only(EXTENSION), "--model", "antigravity/gemini-3.9-pro", "-p", "hello"]);
	assert.ok(!runs().some((run) => run.includes("models")), runs().join("\n"));
});

test("a model that agy does not list is refused with what there is, even where agy was never asked before", async (t) => {
	const { pi, runs } = setUp(t, ["gemini-4.0-flash-high"]);
	const ask = (model: string) => runPi(pi, [...only(EXTENSION), "--model", `antigravity/${model}`, "-p", "hello"]);
	const { stderr, code } = await ask("gemini-9.9-flash");
	assert.match(stderr, /agy does not know the model gemini-9\.9-flash\. Choose one of: gemini-4\.0-flash\./);
	assert.notEqual(code, 0);
	assert.ok(!runs().some((run) => run.includes("--print")), runs().join("\n"));
	await ask("gemini-4.0-flash-high");
	assert.ok(
		runs().some((run) => run.includes("--print=hello")),
		runs().join("\n"),
	);
});

test("without agy nobody can pick a model, and --list-models lists them all the same", async (t) => {
	const pi = piHome(t);
	assert.ok(listed((await runPi(pi, [...only(EXTENSION), "--list-models"])).stdout).includes("gemini-3.8-flash"));
	const { models } = await new PiRpc(pi, only(EXTENSION)).request({ type: "get_available_models" });
	assert.deepEqual(models, []);
});

test("a refresh that the user asks for counts for the next pi", async (t) => {
	const { pi, runs } = setUp(t, ["gemini-4.0-flash-high", "gemini-4.0-flash-low"]);
	await runPi(pi, [...only(EXTENSION), "-p", "/agy models refresh"]);
	assert.deepEqual(runs(), ["--version", "--output-format json models"]);
	const { stdout } = await runPi(pi, [...only(EXTENSION), "--list-models"]);
	assert.deepEqual(listed(stdout), ["gemini-4.0-flash"]);
});

test("an old list is refreshed behind a running pi, and the new one is there without a restart", async (t) => {
	const { pi } = setUp(t, ["gemini-4.0-flash-high", "gemini-4.0-flash-low"]);
	cache(pi.agentDir, ["gemini-3.8-flash-high"], 1000 * 60 * 60 * 25);
	const online = { ...pi, env: { ...pi.env, PI_OFFLINE: "" } };
	const rpc = new PiRpc(online, only(EXTENSION));
	const ids = async () => {
		const { models } = await rpc.request({ type: "get_available_models" });
		return (models as { id: string; provider: string }[]).filter((m) => m.provider === "antigravity").map((m) => m.id);
	};
	await rpc.request({ type: "prompt", message: "/agy models refresh" });
	assert.deepEqual(await ids(), ["gemini-4.0-flash"]);
	const levels = await rpc.request({ type: "set_model", provider: "antigravity", modelId: "gemini-4.0-flash" });
	assert.equal(levels.id, "gemini-4.0-flash");
	assert.deepEqual((await rpc.request({ type: "get_available_thinking_levels" })).levels, ["low", "high"]);
});
