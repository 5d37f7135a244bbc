import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ConversationDb } from "../../../src/tail/conversation-db.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { DONE, GENERATING, PENDING, RUN_COMMAND, RUNNING, rowsOf, sqlite, Writer } from "./support.ts";

function conversation(t: TestContext): { writer: Writer; open: () => ConversationDb; clock: FakeClock; path: string } {
	const path = join(temporaryFolder(t), "c.db");
	const clock = new FakeClock();
	const writer = new Writer(t, path);
	const open = () => {
		const db = new ConversationDb({ path, sqlite, clock });
		t.after(() => db.close());
		return db;
	};
	return { writer, open, clock, path };
}

test("a row that grows in place is reported at every commit, and once more when it is done", (t) => {
	const { writer, open } = conversation(t);
	const db = open();
	db.poll();
	writer.step(0, GENERATING, "He");
	assert.deepEqual(rowsOf(db.poll()), ["0:8 He"]);
	writer.step(0, GENERATING, "Hello");
	assert.deepEqual(rowsOf(db.poll()), ["0:8 Hello"]);
	writer.step(0, DONE, "Hello");
	assert.deepEqual(rowsOf(db.poll()), ["0:3 Hello"]);
	assert.equal(db.poll(), undefined);
});

test("a rewrite with the same length is reported, a rewrite with the same bytes is not", (t) => {
	const { writer, open } = conversation(t);
	const db = open();
	writer.step(0, GENERATING, "one");
	db.poll();
	writer.step(0, GENERATING, "two");
	assert.deepEqual(rowsOf(db.poll()), ["0:8 two"]);
	writer.step(0, GENERATING, "two");
	assert.deepEqual(rowsOf(db.poll()), []);
	writer.step(0, GENERATING, "");
	assert.deepEqual(rowsOf(db.poll()), ["0:8 "]);
});

test("a tool that ends long after later rows is reported, and rows in between are not read again", (t) => {
	const { writer, open } = conversation(t);
	const db = open();
	writer.step(0, RUNNING, "npm test", RUN_COMMAND);
	writer.finishedSteps(1, 500);
	assert.equal(db.poll()?.rows.length, 501);
	writer.step(0, DONE, "npm test: ok", RUN_COMMAND);
	assert.deepEqual(rowsOf(db.poll()), ["0:3 npm test: ok"]);
	writer.step(501, DONE, "end");
	assert.deepEqual(rowsOf(db.poll()), ["501:3 end"]);
});

test("a row that was written empty and finished is reported again when it is filled", (t) => {
	const { writer, open } = conversation(t);
	const db = open();
	writer.step(0, DONE, "");
	assert.deepEqual(rowsOf(db.poll()), ["0:3 "]);
	writer.step(1, PENDING, "ls", RUN_COMMAND);
	writer.step(0, DONE, "text after all");
	assert.deepEqual(rowsOf(db.poll()), ["0:3 text after all", "1:1 ls"]);
});

test("several commits between two polls arrive as one batch in order", (t) => {
	const { writer, open } = conversation(t);
	const db = open();
	writer.step(0, GENERATING, "a");
	db.poll();
	writer.step(1, PENDING, "ls", RUN_COMMAND);
	writer.step(0, DONE, "ab");
	writer.step(2, GENERATING, "c");
	assert.deepEqual(rowsOf(db.poll()), ["0:3 ab", "1:1 ls", "2:8 c"]);
});

test("a resumed conversation reports only what came after it was opened", (t) => {
	const { writer, open } = conversation(t);
	writer.step(0, DONE, "old");
	writer.step(1, RUNNING, "left unfinished by a killed agy", RUN_COMMAND);
	writer.database.insertBlob("executor_metadata", 0, Buffer.from("old end"));
	writer.database.upsertGeneration(0, Buffer.from("old call"));
	const db = open();
	assert.deepEqual(db.skipToEnd(), { maxStep: 1, maxExecutor: 0, maxGeneration: 0 });
	assert.deepEqual(rowsOf(db.poll()), []);
	writer.step(1, 6, "cancelled by the resume", RUN_COMMAND);
	writer.step(2, DONE, "new");
	writer.database.insertBlob("executor_metadata", 1, Buffer.from("new end"));
	const batch = db.poll();
	assert.deepEqual(rowsOf(batch), ["2:3 new"]);
	assert.deepEqual(
		batch?.executors.map((record) => record.idx),
		[1],
	);
});

test("a rewind is reported before the rows that use the indices again", (t) => {
	const { writer, open } = conversation(t);
	const db = open();
	writer.finishedSteps(0, 9);
	db.poll();
	writer.database.deleteFrom("steps", 4);
	const cut = db.poll();
	assert.equal(cut?.rewoundTo, 4);
	assert.deepEqual(rowsOf(cut), []);
	writer.step(4, DONE, "row 4");
	const again = db.poll();
	assert.equal(again?.rewoundTo, undefined);
	assert.deepEqual(rowsOf(again), ["4:3 row 4"]);
});

test("a rewind behind the start of the turn moves the start of the turn", (t) => {
	const { writer, open } = conversation(t);
	writer.finishedSteps(0, 9);
	writer.database.insertBlob("executor_metadata", 0, Buffer.from("end"));
	const db = open();
	db.skipToEnd();
	writer.database.deleteFrom("steps", 2);
	writer.database.exec("DELETE FROM executor_metadata");
	assert.equal(db.poll()?.rewoundTo, 2);
	writer.step(2, DONE, "again");
	writer.database.insertBlob("executor_metadata", 0, Buffer.from("end"));
	const batch = db.poll();
	assert.deepEqual(rowsOf(batch), ["2:3 again"]);
	assert.equal(batch?.executors.length, 1);
});

test("a rewind that is over before it is seen shows through the new trajectory", (t) => {
	const { writer, open } = conversation(t);
	writer.database.setTrajectory("before", "c", 17);
	writer.finishedSteps(0, 2);
	const db = open();
	db.skipToEnd();
	writer.finishedSteps(3, 12);
	db.poll();
	writer.database.deleteFrom("steps", 3);
	writer.database.setTrajectory("after", "c", 17);
	writer.finishedSteps(3, 13);
	assert.equal(db.poll()?.rows.length, 11);
});

test("checkpoints, VACUUM and rolled back transactions bring no rows", (t) => {
	const { writer, open } = conversation(t);
	const db = open();
	writer.step(0, DONE, "x");
	db.poll();
	writer.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
	assert.deepEqual(rowsOf(db.poll()) ?? [], []);
	writer.database.exec("VACUUM");
	assert.deepEqual(rowsOf(db.poll()) ?? [], []);
	writer.database.exec("BEGIN");
	writer.step(1, DONE, "never");
	assert.equal(db.poll(), undefined);
	writer.database.exec("ROLLBACK");
	assert.equal(db.poll(), undefined);
	writer.step(1, DONE, "y");
	assert.deepEqual(rowsOf(db.poll()), ["1:3 y"]);
});

test("a model call's record is read when it is pruned, the last one only at the end", (t) => {
	const { writer, open } = conversation(t);
	const db = open();
	const indices = (batch: ReturnType<ConversationDb["poll"]>) => batch?.generations.map((record) => record.idx);
	writer.database.upsertGeneration(0, new Uint8Array(300_000));
	assert.deepEqual(indices(db.poll()), []);
	writer.database.upsertGeneration(0, new Uint8Array(1_000));
	writer.database.upsertGeneration(1, new Uint8Array(300_000));
	assert.deepEqual(indices(db.poll()), [0]);
	writer.database.upsertGeneration(2, new Uint8Array(300_000));
	assert.deepEqual(indices(db.poll()), [], "an agy that does not prune does not make every poll dearer");
	assert.deepEqual(indices(db.finish()), [2]);
	assert.deepEqual(indices(db.finish()), []);
});

test("the end of the turn is never seen before its rows", (t) => {
	const { writer, path } = conversation(t);
	// Commits behind the reader's back, between any two of its statements.
	const inBetween: (() => void)[] = [];
	const interleaved: typeof sqlite = {
		engine: sqlite.engine,
		openReadOnly(file, timeoutMs) {
			const database = sqlite.openReadOnly(file, timeoutMs);
			return {
				close: () => database.close(),
				prepare(sql) {
					const statement = database.prepare(sql);
					return {
						get: (...params) => {
							inBetween.shift()?.();
							return statement.get(...params);
						},
						all: (...params) => {
							inBetween.shift()?.();
							return statement.all(...params);
						},
					};
				},
			};
		},
	};
	for (let step = 0; step < 12; step++) {
		const db = new ConversationDb({ path, sqlite: interleaved, clock: new FakeClock() });
		const { maxStep } = db.skipToEnd();
		const last = maxStep + 1;
		writer.step(last, GENERATING, "half");
		inBetween.push(...Array.from({ length: step }, () => () => {}), () => {
			writer.step(last, DONE, "whole");
			writer.database.insertBlob("executor_metadata", step, Buffer.from("end"));
		});
		let text = "";
		let ended = false;
		for (let poll = 0; poll < 20 && !ended; poll++) {
			const batch = db.poll();
			text = rowsOf(batch)?.at(-1) ?? text;
			ended = (batch?.executors.length ?? 0) > 0;
		}
		assert.ok(ended);
		assert.equal(text, `${last}:3 whole`);
		db.close();
	}
});

test("after a failed read the next one reports everything that was missed", (t) => {
	const { writer, path } = conversation(t);
	let failures = 0;
	const failing: typeof sqlite = {
		engine: sqlite.engine,
		openReadOnly(file, timeoutMs) {
			const database = sqlite.openReadOnly(file, timeoutMs);
			return {
				close: () => database.close(),
				prepare(sql) {
					const statement = database.prepare(sql);
					const get: typeof statement.get = (...params) => {
						if (params[0] === 1 && failures-- > 0) throw new Error("a broken page");
						return statement.get(...params);
					};
					return { get, all: (...params) => statement.all(...params) };
				},
			};
		},
	};
	const db = new ConversationDb({ path, sqlite: failing, clock: new FakeClock() });
	t.after(() => db.close());
	writer.finishedSteps(0, 2);
	writer.database.insertBlob("executor_metadata", 0, Buffer.from("end"));
	failures = 1;
	assert.throws(() => db.poll(), /a broken page/);
	const batch = db.poll();
	assert.deepEqual(rowsOf(batch), ["0:3 row 0", "1:3 row 1", "2:3 row 2"]);
	assert.equal(batch?.executors.length, 1);
});

test("an agy without the lesser tables is followed all the same", (t) => {
	const { writer, open } = conversation(t);
	for (const table of ["gen_metadata", "executor_metadata", "trajectory_meta"])
		writer.database.exec(`DROP TABLE ${table}`);
	const db = open();
	assert.deepEqual(db.skipToEnd(), { maxStep: -1, maxExecutor: -1, maxGeneration: -1 });
	writer.step(0, DONE, "x");
	assert.deepEqual(rowsOf(db.poll()), ["0:3 x"]);
	writer.database.exec("CREATE TABLE executor_metadata (idx integer primary key, data blob)");
	writer.database.exec("INSERT INTO executor_metadata VALUES (0, NULL)");
	assert.deepEqual(db.poll()?.executors, [{ idx: 0, data: new Uint8Array(0) }]);
});
