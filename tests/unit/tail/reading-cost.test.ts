import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ConversationDb } from "../../../src/tail/conversation-db.ts";
import { type Counts, counting } from "../../support/counting-sqlite.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { DONE, GENERATING, sqlite, Writer } from "./support.ts";

function counted(t: TestContext) {
	const path = join(temporaryFolder(t), "c.db");
	const writer = new Writer(t, path);
	const clock = new FakeClock();
	const counter = counting(sqlite);
	const db = new ConversationDb({ path, sqlite: counter.sqlite, clock });
	t.after(() => db.close());
	return { writer, clock, db, take: counter.take };
}

test("an unchanged database costs one statement and no bytes", (t) => {
	const { writer, db, take } = counted(t);
	writer.finishedSteps(0, 100);
	writer.step(101, GENERATING, "half an answer");
	db.poll();
	take();
	for (let i = 0; i < 240; i++) db.poll();
	assert.deepEqual(take(), { statements: 240, rows: 240, bytes: 0 });
});

test("a change costs the same after 10 rows and after 10,000", (t) => {
	const { writer, db, take } = counted(t);
	const costs: Counts[] = [];
	let next = 0;
	for (const length of [10, 100, 1_000, 10_000]) {
		writer.finishedSteps(next, length - 1);
		writer.step(length, GENERATING, "first");
		db.poll();
		take();
		writer.step(length, GENERATING, "next!");
		db.poll();
		costs.push(take());
		writer.step(length, DONE, "next!");
		next = length + 1;
	}
	for (const cost of costs) assert.deepEqual(cost, costs[0]);
	assert.ok((costs[0]?.statements ?? 99) <= 8);
	assert.equal(costs[0]?.bytes, "next!".length);
});

test("rows that ended are never read again, however long the turn", (t) => {
	const { writer, db, take } = counted(t);
	const size = 3_000;
	let total = 0;
	for (let idx = 0; idx < 2_000; idx++) {
		writer.step(idx, DONE, new Uint8Array(size));
		if (idx % 10 === 9) db.poll();
	}
	total += take().bytes;
	assert.equal(total, 2_000 * size);
	db.finish();
	assert.equal(take().bytes, 0);
});

/** An answer of `size` bytes in `commits` commits; agy writes it twice into its row (fields 1 and 8). */
function streamAnswer(
	{ writer, db, clock, take }: ReturnType<typeof counted>,
	{ size, commits, gapMs }: { size: number; commits: number; gapMs: number },
): { bytes: number; reported: number; whole: boolean } {
	const final = new Uint8Array(2 * size).map((_, i) => i % 251);
	let reported = 0;
	let last: Uint8Array | undefined;
	take();
	const poll = () => {
		for (const row of db.poll()?.rows ?? []) {
			reported++;
			last = row.payload;
		}
	};
	for (let i = 1; i <= commits; i++) {
		writer.step(0, GENERATING, final.subarray(0, Math.round((final.length * i) / commits)));
		poll();
		clock.advance(gapMs);
		poll();
	}
	writer.step(0, DONE, final);
	poll();
	return { bytes: take().bytes, reported, whole: last !== undefined && Buffer.compare(last, final) === 0 };
}

test("an answer of ordinary size is reported at every commit", (t) => {
	const answer = streamAnswer(counted(t), { size: 32 * 1024, commits: 100, gapMs: 1 });
	assert.equal(answer.reported, 101);
	assert.ok(answer.whole);
});

test("a long answer does not cost the square of its length", (t) => {
	const whole = 512 * 1024;
	const fast = streamAnswer(counted(t), { size: whole / 2, commits: 400, gapMs: 0 });
	assert.ok(fast.whole);
	// Reading every version would be 200 times the whole.
	assert.ok(fast.bytes <= 14 * whole, `${fast.bytes} bytes`);
	const half = streamAnswer(counted(t), { size: whole / 4, commits: 200, gapMs: 0 });
	assert.ok(fast.bytes <= 2.5 * half.bytes, "twice the length costs about twice as much");
	const slow = streamAnswer(counted(t), { size: whole / 2, commits: 400, gapMs: 10 });
	assert.ok(slow.whole);
	assert.ok(slow.bytes <= 14 * whole + 4_000 * 8 * 1024, "and at most 8 MB a second besides");
});

test("a large payload that was left unread falls due by itself", (t) => {
	const { writer, db, clock } = counted(t);
	const first = new Uint8Array(1024 * 1024);
	writer.step(0, GENERATING, first);
	db.poll();
	assert.equal(db.dueInMs, undefined);
	writer.step(0, GENERATING, Buffer.concat([first, Buffer.from("more")]));
	assert.deepEqual(db.poll()?.rows, []);
	const due = db.dueInMs ?? Number.NaN;
	assert.ok(due > 0 && due <= 250);
	clock.advance(due);
	assert.equal(db.poll()?.rows[0]?.payload.length, first.length + 4);
	assert.equal(db.dueInMs, undefined);
	assert.equal(db.poll(), undefined);
});

test("what was left unread when agy is gone is in the last read", (t) => {
	const { writer, db, take } = counted(t);
	const first = new Uint8Array(1024 * 1024);
	writer.step(0, GENERATING, first);
	db.poll();
	writer.step(0, GENERATING, Buffer.concat([first, Buffer.from("more")]));
	db.poll();
	assert.equal(db.finish().rows[0]?.payload.length, first.length + 4);
	take();
	writer.database.upsertGeneration(0, new Uint8Array(400_000));
	db.poll();
	assert.ok(take().bytes < 100, "the prompt in a model call's record is not copied while agy runs");
});
