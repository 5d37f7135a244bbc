import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stageAgent } from "../../../../src/run/agy/staged-agent.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

test("the agent without tools lies where agy looks for it, private, and goes away", async (t) => {
	const agent = await stageAgent("words-only");
	t.after(() => agent.remove());
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

test("an agent in the working directory leaves nothing there, and takes nothing away", async (t) => {
	const cwd = temporaryFolder(t);
	const agent = await stageAgent("words-only", cwd);
	assert.equal(agent.directory, cwd);
	assert.ok(existsSync(join(cwd, ".agents", "agents", `${agent.name}.md`)));
	writeFileSync(join(cwd, ".agents", "notes.md"), "");
	await agent.remove();
	assert.deepEqual(readdirSync(join(cwd, ".agents")), ["notes.md"]);
});
