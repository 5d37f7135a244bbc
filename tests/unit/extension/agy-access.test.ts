import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { defaultSettings, type Settings } from "../../../src/config/schema.ts";
import { createAgyAccess } from "../../../src/extension/agy-access.ts";
import { MARKER, parseMark } from "../../../src/run/process/environment.ts";
import { systemProcesses } from "../../../src/run/process/process-table.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function access(t: TestContext, settings: Partial<Settings> = {}) {
	const folder = temporaryFolder(t);
	const path = join(folder, "agy");
	const runs = join(folder, "runs");
	writeFileSync(path, `#!/bin/sh\necho "$*" >> ${runs}\necho 1.2.3\n`, { mode: 0o755 });
	const env = { HOME: "/home/me", PATH: process.env.PATH, ANTHROPIC_API_KEY: "secret", PI_CODING_AGENT: "true" };
	const current = { ...defaultSettings, agyPath: path, ...settings };
	const agy = createAgyAccess({ settings: () => current, env, table: systemProcesses() });
	return { agy, path, runs: () => readFileSync(runs, "utf8").trim().split("\n") };
}

test("agy is asked in the environment of a turn: without pi's secrets, and marked as ours", async (t) => {
	const { agy } = access(t);
	const asked = await agy.command();
	assert.ok(asked.ok);
	const { env } = asked.command;
	assert.deepEqual(
		[env.HOME, env.ANTHROPIC_API_KEY, env.PI_CODING_AGENT, env.AGY_CLI_DISABLE_AUTO_UPDATE],
		["/home/me", undefined, undefined, "true"],
	);
	assert.equal(parseMark(env[MARKER] ?? "")?.owner.pid, process.pid);
	assert.equal(asked.version, "1.2.3");
});

test("the version is asked once for all who want to know it", async (t) => {
	const { agy, path, runs } = access(t);
	await agy.command();
	await agy.version(path);
	await agy.versions.read(path, {});
	assert.deepEqual(runs(), ["--version"]);
});

test("flags that move agy's data count for questions and folders, others do not", async (t) => {
	const { agy } = access(t, { extraArgs: "--gemini_dir /g --app_data_dir=data --sandbox" });
	const asked = await agy.command();
	assert.ok(asked.ok);
	assert.deepEqual(asked.command.leadingArgs, ["--gemini_dir=/g", "--app_data_dir=data"]);
	assert.deepEqual([agy.folders().gemini, agy.folders().conversations], ["/g", "/g/data/conversations"]);
});

test("no agy: where it was looked for", async (t) => {
	const { agy } = access(t, { agyPath: "/nowhere/agy" });
	const failure = { kind: "not-installed", searched: ["/nowhere/agy"] };
	assert.deepEqual(await agy.command(), { ok: false, failure });
	assert.deepEqual(agy.locate(), { kind: "missing", searched: ["/nowhere/agy"] });
});
