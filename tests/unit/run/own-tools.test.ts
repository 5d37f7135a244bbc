import assert from "node:assert/strict";
import { test } from "node:test";
import { forbiddenToolUse } from "../../../src/run/own-tools.ts";
import { text, tool } from "../../support/fake-engine.ts";

test("an agy whose tools are off must not use one", () => {
	const failure = forbiddenToolUse({ ownTools: "off" }, tool(2, "waiting"));
	assert.match(failure?.kind === "bad-request" ? failure.problem : "", /run_command.*may have begun/);
});

test("what pi runs, what touches nothing, and what is no tool may go on", () => {
	const call = tool(2, "running", { kind: "mcp", name: "call_mcp_tool", mcp: { server: "pi_tools", tool: "bash" } });
	for (const event of [call, tool(2, "done", { kind: "other" }), tool(2, "done", { kind: "question" }), text(1, "x")]) {
		assert.equal(forbiddenToolUse({ ownTools: "off" }, event), undefined);
	}
});

test("an agy that has its own tools may use them", () => {
	assert.equal(forbiddenToolUse({}, tool(2, "running")), undefined);
});
