import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
	ConversationFinder,
	type FinderOptions,
	type Look,
	type ReadParent,
} from "../../../src/run/binding/conversation-finder.ts";
import { snapshotConversations } from "../../../src/run/binding/conversation-folder.ts";
import { systemOpenFiles } from "../../../src/run/process/open-files.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { type Started, startShell, table } from "../process/support.ts";

const skip = process.platform === "win32" ? "open files cannot be seen" : false;
const noParent: ReadParent = async () => ({ kind: "none" });
const everyPid = async () => (await table.list()).map((info) => info.pid);

async function finder(folder: string, more: Partial<FinderOptions> = {}): Promise<ConversationFinder> {
	return new ConversationFinder({
		folder,
		before: await snapshotConversations(folder),
		openFiles: systemOpenFiles(),
		readParent: noParent,
		isTaken: () => false,
		everyPid,
		...more,
	});
}

async function lookAt(started: Started | undefined, more: Partial<Look> = {}): Promise<Look> {
	const living = (await started?.process.living()) ?? [];
	return { pids: living.map((info) => info.pid), resumeRefused: false, ...more };
}

/** An agy that has `<id>.db` open and has written to it, through a process of its own group, until it is ended. */
async function writer(t: TestContext, folder: string, ...ids: string[]): Promise<Started> {
	const opens = ids.map((id, index) => `exec ${index + 3}>>'${join(folder, id)}.db'`).join("; ");
	for (const id of ids) writeFileSync(join(folder, `${id}.db-wal`), "commits");
	const started = await startShell(t, `${opens}; setsid sh -c 'echo up; sleep 600' & wait`);
	await started.said("up");
	return started;
}

test("several agy begin at once: each is found by its own open file", { skip }, async (t) => {
	const folder = temporaryFolder(t);
	const ids = ["aa-1", "bb-2", "cc-3"];
	const finders = await Promise.all(ids.map(() => finder(folder)));
	const writers = await Promise.all(ids.map((id) => writer(t, folder, id)));
	for (const [index, id] of ids.entries()) {
		const binding = await finders[index]?.look(await lookAt(writers[index]));
		assert.deepEqual(binding, { kind: "bound", id, by: "open-file" });
	}
});

test("the folder may be a link, may appear late, and side files count", { skip }, async (t) => {
	const base = temporaryFolder(t);
	const link = join(base, "link");
	const find = await finder(link);
	assert.deepEqual(await find.look(await lookAt(undefined)), { kind: "wait", candidates: [] });
	mkdirSync(join(base, "real"));
	mkdirSync(join(base, "other"));
	symlinkSync(join(base, "real"), link);
	writeFileSync(join(base, "real", "c1.db"), "");
	const started = await startShell(t, `exec 3>>'${link}/c1.db-wal' 4>>'${base}/other/c2.db'; echo up; sleep 600`);
	await started.said("up");
	assert.deepEqual(await find.look(await lookAt(started)), { kind: "bound", id: "c1", by: "open-file" });
});

test("one that is deleted as soon as it is there is known all the same", {
	skip: process.platform !== "linux",
}, async (t) => {
	const folder = temporaryFolder(t);
	const find = await finder(folder);
	const started = await writer(t, folder, "c1");
	rmSync(join(folder, "c1.db"));
	assert.deepEqual(await find.look(await lookAt(started)), { kind: "bound", id: "c1", by: "open-file" });
	const others = await writer(t, folder, "c2", "c3");
	for (const id of ["c2", "c3"]) rmSync(join(folder, `${id}.db`));
	assert.equal((await (await finder(folder)).look(await lookAt(others))).kind, "wait");
});

test("a subagent's database is told apart as soon as it says so", { skip }, async (t) => {
	const folder = temporaryFolder(t);
	let readable = false;
	let asked = 0;
	const readParent: ReadParent = async (path) => {
		asked++;
		if (!readable) throw new Error("locked");
		return path.endsWith("sub.db") ? { kind: "child", of: "top" } : { kind: "none" };
	};
	const find = await finder(folder, { readParent });
	const agy = await writer(t, folder, "sub", "top");
	const first = await find.look(await lookAt(agy));
	assert.ok(first.kind === "wait");
	assert.deepEqual([...first.candidates].sort(), ["sub", "top"]);
	readable = true;
	const expected = { kind: "bound", id: "top", by: "open-file" };
	assert.deepEqual(await find.look(await lookAt(agy)), expected);
	const before = asked;
	assert.deepEqual(await find.look(await lookAt(agy)), expected);
	assert.equal(asked, before);
});

test("a database that our agy has only begun to make is not opened", { skip }, async (t) => {
	const folder = temporaryFolder(t);
	const read: string[] = [];
	const readParent: ReadParent = async (path) => {
		read.push(path);
		return { kind: "none" };
	};
	const find = await finder(folder, { readParent });
	const agy = await writer(t, folder, "c1");
	const log = join(folder, "c1.db-wal");
	rmSync(log);
	assert.deepEqual(await find.look(await lookAt(agy)), { kind: "bound", id: "c1", by: "open-file" });
	assert.deepEqual(read, []);
	writeFileSync(log, "commits");
	await find.look(await lookAt(agy));
	assert.deepEqual(read, [join(folder, "c1.db")]);

	// Without its log it is one that was closed, once agy is gone.
	rmSync(log);
	const later = await finder(folder, { readParent, before: new Map(), everyPid: async () => [] });
	await later.look(await lookAt(undefined));
	assert.equal(read.length, 2);
});

test("databases that appear while it looks are not overlooked", async (t) => {
	const folder = temporaryFolder(t);
	const find = await finder(folder, {
		readParent: async () => ({ kind: "unread" }),
		async openFiles() {
			await snapshotConversations(folder);
			writeFileSync(join(folder, "second.db"), "");
			return ["first", "second"].map((id) => join(folder, `${id}.db`));
		},
	});
	writeFileSync(join(folder, "first.db"), "");
	const seen = await find.look(await lookAt(undefined));
	assert.deepEqual(seen, { kind: "wait", candidates: ["first", "second"] });
});

test("a resumed conversation, and one that agy did not honour", { skip }, async (t) => {
	const folder = temporaryFolder(t);
	writeFileSync(join(folder, "old.db"), "x");
	const resumed = await finder(folder, { resume: "old" });
	const good = await writer(t, folder, "old");
	assert.deepEqual(await resumed.look(await lookAt(good)), { kind: "bound", id: "old", by: "open-file" });
	const refused = await finder(folder, { resume: "old" });
	const bad = await writer(t, folder, "new");
	const binding = await refused.look(await lookAt(bad, { resumeRefused: true }));
	assert.deepEqual(binding, { kind: "bound", id: "new", by: "open-file", insteadOf: "old" });
});

test("what was seen open counts after agy's end", { skip }, async (t) => {
	const folder = temporaryFolder(t);
	const find = await finder(folder);
	const agy = await writer(t, folder, "mine");
	await find.look(await lookAt(agy));
	await agy.process.end([{ signal: "SIGKILL", waitMs: PATIENCE_MS }]);
	await writer(t, folder, "other");
	assert.deepEqual(await find.look(await lookAt(agy)), { kind: "bound", id: "mine", by: "open-file" });
});

test("an agy that died before it wrote is not given the conversation of another", { skip }, async (t) => {
	const folder = temporaryFolder(t);
	const find = await finder(folder);
	const dead = await startShell(t, "exit 1");
	await dead.process.exited;
	await writer(t, folder, "other");
	assert.deepEqual(await find.look(await lookAt(dead)), { kind: "wait", candidates: [] });
});

test("an agy that was too quick to be seen is found by what it left, unless another run owns it", async (t) => {
	const folder = temporaryFolder(t);
	writeFileSync(join(folder, "old.db"), "x");
	const find = await finder(folder);
	const findTaken = await finder(folder, { isTaken: (id) => id === "new" });
	const findResumed = await finder(folder, { resume: "old" });
	assert.deepEqual(await findResumed.look(await lookAt(undefined)), { kind: "wait", candidates: ["old"] });
	writeFileSync(join(folder, "new.db"), "y");
	writeFileSync(join(folder, "notes.txt"), "z");
	writeFileSync(join(folder, "old.db-wal"), "w");
	assert.deepEqual(await find.look(await lookAt(undefined)), { kind: "bound", id: "new", by: "new-file" });
	assert.deepEqual(await findTaken.look(await lookAt(undefined)), { kind: "wait", candidates: [] });
	assert.deepEqual(await findResumed.look(await lookAt(undefined)), { kind: "bound", id: "old", by: "resumed" });
	writeFileSync(join(folder, "new2.db"), "y");
	const several = await find.look(await lookAt(undefined));
	assert.ok(several.kind === "wait");
	assert.deepEqual([...several.candidates].sort(), ["new", "new2"]);
	rmSync(folder, { recursive: true });
	assert.deepEqual(await find.look(await lookAt(undefined)), { kind: "wait", candidates: [] });
});
