import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fakeHome } from "../support/scenario.ts";
import { all, ask, endOf, engineIn } from "./engine.ts";

test("an agy that is to have no tools of its own is another agent, for which the definition lies there", async (t) => {
	const home = fakeHome(t);
	const gate = home.gate("look");
	home.play({ steps: [{ waitFor: gate.file }, { say: "Hello." }] });
	const run = engineIn(t, home).start(ask(home, { ownTools: "off" }));
	const events = all(run);
	await gate.reached();
	const argv = home.invocations().find(({ prompt }) => prompt !== null)?.argv ?? [];
	const name = argv[argv.indexOf("--agent") + 1] ?? "";
	const folders = argv.filter((_, index) => argv[index - 1] === "--add-dir");
	const files = folders.map((folder) => join(folder, ".agents", "agents", `${name}.md`));
	const file = files.find((path) => existsSync(path)) ?? "";
	assert.match(readFileSync(file, "utf8"), /^tools: \[call_mcp_tool\]\nexcludeDefaultComponents: true$/m);
	gate.open();
	assert.equal(endOf(await events).outcome.kind, "answered");
	await run.settled;
	assert.equal(existsSync(file), false);
});

test("an agy that uses one of its own all the same is stopped at once", async (t) => {
	const home = fakeHome(t);
	const gate = home.gate("inside");
	home.play({
		steps: [{ say: "I run it." }, { run: { command: "rm -rf .", output: [{ waitFor: gate.file }, "gone"] } }],
	});
	const run = engineIn(t, home).start(ask(home, { ownTools: "off" }));
	const end = endOf(await all(run));
	assert.equal(end.outcome.kind === "failed" && end.outcome.failure.kind, "bad-request");
	assert.equal(end.progress.toolsRan, true);
	await run.settled;
});

test("an agy that cannot do without its own tools is not started", async (t) => {
	const home = fakeHome(t, undefined, "1.2.0");
	const run = engineIn(t, home).start(ask(home, { ownTools: "off" }));
	const { outcome } = endOf(await all(run));
	const problem = outcome.kind === "failed" && outcome.failure.kind === "bad-request" ? outcome.failure.problem : "";
	assert.match(problem, /agy 1\.2\.0 cannot work without its own tools/);
	assert.deepEqual(
		home.invocations().filter(({ prompt }) => prompt !== null),
		[],
	);
});
