import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stageAgent } from "../../../src/run/staged-agent.ts";
import { temporaryFolder } from "./support.ts";

test("the agent without tools lies where agy looks for it, private, and goes away", async (t) => {
	const parent = temporaryFolder(t);
	const [agent, other] = await Promise.all([stageAgent("words-only", parent), stageAgent("words-only", parent)]);
	assert.notEqual(agent.directory, other.directory);
	const file = join(agent.directory, ".agents", "agents", `${agent.name}.md`);
	const definition = readFileSync(file, "utf8");
	for (const line of [`name: ${agent.name}`, "tools: []", "excludeDefaultComponents: true"]) {
		assert.ok(definition.split("\n").includes(line));
	}
	assert.equal(statSync(file).mode & 0o777, 0o600);
	assert.equal(statSync(agent.directory).mode & 0o777, 0o700);
	await agent.remove();
	await agent.remove();
	assert.equal(existsSync(agent.directory), false);
});
