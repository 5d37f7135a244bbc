import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { FollowedConversation, WriterProcess } from "./support.ts";

const STARTS = 200;
/** A short turn of a new or resumed conversation. */
const TURN = { synchronous: "NORMAL", rows: 4, size: 600, maxGapMs: 2, handshakeEvery: 0 } as const;

test("200 new conversations: agy never fails, and every row is reported", async (t) => {
	const folder = temporaryFolder(t);
	const writer = new WriterProcess(t);
	for (let i = 0; i < STARTS; i++) {
		const conversation = new FollowedConversation(folder, `new${i}`, { fileEvents: i % 2 === 0 });
		conversation.tail.prepare();
		conversation.tail.start();
		const report = await writer.run({ ...TURN, path: join(folder, `new${i}.db`), first: 0 });
		assert.deepEqual(report.errors, [], `start ${i}`);
		assert.deepEqual(conversation.tail.drain(), { complete: true });
		assert.deepEqual([...conversation.seen], [0, 1, 2, 3]);
		assert.deepEqual(conversation.problems, []);
		conversation.tail.close();
	}
});

test("200 resumed conversations with a log left behind: agy never fails", async (t) => {
	const folder = temporaryFolder(t);
	const writer = new WriterProcess(t);
	const lay = await leftBehind(t, folder, writer);
	for (let i = 0; i < STARTS; i++) {
		const path = lay(`resumed${i}`);
		const conversation = new FollowedConversation(folder, `resumed${i}`, { resume: true, fileEvents: i % 2 === 0 });
		assert.equal(conversation.tail.prepare().maxStep, 299);
		conversation.tail.start();
		const report = await writer.run({ ...TURN, path, first: 300 });
		assert.deepEqual(report.errors, [], `start ${i}`);
		assert.deepEqual(conversation.tail.drain(), { complete: true });
		assert.deepEqual([...conversation.seen], [300, 301, 302, 303]);
		conversation.tail.close();
		for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
	}
});

test("the harm that is avoided is real: opening just as agy starts makes it fail", async (t) => {
	const folder = temporaryFolder(t);
	const writer = new WriterProcess(t);
	const lay = await leftBehind(t, folder, writer);
	let failures = 0;
	// Mostly it takes less than ten attempts; where it is not to happen at all, the test's time limit says so.
	for (let i = 0; failures === 0; i++) {
		const path = lay(`careless${i}`);
		const running = writer.run({ ...TURN, path, first: 300 });
		// A reader that opens again and again, as a poller without a kept handle does.
		let over = false;
		running.finally(() => {
			over = true;
		});
		while (!over) {
			const conversation = new FollowedConversation(folder, `careless${i}`, { resume: true });
			try {
				conversation.tail.prepare();
			} catch {
				// Now and then it loses as well.
			}
			conversation.tail.close();
			await new Promise(setImmediate);
		}
		failures += (await running).errors.length;
		for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
	}
});

/** A conversation of 300 rows as a killed agy leaves it: all of it in a log of several megabytes. Returns a way to copy it. */
async function leftBehind(t: TestContext, folder: string, writer: WriterProcess): Promise<(id: string) => string> {
	const template = join(temporaryFolder(t), "template.db");
	const copies = join(temporaryFolder(t), "copy.db");
	// The handshake keeps the writer from closing, which would fold the log in.
	const job = { ...TURN, path: template, first: 0, rows: 300, size: 9_000, maxGapMs: 0, handshakeEvery: 1 };
	const running = writer.run(job);
	const followed = new FollowedConversation(join(template, ".."), "template");
	followed.onRow = (idx) => {
		if (idx < 299) writer.proceed();
	};
	followed.tail.start();
	await followed.sees(299);
	for (const suffix of ["", "-wal"]) copyFileSync(template + suffix, copies + suffix);
	writer.proceed();
	await running;
	followed.tail.close();
	return (id) => {
		const path = join(folder, `${id}.db`);
		for (const suffix of ["", "-wal"]) copyFileSync(copies + suffix, path + suffix);
		return path;
	};
}
