import assert from "node:assert/strict";
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { ConversationDb } from "../../../src/tail/conversation-db.ts";
import {
	DatabaseError,
	type DatabaseProblem,
	databaseError,
	databaseFailure,
} from "../../../src/tail/database-problem.ts";
import { loadSqlite } from "../../../src/tail/load-sqlite.ts";
import { SqliteError, SqliteMissingError } from "../../../src/tail/sqlite.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { DONE, rowsOf, sqlite, Writer } from "./support.ts";

function open(t: TestContext, path: string): ConversationDb {
	const db = new ConversationDb({ path, sqlite, clock: new FakeClock(), timeoutMs: 0 });
	t.after(() => db.close());
	return db;
}

function problemOf(run: () => unknown): DatabaseProblem {
	try {
		run();
	} catch (error) {
		assert.ok(error instanceof DatabaseError, String(error));
		assert.ok(error.message.startsWith(error.problem.path));
		return error.problem;
	}
	assert.fail("nothing was thrown");
}

test("a file that does not exist is named and not created", (t) => {
	const path = join(temporaryFolder(t), "none.db");
	const problem = problemOf(() => open(t, path));
	assert.deepEqual([problem.kind, problem.path, problem.retryable], ["missing", path, false]);
	assert.equal(existsSync(path), false);
	assert.deepEqual(databaseFailure(problem, "none"), {
		kind: "conversation-lost",
		id: "none",
		where: `${path}: it does not exist (any more)`,
	});
});

test("a folder that is a file, and a file that is a folder", (t) => {
	const folder = temporaryFolder(t);
	writeFileSync(join(folder, "file"), "");
	assert.equal(problemOf(() => open(t, join(folder, "file", "c.db"))).kind, "missing");
	mkdirSync(join(folder, "c.db"));
	const problem = problemOf(() => open(t, join(folder, "c.db")));
	assert.equal(problem.kind, "unreadable");
	assert.equal(databaseFailure(problem, "c").kind, "database-unreadable");
});

test("text is not a database, and a damaged database is said to be damaged", (t) => {
	const path = join(temporaryFolder(t), "c.db");
	writeFileSync(path, "this is a letter, not a database. ".repeat(200));
	const text = problemOf(() => open(t, path));
	assert.deepEqual([text.kind, text.cause, text.retryable], ["unreadable", "it is not an SQLite database", false]);
	rmSync(path);

	const writer = new Writer(t, path);
	writer.finishedSteps(0, 500);
	writer.database.close();
	const bytes = readFileSync(path);
	bytes.fill(0xff, 4096);
	writeFileSync(path, bytes);
	const damaged = problemOf(() => open(t, path).poll());
	assert.deepEqual([damaged.kind, damaged.retryable], ["unreadable", false]);
	assert.match(damaged.cause, /damaged|malformed/);
});

test("an empty file is a conversation still to be created; the same handle sees it come", (t) => {
	const path = join(temporaryFolder(t), "c.db");
	writeFileSync(path, "");
	const db = open(t, path);
	const problem = problemOf(() => db.poll());
	assert.deepEqual([problem.kind, problem.retryable], ["no-schema", true]);
	assert.equal(databaseFailure(problem, "c").kind, "schema-not-understood");
	const writer = new Writer(t, path);
	writer.step(0, DONE, "first");
	assert.deepEqual(rowsOf(db.poll()), ["0:3 first"]);
});

test("a database without agy's tables, or with a column missing, is not understood", (t) => {
	const folder = temporaryFolder(t);
	const other = new DatabaseSync(join(folder, "other.db"));
	other.exec("CREATE TABLE notes (text)");
	assert.match(problemOf(() => open(t, join(folder, "other.db")).skipToEnd()).cause, /no such table: steps/);
	other.exec("CREATE TABLE steps (idx integer primary key)");
	assert.match(problemOf(() => open(t, join(folder, "other.db")).poll()).cause, /no such column/);
	other.close();
});

test("a locked database is busy and worth another try", (t) => {
	const path = join(temporaryFolder(t), "c.db");
	const writer = new Writer(t, path);
	writer.step(0, DONE, "x");
	writer.database.exec("PRAGMA locking_mode = EXCLUSIVE");
	writer.step(1, DONE, "y");
	writer.database.exec("PRAGMA journal_mode = DELETE");
	writer.database.exec("BEGIN EXCLUSIVE");
	const problem = problemOf(() => open(t, path).poll());
	assert.deepEqual([problem.kind, problem.retryable], ["busy", true]);
});

test("everything may still be in the write-ahead log, with or without the shared memory file", (t) => {
	const folder = temporaryFolder(t);
	const path = join(folder, "c.db");
	const writer = new Writer(t, path);
	writer.step(0, DONE, "only in the log");
	assert.equal(statSync(path).size, 4096);
	assert.deepEqual(rowsOf(open(t, path).poll()), ["0:3 only in the log"]);
	for (const suffixes of [
		["", "-wal"],
		["", "-wal", "-shm"],
	]) {
		const copy = join(folder, `copy${suffixes.length}.db`);
		for (const suffix of suffixes) copyFileSync(path + suffix, copy + suffix);
		assert.deepEqual(rowsOf(open(t, copy).poll()), ["0:3 only in the log"]);
	}
});

test("reading changes neither the database nor its log", (t) => {
	const path = join(temporaryFolder(t), "c.db");
	const writer = new Writer(t, path);
	writer.finishedSteps(0, 50);
	const before = [readFileSync(path), readFileSync(`${path}-wal`)];
	const db = open(t, path);
	db.poll();
	db.finish();
	db.close();
	assert.deepEqual([readFileSync(path), readFileSync(`${path}-wal`)], before);
});

test("a replaced, a recreated and a deleted file are noticed", (t) => {
	const folder = temporaryFolder(t);
	const path = join(folder, "c.db");
	const writer = new Writer(t, path);
	writer.step(0, DONE, "x");
	const db = open(t, path);
	db.poll();
	assert.equal(db.fileProblem(), undefined);
	writer.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
	writer.database.exec("VACUUM");
	assert.equal(db.fileProblem(), undefined, "a checkpoint and VACUUM keep the file");

	renameSync(path, join(folder, "elsewhere.db"));
	assert.equal(db.fileProblem()?.kind, "missing");
	copyFileSync(join(folder, "elsewhere.db"), path);
	assert.equal(db.fileProblem()?.kind, "replaced");
	rmSync(folder, { recursive: true });
	assert.equal(db.fileProblem()?.kind, "missing");
});

test("SQLite's result codes are told apart", () => {
	const kindOf = (code: number, message = "m") => {
		const { problem } = databaseError("/c.db", new SqliteError(message, code, undefined));
		return `${problem.kind}${problem.retryable ? ", retry" : ""}`;
	};
	assert.equal(kindOf(5), "busy, retry");
	assert.equal(kindOf(261), "busy, retry");
	assert.equal(kindOf(6), "busy, retry");
	assert.equal(kindOf(517), "busy, retry");
	assert.equal(kindOf(14), "unreadable, retry");
	assert.equal(kindOf(522), "busy, retry");
	assert.equal(kindOf(1, "no such table: steps"), "no-schema, retry");
	assert.equal(kindOf(1, "syntax error"), "unreadable");
	for (const code of [3, 8, 10, 11, 26, 266, 1544, 0, 999]) assert.equal(kindOf(code), "unreadable");
	assert.match(databaseError("/c.db", new SqliteError("m", 1544, undefined)).problem.cause, /folder is read-only/);
	assert.equal(databaseError("/c.db", "a string").problem.cause, "a string");
});

test("Node's SQLite is taken first, then Bun's, and without either the need is said", async () => {
	assert.equal((await loadSqlite()).engine, "node:sqlite");
	const missing = () => Promise.reject(new Error("No such built-in module"));
	const second = { ...sqlite, engine: "bun:sqlite" as const };
	assert.equal(await loadSqlite([missing, async () => second]), second);
	await assert.rejects(loadSqlite([missing, missing]), (error) => {
		assert.ok(error instanceof SqliteMissingError);
		assert.match(error.message, /Node 22\.13 or later, or Bun/);
		return true;
	});
});

test("a handle may be closed twice", (t) => {
	const path = join(temporaryFolder(t), "c.db");
	new Writer(t, path).step(0, DONE, "x");
	const handle = sqlite.openReadOnly(path, 0);
	handle.close();
	handle.close();
	assert.throws(() => handle.prepare("SELECT 1"), SqliteError);
});
