import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Binding } from "../../../src/conversation/binding.ts";
import { createSessionStore } from "../../../src/conversation/session-store.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function setUp(t: TestContext) {
	const root = temporaryFolder(t);
	const folder = join(root, "antigravity", "sessions");
	const clock = new FakeClock();
	return { folder, clock, store: createSessionStore({ folder, clock }) };
}

function binding(conversationId: string, updatedAt = 1): Binding {
	return {
		conversationId,
		seen: ["a", "b"],
		sent: ["a", "b", "c"],
		state: "interrupted",
		lastStep: 4,
		trajectory: "t",
		family: "gemini",
		cwd: "/project",
		agyVersion: "1.3.3",
		instructions: "i",
		updatedAt,
		claim: { owner: "o", pid: 7, at: 1 },
	};
}

const adding =
	(...more: Binding[]) =>
	(record: { sessionId: string; bindings: readonly Binding[] }) => ({
		...record,
		bindings: [...record.bindings, ...more],
	});

test("a session without a file has no conversations", async (t) => {
	assert.deepEqual(await setUp(t).store.read("s1"), { sessionId: "s1", bindings: [] });
});

test("what is written is read again, by another process too", async (t) => {
	const { store, folder, clock } = setUp(t);
	await store.update("s1", adding(binding("c1")));
	assert.deepEqual(await createSessionStore({ folder, clock }).read("s1"), {
		sessionId: "s1",
		bindings: [binding("c1")],
	});
	assert.deepEqual((await store.read("s2")).bindings, []);
});

test("file 0600, folder 0700, no lock left", { skip: process.platform === "win32" }, async (t) => {
	const { store, folder } = setUp(t);
	const before = process.umask(0);
	t.after(() => process.umask(before));
	await store.update("s1", adding(binding("c1")));
	assert.equal(statSync(folder).mode & 0o777, 0o700);
	assert.equal(statSync(join(folder, "s1.json")).mode & 0o777, 0o600);
	assert.deepEqual(readdirSync(folder), ["s1.json"]);
});

test("the conversations used last are remembered, not endlessly many", async (t) => {
	const { store } = setUp(t);
	await store.update("s1", adding(...Array.from({ length: 40 }, (_, index) => binding(`c${index}`, index))));
	const ids = (await store.read("s1")).bindings.map((known) => known.conversationId);
	assert.equal(ids.length, 12);
	assert.ok(ids.includes("c39") && !ids.includes("c0"));
});

const unusable: [name: string, content: string, why: string][] = [
	["cut short", '{"version":1,"sess', "corrupt"],
	["empty", "", "corrupt"],
	["of another shape", '{"version":1,"sessionId":"s1","bindings":[{"conversationId":5}]}', "corrupt"],
	["of another session", '{"version":1,"sessionId":"s2","bindings":[]}', "corrupt"],
	["from the future", '{"version":2,"sessionId":"s1","conversations":{"x":1}}', "future"],
];
for (const [name, content, why] of unusable) {
	test(`a file ${name} counts as none and is kept aside when it is written over`, async (t) => {
		const { store, folder } = setUp(t);
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "s1.json"), content);
		assert.deepEqual((await store.read("s1")).bindings, []);
		assert.deepEqual(readdirSync(folder), ["s1.json"]);

		await store.update("s1", adding(binding("c1")));
		assert.deepEqual((await store.read("s1")).bindings, [binding("c1")]);
		const aside = readdirSync(folder).filter((file) => file.startsWith(`s1.json.${why}-`));
		assert.equal(aside.length, 1);
		assert.equal(readFileSync(join(folder, aside[0] ?? ""), "utf8"), content);
	});
}

test("session ids that are no file names stay inside the folder", async (t) => {
	const { store, folder } = setUp(t);
	for (const id of ["../../escape", "a/b", "", "x".repeat(300), "ü"]) {
		await store.update(id, adding(binding("c1")));
		assert.equal((await store.read(id)).bindings.length, 1);
	}
	assert.equal(readdirSync(folder).length, 5);
});

test("an update that throws changes nothing and frees the lock", async (t) => {
	const { store, folder } = setUp(t);
	await store.update("s1", adding(binding("c1")));
	await assert.rejects(
		store.update("s1", () => {
			throw new Error("no");
		}),
		/^Error: no$/,
	);
	assert.deepEqual((await store.read("s1")).bindings, [binding("c1")]);
	assert.deepEqual(readdirSync(folder), ["s1.json"]);
});

test("a folder that cannot be made is an error", async (t) => {
	const { folder, clock } = setUp(t);
	mkdirSync(join(folder, ".."), { recursive: true });
	writeFileSync(folder, "a file where the folder should be");
	const store = createSessionStore({ folder, clock });
	await assert.rejects(store.update("s1", adding(binding("c1"))));
	await assert.rejects(store.read("s1"));
});

test("many updates at once in one process lose nothing", async (t) => {
	const { store } = setUp(t);
	await Promise.all(Array.from({ length: 10 }, (_, index) => store.update("s1", adding(binding(`c${index}`)))));
	assert.equal((await store.read("s1")).bindings.length, 10);
});

test("updates and reads are carried out in the order they were asked for", async (t) => {
	const { store } = setUp(t);
	const order: number[] = [];
	const updates = Array.from({ length: 5 }, (_, index) =>
		store.update("s1", (record) => {
			order.push(index);
			return adding(binding(`c${index}`))(record);
		}),
	);
	assert.equal((await store.read("s1")).bindings.length, 5);
	await Promise.all(updates);
	assert.deepEqual(order, [0, 1, 2, 3, 4]);
});

test("two processes that write at once lose nothing", async (t) => {
	const { store, folder } = setUp(t);
	const script = fileURLToPath(new URL("./store-writer.mjs", import.meta.url));
	const children = ["left", "right"].map((name) =>
		spawn(process.execPath, [script, folder, "s1", name, "6"], { stdio: ["ignore", "ignore", "inherit"] }),
	);
	const exits = await Promise.all(children.map((child) => once(child, "exit")));
	assert.deepEqual(
		exits.map(([code]) => code),
		[0, 0],
	);
	assert.equal((await store.read("s1")).bindings.length, 12);
});

test("the lock of a process that died is taken over", async (t) => {
	const { store, folder } = setUp(t);
	mkdirSync(join(folder, "s1.json.lock"), { recursive: true });
	const longAgo = new Date(Date.now() - 60_000);
	utimesSync(join(folder, "s1.json.lock"), longAgo, longAgo);
	await store.update("s1", adding(binding("c1")));
	assert.equal((await store.read("s1")).bindings.length, 1);
});

test("old files go, kept-aside ones too; young ones and what is not ours stay", async (t) => {
	const { store, folder, clock } = setUp(t);
	mkdirSync(folder, { recursive: true });
	const day = 86_400_000;
	const names = { "old.json": 61, "old.json.corrupt-12-ab": 61, "young.json": 59, "notes.txt": 400 };
	for (const [name, days] of Object.entries(names)) {
		const path = join(folder, name);
		writeFileSync(path, "{}");
		const at = new Date(clock.now() + 1_000 * day - days * day);
		utimesSync(path, at, at);
	}
	clock.advance(1_000 * day);
	await store.prune(60 * day);
	assert.deepEqual(readdirSync(folder).sort(), ["notes.txt", "young.json"]);
});

test("pruning where nothing was ever written is fine", async (t) => {
	await setUp(t).store.prune(1);
});
