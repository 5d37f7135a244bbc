import assert from "node:assert/strict";
import { mkdirSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type IdleParts, whileIdle } from "../../../../src/run/binding/idle-conversation.ts";
import { systemProcesses } from "../../../../src/run/process/process-table.ts";
import { isConversationLocked, lockConversation } from "../../../../src/run/process/run-locks.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const NOW = 1_700_000_000_000;

function setUp(t: TestContext, open: (path: string) => readonly string[] | undefined) {
	const root = temporaryFolder(t);
	mkdirSync(join(root, "real"));
	symlinkSync(join(root, "real"), join(root, "link"));
	const path = join(root, "link", "c1.db");
	writeFileSync(path, "");
	const asked: (readonly number[])[] = [];
	const parts: IdleParts = {
		folder: join(root, "link"),
		locks: join(root, "locks"),
		table: systemProcesses(),
		openFiles: async (pids) => {
			asked.push(pids);
			return open(realpathSync(path));
		},
		clock: new FakeClock(NOW),
		waitMs: 0,
	};
	return { parts, path, asked };
}

test("a conversation that nobody has open is looked at, and no run of ours begins on it meanwhile", async (t) => {
	const { parts, path, asked } = setUp(t, () => ["/elsewhere/c1.db"]);
	const found = await whileIdle("c1", parts, (seen) => [seen, isConversationLocked(parts.locks, "c1")]);
	assert.deepEqual(found, { kind: "done", value: [path, true] });
	assert.equal(isConversationLocked(parts.locks, "c1"), false);
	assert.ok(!asked[0]?.includes(process.pid), "what pi itself has open is in nobody's way");
});

test("one that is open somewhere is left alone, also behind a link", async (t) => {
	const { parts } = setUp(t, (real) => [real]);
	assert.deepEqual(await whileIdle("c1", parts, () => assert.fail()), { kind: "in-use" });
});

test("one that a run of ours holds is left alone", async (t) => {
	const { parts } = setUp(t, () => []);
	const { table, clock } = parts;
	const run = await lockConversation(parts.locks, "c1", { table, clock, limitMs: 0 });
	assert.deepEqual(await whileIdle("c1", parts, () => assert.fail()), { kind: "in-use" });
	if (run.kind === "held") run.lock.release();
	assert.equal((await whileIdle("c1", parts, () => 1)).kind, "done");
});

test("where open files cannot be listed, one that was just written to counts as in use", async (t) => {
	const { parts, path } = setUp(t, () => undefined);
	utimesSync(path, NOW / 1000 - 59, NOW / 1000 - 59);
	assert.equal((await whileIdle("c1", parts, () => 1)).kind, "in-use");
	utimesSync(path, NOW / 1000 - 61, NOW / 1000 - 61);
	assert.equal((await whileIdle("c1", parts, () => 1)).kind, "done");
	writeFileSync(`${path}-wal`, "");
	utimesSync(`${path}-wal`, NOW / 1000, NOW / 1000);
	assert.equal((await whileIdle("c1", parts, () => 1)).kind, "in-use");
});

test("one that is not there, and a look that fails: nothing stays locked", async (t) => {
	const { parts } = setUp(t, () => []);
	assert.deepEqual(await whileIdle("c2", parts, () => assert.fail()), { kind: "missing" });
	await assert.rejects(
		whileIdle("c1", parts, () => {
			throw new Error("no database");
		}),
		/no database/,
	);
	assert.equal(isConversationLocked(parts.locks, "c1"), false);
});
