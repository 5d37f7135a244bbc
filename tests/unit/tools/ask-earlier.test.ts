import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { EarlierDelegations } from "../../../src/tools/ask-antigravity/earlier.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function setUp(t: TestContext) {
	const root = temporaryFolder(t);
	const folder = join(root, "delegations");
	return { root, folder, earlier: new EarlierDelegations(folder) };
}

const one = { conversationId: "0f8e-1", cwd: "/home/me", model: "gemini-3.8-flash", effort: "high" as const };

test("what is remembered is found, in private files, also by another process", async (t) => {
	const { folder, earlier } = setUp(t);
	assert.equal(await earlier.find("0f8e-1"), undefined);
	assert.equal(await earlier.remember(one), true);
	assert.deepEqual(await new EarlierDelegations(folder).find("0f8e-1"), one);
	assert.equal(statSync(join(folder, "0f8e-1.json")).mode & 0o777, 0o600);
	assert.equal(statSync(folder).mode & 0o777, 0o700);
});

test("an id that is a path leads nowhere", async (t) => {
	const { root, folder, earlier } = setUp(t);
	writeFileSync(join(root, "secret.json"), JSON.stringify(one));
	for (const conversationId of ["../secret", join(root, "secret"), "", "a".repeat(101)]) {
		assert.equal(await earlier.find(conversationId), undefined);
		assert.equal(await earlier.remember({ ...one, conversationId }), false);
	}
	assert.equal(existsSync(folder), false);
});

test("a broken record is as good as none", async (t) => {
	const { folder, earlier } = setUp(t);
	await earlier.remember(one);
	for (const content of ["", "{", '{"conversationId":"0f8e-1"}']) {
		writeFileSync(join(folder, "0f8e-1.json"), content);
		assert.equal(await earlier.find("0f8e-1"), undefined);
	}
});

test("a disk that does not let us write costs only the continuation", async (t) => {
	const { root } = setUp(t);
	writeFileSync(join(root, "file"), "");
	const blocked = new EarlierDelegations(join(root, "file", "below"));
	assert.equal(await blocked.remember(one), false);
	await blocked.prune(Date.now());
});

test("what belongs to somebody else is forgotten, and an id that is a path harms nothing", async (t) => {
	const { root, earlier } = setUp(t);
	await earlier.remember(one);
	await earlier.forget(one.conversationId);
	assert.equal(await earlier.find(one.conversationId), undefined);
	await earlier.forget(one.conversationId);
	writeFileSync(join(root, "secret.json"), "{}");
	await earlier.forget("../secret");
	assert.ok(existsSync(join(root, "secret.json")));
});

test("old records are forgotten", async (t) => {
	const { folder, earlier } = setUp(t);
	await earlier.remember(one);
	await earlier.remember({ ...one, conversationId: "new" });
	utimesSync(join(folder, "0f8e-1.json"), 1, 1);
	await earlier.prune(10_000);
	assert.deepEqual(readdirSync(folder), ["new.json"]);
});
