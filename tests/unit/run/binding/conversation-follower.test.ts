import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ConversationFinder } from "../../../../src/run/binding/conversation-finder.ts";
import { ConversationFollower } from "../../../../src/run/binding/conversation-follower.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

/** Follows an agy that is expected to name its conversation on stdout. */
function following(t: TestContext) {
	const folder = mkdtempSync(join(tmpdir(), "agy-follower-"));
	const clock = new FakeClock();
	const open: string[] = [];
	let looksAtOpenFiles = 0;
	const finder = new ConversationFinder({
		folder,
		before: new Map([["old", ""]]),
		async openFiles(pids) {
			if (pids.length === 0) return undefined;
			looksAtOpenFiles++;
			return [...open];
		},
		readParent: async () => ({ kind: "none" }),
		isTaken: () => false,
		everyPid: async () => [],
	});
	const follower = new ConversationFollower({
		folder,
		resume: undefined,
		finder,
		namedOnStdout: true,
		sqlite: { engine: "node:sqlite", openReadOnly: () => assert.fail("nothing was committed") },
		fileEvents: false,
		clock,
		observe() {},
	});
	t.after(() => {
		follower.close();
		rmSync(folder, { recursive: true, force: true });
	});
	const create = (id: string) => writeFileSync(join(folder, `${id}.db`), "");
	return {
		follower,
		create,
		open(id: string) {
			create(id);
			open.push(join(folder, `${id}.db`));
		},
		/** Comes back when the look that is due next is over. */
		async look() {
			clock.advance(50);
			while (clock.pending === 0) await nextTurn();
		},
		looksAtOpenFiles: () => looksAtOpenFiles,
	};
}

test("an agy that ends without having named its conversation is known by what it had open", async (t) => {
	const { follower, create, open, look } = following(t);
	follower.begin(async () => [1]);
	await look();
	open("ours");
	create("somebody-elses");
	await look();
	assert.equal(follower.conversationId, undefined, "its own word is waited for");
	await follower.lastLook();
	assert.equal(follower.conversationId, "ours");
});

test("open files are looked at for a new database only", async (t) => {
	const { follower, create, open, look, looksAtOpenFiles } = following(t);
	create("old");
	follower.begin(async () => [1]);
	await look();
	assert.equal(looksAtOpenFiles(), 0);
	open("ours");
	await look();
	assert.equal(looksAtOpenFiles(), 1);
});

test("where agy names its conversation, that decides", async (t) => {
	const { follower, open, look } = following(t);
	follower.begin(async () => [1]);
	open("a-subagents");
	await look();
	follower.announced("ours");
	await follower.lastLook();
	assert.equal(follower.conversationId, "ours");
});
