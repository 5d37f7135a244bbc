import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunRequest } from "../../../src/engine/engine.ts";
import { VersionReader } from "../../../src/run/agy/agy-version.ts";
import { buildCommandLine } from "../../../src/run/agy/command-line.ts";
import { stageAgent } from "../../../src/run/agy/staged-agent.ts";
import { childEnvironment } from "../../../src/run/process/environment.ts";
import { StreamReader, textResult } from "../../../src/stdout/stream-reader.ts";
import { FAKE_AGY, fakeHome } from "../../support/scenario.ts";
import { start } from "../process/support.ts";

/** One of each generation of flags. */
const calls = [
	["1.0.16", "argv"],
	["1.1.1", "stdin"],
	["1.1.5", "argv"],
	["1.1.8", "argv"],
	["1.1.12", "argv"],
	["1.2.1", "argv"],
	["1.3.3", "argv"],
	["1.3.3", "stdin"],
] as const;

for (const [version, promptVia] of calls) {
	test(`agy ${version} takes the command line that is made for it, prompt via ${promptVia}`, async (t) => {
		const home = fakeHome(t, { steps: [{ say: "pong" }] }, version);
		const agent = await stageAgent("words-only", home.dir);
		const mark = { owner: { pid: 1, startTime: "x" }, runId: "r" };
		const env = childEnvironment({ parent: home.env, mark });
		const read = await new VersionReader().read(FAKE_AGY, env);
		assert.ok(read.kind === "read");
		const request: RunRequest = {
			prompt: "-p is a flag;\n/usage 😀",
			cwd: home.cwd,
			addDirs: [home.dir],
			model: { slug: "gemini-3.1-pro-high", base: "gemini-3.1-pro", effort: "high" },
			mode: "accept-edits",
			permissions: "skip",
			purpose: "turn",
			literalPrompt: true,
		};
		const line = buildCommandLine({
			request,
			settings: { extraArgs: `--log-file '${home.dir}/a log'`, sandbox: false, promptVia },
			features: read.features,
			executable: FAKE_AGY,
			realCwd: home.cwd,
			realAddDirs: [home.dir],
			printTimeoutMs: 60_000,
			...(read.features.toollessAgents ? { agent } : {}),
		});
		assert.ok(line.kind === "ok");
		const { process, stdout, stderr } = await start(t, {
			executable: FAKE_AGY,
			argv: line.argv,
			cwd: home.cwd,
			env,
			...(line.stdin === undefined ? {} : { stdin: line.stdin }),
		});
		assert.deepEqual(await process.exited, { code: 0, signal: undefined }, stderr.join("\n"));
		const reader = new StreamReader();
		const messages = [...reader.push(Buffer.from(stdout(), "latin1")), ...reader.end()];
		const result = line.output === "text" ? textResult(stdout(), 0) : messages.find(({ event }) => event === "result");
		assert.ok(result?.event === "result");
		assert.equal(result.response.trim(), "pong");
		assert.equal(result.status, "SUCCESS");
		if (line.output === "stream-json") assert.equal(reader.skippedLines, 0);
		assert.equal(home.invocations().at(-1)?.prompt, request.prompt);
	});
}
