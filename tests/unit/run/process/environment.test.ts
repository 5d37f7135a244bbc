import assert from "node:assert/strict";
import { test } from "node:test";
import {
	childEnvironment,
	markerVariable,
	markIn,
	ownerPrefix,
	parseMark,
} from "../../../../src/run/process/environment.ts";

const mark = { owner: { pid: 42, startTime: "ab-1.77" }, runId: "r-1" };

test("agy gets what it and its commands may need", () => {
	const parent = {
		PATH: "/bin",
		HOME: "/home/me",
		https_proxy: "http://proxy",
		SSH_AUTH_SOCK: "/s",
		DBUS_SESSION_BUS_ADDRESS: "unix:",
		GEMINI_API_KEY: "g",
		GOOGLE_APPLICATION_CREDENTIALS: "/c",
		GITHUB_TOKEN: "t",
		PI_CODING_AGENT_DIR: "/d",
		EMPTY: "",
	};
	assert.deepEqual(childEnvironment({ parent: { ...parent, UNSET: undefined }, mark }), {
		...parent,
		AGY_CLI_DISABLE_AUTO_UPDATE: "true",
		PI_ANTIGRAVITY_RUN: "42:ab-1.77:r-1",
	});
});

test("keys of other providers, and what belongs to another session, stay behind", () => {
	const parent = {
		ANTHROPIC_API_KEY: "1",
		openai_api_key: "2",
		XIAOMI_TOKEN_PLAN_CN_API_KEY: "3",
		QWEN_TOKEN_PLAN_API_KEY: "4",
		ANTIGRAVITY_CONVERSATION_ID: "5",
		ANTIGRAVITY_CSRF_TOKEN: "6",
		ANTIGRAVITY_LS_ADDRESS: "7",
		AI_AGENT: "pi",
		PI_CODING_AGENT: "true",
		PI_ANTIGRAVITY_TOOLS: "{}",
	};
	assert.deepEqual(Object.keys(childEnvironment({ parent, mark })), [
		"AGY_CLI_DISABLE_AUTO_UPDATE",
		"PI_ANTIGRAVITY_RUN",
	]);
});

test("a run's own additions win, except over the mark", () => {
	const parent = { A: "1", PI_ANTIGRAVITY_RUN: "7:x:outer" };
	const env = childEnvironment({ parent, mark, extra: { A: "2", PI_ANTIGRAVITY_RUN: "forged" } });
	assert.equal(env.A, "2");
	assert.equal(env.PI_ANTIGRAVITY_RUN, "42:ab-1.77:r-1");
});

test("the mark can be read back, also from a start time with colons", () => {
	assert.deepEqual(markIn(childEnvironment({ parent: {}, mark })), mark);
	const mac = { owner: { pid: 9, startTime: "Mon_Nov_30_14:28:01_2026" }, runId: "abc" };
	assert.deepEqual(markIn(childEnvironment({ parent: {}, mark: mac })), mac);
	assert.ok(markerVariable(mark).startsWith(ownerPrefix(mark.owner)));
	assert.equal(markIn({}), undefined);
	for (const bad of ["", "1", "1:2", "x:y:z", "1::", "1:2:r 1"]) assert.equal(parseMark(bad), undefined);
});
