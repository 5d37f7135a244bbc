import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { DatabaseError, type DatabaseProblem } from "../../../src/tail/database-problem.ts";
import { Tail, type TailOptions } from "../../../src/tail/tail.ts";
import { counting } from "../../support/counting-sqlite.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { DONE, GENERATING, rowsOf, sqlite, Writer } from "./support.ts";

function follow(t: TestContext, options: Partial<TailOptions> = {}) {
	const directory = options.directory ?? temporaryFolder(t);
	const clock = new FakeClock();
	const counter = counting(sqlite);
	const rows: string[] = [];
	const problems: DatabaseProblem[] = [];
	const tail = new Tail({
		directory,
		conversationId: "c",
		resume: false,
		sqlite: counter.sqlite,
		clock,
		fileEvents: false,
		onBatch: (batch) => rows.push(...(rowsOf(batch) ?? [])),
		onProblem: (problem) => problems.push(problem),
		...options,
	});
	t.after(() => tail.close());
	return { tail, clock, rows, problems, path: join(directory, "c.db"), opens: counter.opens };
}

test("a new conversation is opened once, when agy has written to its log", (t) => {
	const { tail, clock, rows, path, opens } = follow(t);
	assert.deepEqual(tail.prepare(), { maxStep: -1, maxExecutor: -1, maxGeneration: -1 });
	tail.start();
	writeFileSync(path, "");
	writeFileSync(`${path}-wal`, "");
	clock.advance(1_000);
	assert.equal(opens(), 0);
	const writer = new Writer(t, path);
	writer.step(0, GENERATING, "Hel");
	clock.advance(25);
	writer.step(0, DONE, "Hello");
	clock.advance(25);
	assert.deepEqual(rows, ["0:8 Hel", "0:3 Hello"]);
	assert.equal(opens(), 1);
});

test("the folder of a new conversation may come later", (t) => {
	const directory = join(temporaryFolder(t), "conversations");
	const { tail, clock, rows, path } = follow(t, { directory, fileEvents: true });
	tail.start();
	clock.advance(5_000);
	mkdirSync(directory);
	new Writer(t, path).step(0, DONE, "Hello");
	clock.advance(25);
	assert.deepEqual(rows, ["0:3 Hello"]);
});

test("a resumed conversation is opened by `prepare`, and nothing old is reported", (t) => {
	const { tail, clock, rows, path, opens } = follow(t, { resume: true });
	const writer = new Writer(t, path);
	writer.step(0, DONE, "old");
	assert.equal(tail.prepare().maxStep, 0);
	assert.equal(opens(), 1);
	tail.start();
	writer.step(1, DONE, "new");
	clock.advance(25);
	assert.deepEqual(rows, ["1:3 new"]);
	assert.equal(opens(), 1);
});

test("a conversation that cannot be resumed is told before agy is spawned", (t) => {
	const { tail } = follow(t, { resume: true });
	assert.throws(
		() => tail.prepare(),
		(error) => error instanceof DatabaseError && error.problem.kind === "missing",
	);
});

test("`drain` reports what no check has seen, and ends the following", (t) => {
	const { tail, clock, rows, path } = follow(t);
	tail.start();
	const writer = new Writer(t, path);
	writer.step(0, DONE, "first");
	clock.advance(25);
	writer.step(1, GENERATING, "last words");
	assert.deepEqual(tail.drain(), { complete: true });
	assert.deepEqual(rows, ["0:3 first", "1:8 last words"]);
	assert.equal(clock.pending, 0);
	writer.step(2, DONE, "too late");
	clock.advance(1_000);
	assert.equal(rows.length, 2);
});

test("`drain` opens a database whose log agy has folded in and removed", (t) => {
	const { tail, rows, path } = follow(t);
	tail.start();
	const writer = new Writer(t, path);
	writer.step(0, DONE, "whole turn");
	writer.database.close();
	assert.deepEqual(tail.drain(), { complete: true });
	assert.deepEqual(rows, ["0:3 whole turn"]);
});

test("`drain` says so when there is no database, or not the one that was followed", (t) => {
	const { tail } = follow(t);
	tail.start();
	const drained = tail.drain();
	assert.equal(drained.complete ? "complete" : drained.problem.kind, "missing");

	const other = follow(t);
	other.tail.start();
	const writer = new Writer(t, other.path);
	writer.step(0, DONE, "kept");
	other.clock.advance(25);
	writer.step(1, DONE, "kept too");
	renameSync(other.path, `${other.path}.old`);
	copyFileSync(`${other.path}.old`, other.path);
	const replaced = other.tail.drain();
	assert.equal(replaced.complete ? "complete" : replaced.problem.kind, "replaced");
	assert.deepEqual(other.rows, ["0:3 kept", "1:3 kept too"]);
});

test("a replaced file is noticed within a second and told once", (t) => {
	const { tail, clock, problems, path } = follow(t);
	tail.start();
	new Writer(t, path).step(0, DONE, "x");
	clock.advance(25);
	renameSync(path, `${path}.old`);
	copyFileSync(`${path}.old`, path);
	clock.advance(1_000);
	assert.deepEqual(
		problems.map((problem) => problem.kind),
		["replaced"],
	);
	assert.equal(clock.pending, 0);
});

test("a folder that vanishes is noticed within a second", (t) => {
	const { tail, clock, problems, path } = follow(t, { directory: join(temporaryFolder(t), "gone") });
	tail.start();
	new Writer(t, path).step(0, DONE, "x");
	clock.advance(25);
	rmSync(join(path, ".."), { recursive: true });
	clock.advance(1_000);
	assert.equal(problems[0]?.kind, "missing");
});

test("what is no database is told at once, and tables that never come after ten seconds", (t) => {
	const garbage = follow(t);
	writeFileSync(garbage.path, "not a database ".repeat(1_000));
	writeFileSync(`${garbage.path}-wal`, "x");
	garbage.tail.start();
	assert.equal(garbage.problems[0]?.kind, "unreadable");
	assert.equal(garbage.clock.pending, 0);
	assert.equal(garbage.tail.drain().complete, false);

	const bare = follow(t);
	new Writer(t, bare.path).database.exec("DROP TABLE steps");
	bare.tail.start();
	bare.clock.advance(9_000);
	assert.equal(bare.problems.length, 0);
	bare.clock.advance(1_100);
	assert.deepEqual(
		bare.problems.map((problem) => problem.kind),
		["no-schema"],
	);
});

test("a conversation folder that is a file is told at once", (t) => {
	const directory = join(temporaryFolder(t), "file");
	writeFileSync(directory, "");
	const { tail, problems } = follow(t, { directory });
	tail.start();
	assert.match(problems[0]?.cause ?? "", /not a folder/);
});

test("a database that is locked while it is created is opened later, not in a loop", (t) => {
	const { tail, clock, rows, problems, path, opens } = follow(t);
	const writer = new Writer(t, path);
	writer.step(0, DONE, "x");
	writer.database.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
	writeFileSync(`${path}-wal`, "x");
	tail.start();
	clock.advance(100);
	assert.ok(opens() <= 3);
	writer.database.exec("COMMIT");
	clock.advance(50);
	assert.deepEqual([rows, problems], [["0:3 x"], []]);
});

test("a large payload that was put off is reported although agy falls silent", (t) => {
	const sizes: number[] = [];
	const onBatch: TailOptions["onBatch"] = (batch) => sizes.push(...batch.rows.map((row) => row.payload.length));
	const { tail, clock, path } = follow(t, { onBatch });
	tail.start();
	const writer = new Writer(t, path);
	writer.step(0, GENERATING, new Uint8Array(1_000_000));
	clock.advance(25);
	writer.step(0, GENERATING, new Uint8Array(1_000_001));
	clock.advance(300);
	assert.deepEqual(sizes, [1_000_000, 1_000_001]);
});

test("`close` leaves nothing, from any state and from within a report", (t) => {
	const states: ((tail: Tail) => void)[] = [
		() => {},
		(tail) => tail.prepare(),
		(tail) => tail.start(),
		(tail) => tail.drain(),
	];
	for (const reach of states) {
		const { tail, clock } = follow(t);
		reach(tail);
		tail.close();
		tail.close();
		assert.equal(clock.pending, 0);
		assert.deepEqual(tail.drain(), { complete: true });
	}
	let batches = 0;
	const { tail, clock, path } = follow(t, {
		onBatch() {
			batches++;
			tail.close();
		},
	});
	const writer = new Writer(t, path);
	writer.step(0, DONE, "x");
	tail.start();
	assert.equal(batches, 1);
	writer.step(1, DONE, "y");
	clock.advance(1_000);
	assert.equal(batches, 1);
	assert.equal(clock.pending, 0);
});
