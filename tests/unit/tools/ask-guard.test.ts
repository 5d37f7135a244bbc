import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { ToolInfo } from "@earendil-works/pi-coding-agent";
import { childEnvironment } from "../../../src/run/process/environment.ts";
import { editLockName, findDirectory, otherOwner, refuseCaller } from "../../../src/tools/ask-antigravity/guard.ts";
import { askParameters } from "../../../src/tools/ask-antigravity/parameters.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("who may ask", () => {
	const caller = { enabled: true, providers: ["anthropic", "anthropic"], env: {} };

	test("another provider's model", () => {
		assert.equal(refuseCaller(caller), undefined);
		assert.equal(refuseCaller({ ...caller, providers: [undefined] }), undefined);
	});

	test("not an Antigravity model, picked or behind a virtual one", () => {
		for (const providers of [
			["antigravity", "anthropic"],
			["router", "antigravity"],
		]) {
			assert.match(JSON.stringify(refuseCaller({ ...caller, providers })), /asking itself/);
		}
	});

	test("not a pi that agy started", () => {
		const env = childEnvironment({ parent: {}, mark: { owner: { pid: 7, startTime: "b.1" }, runId: "r-1" } });
		// What agy itself gives the commands it runs.
		for (const inside of [env, { ANTIGRAVITY_CONVERSATION_ID: "c" }]) {
			assert.match(JSON.stringify(refuseCaller({ ...caller, env: inside })), /started by agy/);
		}
	});

	test("nobody when it is switched off", () => {
		assert.match(JSON.stringify(refuseCaller({ ...caller, enabled: false })), /switched off/);
	});
});

test("a directory is found without its links, and anything else is refused", async (t) => {
	const root = temporaryFolder(t);
	mkdirSync(join(root, "real"));
	symlinkSync(join(root, "real"), join(root, "link"));
	writeFileSync(join(root, "file"), "");
	assert.deepEqual(await findDirectory(join(root, "link")), { real: join(root, "real") });
	assert.match(JSON.stringify(await findDirectory(join(root, "file"))), /is not a directory/);
	assert.match(JSON.stringify(await findDirectory(join(root, "none"))), /does not exist/);
});

test("delegations that edit exclude each other in one directory; plans exclude none", () => {
	assert.equal(editLockName("accept-edits", "/a"), editLockName("accept-edits", "/a"));
	assert.notEqual(editLockName("accept-edits", "/a"), editLockName("accept-edits", "/b"));
	assert.match(editLockName("accept-edits", "/a b/ü") ?? "", /^[\w-]+$/);
	assert.equal(editLockName("plan", "/a"), undefined);
});

test("another extension's tool of the same name is named by its package or its file", () => {
	const tool = (name: string, origin: "package" | "top-level"): ToolInfo => ({
		name,
		description: "",
		parameters: askParameters,
		exposure: "direct",
		sourceInfo: { path: "/x/index.ts", source: "npm:other", scope: "user", origin },
	});
	assert.equal(otherOwner([tool("read", "package")]), undefined);
	assert.equal(otherOwner([tool("read", "package"), tool("AskAntigravity", "package")]), "npm:other");
	assert.equal(otherOwner([tool("AskAntigravity", "top-level")]), "/x/index.ts");
});
