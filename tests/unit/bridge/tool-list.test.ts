import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { listTools, type SelectionRules, selectTools, waitToolName } from "../../../src/bridge/tool-list.ts";

const ACTIVE = ["read", "bash", "grep", "web_search", "memory", "AskAntigravity", "agy_step"].map((name) => ({ name }));

function offered(rules: Partial<SelectionRules>): string[] {
	const all = { bridge: "extensions" as const, bridgeAllow: [], bridgeDeny: [], toolsRunIn: "agy" as const, ...rules };
	return selectTools(ACTIVE, all).offered.map(({ name }) => name);
}

describe("the tools that agy is offered", () => {
	test("are those it has no equal of", () => {
		assert.deepEqual(offered({}), ["web_search", "memory"]);
	});
	test("are all, if the user says so, but never ours", () => {
		assert.deepEqual(offered({ bridge: "all" }), ["read", "bash", "grep", "web_search", "memory"]);
	});
	test("are none, or only those that are allowed by name", () => {
		assert.deepEqual(offered({ bridge: "off" }), []);
		assert.deepEqual(offered({ bridge: "off", bridgeAllow: ["memory", "read"] }), ["read", "memory"]);
	});
	test("lack what is denied, whatever else is said of it", () => {
		assert.deepEqual(offered({ bridge: "all", bridgeDeny: ["bash", "memory"], bridgeAllow: ["memory"] }), [
			"read",
			"grep",
			"web_search",
		]);
	});
	test("are all when agy has none of its own, but for the denied ones", () => {
		assert.deepEqual(offered({ bridge: "off", toolsRunIn: "pi", bridgeDeny: ["bash"] }), [
			"read",
			"grep",
			"web_search",
			"memory",
		]);
	});
	test("cannot be made to hold ours", () => {
		assert.deepEqual(offered({ bridge: "off", bridgeAllow: ["AskAntigravity", "agy_step"] }), []);
	});

	test("are left out with a reason for people", () => {
		const rules: SelectionRules = { bridge: "extensions", bridgeAllow: [], bridgeDeny: ["memory"], toolsRunIn: "agy" };
		const { leftOut } = selectTools([{ name: "ls" }, { name: "memory" }, { name: "AskAntigravity" }], rules);
		assert.deepEqual(leftOut, [
			{ name: "ls", reason: "agy has its own" },
			{ name: "memory", reason: "the setting bridgeDeny names it" },
			{ name: "AskAntigravity", reason: "it belongs to this extension" },
		]);
	});
});

describe("the list agy sees", () => {
	test("holds nested schemas as they are", () => {
		const parameters = {
			type: "object",
			properties: { filter: { type: "object", properties: { tags: { type: "array", items: { enum: ["a", "b"] } } } } },
			$defs: { x: { anyOf: [{ type: "string" }, { type: "null" }] } },
		};
		const [tool, wait] = listTools([{ name: "search", description: "Searches.", parameters }], "wait");
		assert.deepEqual(tool, { name: "search", description: "Searches.", inputSchema: parameters });
		assert.equal(wait?.name, "wait");
	});
	test("has a name for waiting that no tool has", () => {
		assert.equal(waitToolName([{ name: "search" }]), "wait");
		assert.equal(waitToolName([{ name: "wait" }, { name: "wait_2" }]), "wait_3");
	});
});
