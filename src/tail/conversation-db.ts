import { type BigIntStats, statSync } from "node:fs";
import type { StepRow } from "../decode/step-types.ts";
import type { Clock } from "../engine/clock.ts";
import { codeOf } from "../engine/thrown.ts";
import { DatabaseError, type DatabaseProblem, databaseError } from "./database-problem.ts";
import { ReportedRows, type RowHead } from "./reported-rows.ts";
import type { Sqlite, SqliteDatabase, SqliteRow, SqliteStatement } from "./sqlite.ts";

/** The highest indices a conversation held before the turn; -1 where it held none. */
export interface Baseline {
	readonly maxStep: number;
	readonly maxExecutor: number;
	readonly maxGeneration: number;
}

/** A row of `executor_metadata` or `gen_metadata`, not decoded. */
export interface RawRecord {
	readonly idx: number;
	readonly data: Uint8Array;
}

/** What changed since the last batch, in the order it is to be taken in: rewind, rows, generations, executors. */
export interface TailBatch {
	/** The conversation was cut to this many rows first. */
	readonly rewoundTo?: number;
	/** New and rewritten rows, by index. A row may come again although nothing in it changed. */
	readonly rows: readonly StepRow[];
	readonly generations: readonly RawRecord[];
	readonly executors: readonly RawRecord[];
}

export interface ConversationDbOptions {
	readonly path: string;
	readonly sqlite: Sqlite;
	readonly clock: Pick<Clock, "now">;
	/** How long SQLite may wait, blocking, for a lock: 250 ms. Met only while agy creates or recovers the database. */
	readonly timeoutMs?: number;
}

/** So many of the newest rows are looked at again whatever their status: agy 1.1.18 fills rows that it wrote empty. */
const RECENT_ROWS = 8;
/** A row of `gen_metadata` holds the whole prompt until the next model call prunes it to about 1 KB. */
const PRUNED_BYTES = 8 * 1024;
/** The last one of a turn is not pruned; beyond this size it is not worth copying. */
const GENERATION_BYTES = 16 * 1024 * 1024;

const HEAD = "idx, step_type, status, length(step_payload) AS size FROM steps";
const SQL = {
	version: "PRAGMA data_version",
	lastStep: "SELECT max(idx) AS idx FROM steps",
	lastExecutor: "SELECT max(idx) AS idx FROM executor_metadata",
	lastGeneration: "SELECT max(idx) AS idx FROM gen_metadata",
	heads: `SELECT ${HEAD} WHERE idx >= ? ORDER BY idx`,
	head: `SELECT ${HEAD} WHERE idx = ?`,
	payload: "SELECT idx, step_type, status, step_payload FROM steps WHERE idx = ?",
	executors: "SELECT idx, data FROM executor_metadata WHERE idx > ? ORDER BY idx",
	generations: "SELECT idx, length(data) AS size FROM gen_metadata WHERE idx > ? ORDER BY idx",
	generation: "SELECT idx, data FROM gen_metadata WHERE idx = ?",
	trajectories: "SELECT group_concat(trajectory_id) AS ids FROM trajectory_meta",
} as const;

/**
 * A read-only view of one conversation that cannot be in agy's way: no transaction and no cursor outlives a call, and the
 * handle stays open, because only a reader that is just opening can make a starting agy fail.
 *
 * An unchanged database costs one `PRAGMA data_version`. After a change only the newest rows and those that agy has not
 * finished are looked at, so the cost does not grow with the conversation.
 */
export class ConversationDb {
	readonly #path: string;
	readonly #clock: Pick<Clock, "now">;
	readonly #database: SqliteDatabase;
	readonly #identity: BigIntStats;
	readonly #statements = new Map<string, SqliteStatement>();
	readonly #reported = new ReportedRows();
	#version: number | undefined;
	#trajectories = "";
	/** The first row of the turn. */
	#firstStep = 0;
	#maxStep = -1;
	#maxExecutor = -1;
	#maxGeneration = -1;
	#rewoundTo: number | undefined;
	/** When a payload that was left unread is due, in milliseconds since the epoch. */
	#dueAt: number | undefined;

	/** Opens the database; throws `DatabaseError`. */
	constructor({ path, sqlite, clock, timeoutMs = 250 }: ConversationDbOptions) {
		this.#path = path;
		this.#clock = clock;
		let database: SqliteDatabase | undefined;
		try {
			this.#identity = identityOf(path);
			database = sqlite.openReadOnly(path, timeoutMs);
			// SQLite opens lazily: it is the first query that takes part in recovering a write-ahead log.
			database.prepare("SELECT count(*) FROM sqlite_master").get();
		} catch (error) {
			database?.close();
			throw databaseError(path, error);
		}
		this.#database = database;
	}

	/** Takes what is there now for read: only what comes after it will be reported. Throws `DatabaseError`. */
	skipToEnd(): Baseline {
		return this.#guarded(() => {
			this.#maxStep = this.#max(SQL.lastStep);
			this.#maxExecutor = this.#optional(() => this.#max(SQL.lastExecutor)) ?? -1;
			this.#maxGeneration = this.#optional(() => this.#max(SQL.lastGeneration)) ?? -1;
			this.#trajectories = this.#readTrajectories();
			this.#firstStep = this.#maxStep + 1;
			return { maxStep: this.#maxStep, maxExecutor: this.#maxExecutor, maxGeneration: this.#maxGeneration };
		});
	}

	/**
	 * What was committed since the last call; `undefined` when nothing was. A batch may be empty: checkpoints count as
	 * changes too. After a `DatabaseError` the next call that succeeds reports the same changes.
	 */
	poll(): TailBatch | undefined {
		return this.#guarded(() => {
			// Before the rest: what is committed from here on moves it again.
			const version = integer(this.#get(SQL.version)?.data_version);
			const due = this.#dueAt !== undefined && this.#dueAt <= this.#clock.now();
			if (version === this.#version && !due) return undefined;
			const batch = this.#read("changes");
			this.#version = version;
			return batch;
		});
	}

	/** The rest, once agy is gone: payloads whose reading was put off, and whatever was rewritten after its end. */
	finish(): TailBatch {
		return this.#guarded(() => this.#read("everything"));
	}

	/** Milliseconds until `poll` has something to report although nothing more is committed. */
	get dueInMs(): number | undefined {
		return this.#dueAt === undefined ? undefined : Math.max(0, this.#dueAt - this.#clock.now());
	}

	/** What became of the file under its path, if anything: SQLite itself goes on reading one that is long gone. */
	fileProblem(): DatabaseProblem | undefined {
		try {
			const { dev, ino } = identityOf(this.#path);
			if (dev === this.#identity.dev && ino === this.#identity.ino) return undefined;
		} catch (error) {
			return databaseError(this.#path, error).problem;
		}
		const cause = "another file took its place while it was being read";
		return { kind: "replaced", path: this.#path, cause, retryable: false };
	}

	close(): void {
		this.#statements.clear();
		this.#database.close();
	}

	#read(scope: Scope): TailBatch {
		// The end of the turn first: when it is seen, so is everything that was committed before it.
		const executors = this.#optional(() => this.#statement(SQL.executors).all(this.#maxExecutor).map(toRecord)) ?? [];
		const generations = this.#optional(() => this.#readGenerations(scope));
		const trajectories = this.#readTrajectories();
		const maxStep = this.#max(SQL.lastStep);
		if (maxStep < this.#maxStep) this.#rewind(maxStep);
		// A rewind may be over before it is seen: then the indices are in use again, under another trajectory.
		if (this.#trajectories !== "" && this.#trajectories !== trajectories) this.#reported.forgetFrom(0);
		const rows = this.#readRows(this.#trajectories === trajectories ? scope : "everything");

		const rewound = this.#rewoundTo;
		this.#rewoundTo = undefined;
		this.#trajectories = trajectories;
		this.#maxExecutor = executors.at(-1)?.idx ?? this.#maxExecutor;
		this.#maxGeneration = generations?.maxIdx ?? this.#maxGeneration;
		const cut = rewound === undefined ? {} : { rewoundTo: rewound };
		return { ...cut, rows, generations: generations?.records ?? [], executors };
	}

	#rewind(maxStep: number): void {
		this.#maxStep = maxStep;
		this.#firstStep = Math.min(this.#firstStep, maxStep + 1);
		this.#rewoundTo = Math.min(this.#rewoundTo ?? maxStep + 1, maxStep + 1);
		this.#reported.forgetFrom(maxStep + 1);
		// A rewind removes the records of its model calls too; their indices are used again.
		this.#maxExecutor = Math.min(this.#maxExecutor, this.#optional(() => this.#max(SQL.lastExecutor)) ?? -1);
		this.#maxGeneration = Math.min(this.#maxGeneration, this.#optional(() => this.#max(SQL.lastGeneration)) ?? -1);
	}

	#readRows(scope: Scope): StepRow[] {
		const now = this.#clock.now();
		const from = scope === "everything" ? this.#firstStep : Math.max(this.#firstStep, this.#maxStep - RECENT_ROWS + 1);
		const older = this.#reported.openBelow(from).map((idx) => this.#get(SQL.head, idx));
		const heads = [...older, ...this.#statement(SQL.heads).all(from)].filter((row) => row !== undefined).map(toHead);
		const taken: StepRow[] = [];
		let dueAt: number | undefined;
		for (const head of heads) {
			const at = this.#reported.readAt(head);
			if (at === "never") continue;
			if (at > now && scope === "changes") {
				dueAt = Math.min(at, dueAt ?? at);
				continue;
			}
			const row = this.#get(SQL.payload, head.idx);
			if (row !== undefined) taken.push(toStep(row));
		}
		// Only now, when nothing can fail any more: a failed read is repeated whole.
		this.#dueAt = dueAt;
		this.#maxStep = Math.max(this.#maxStep, heads.at(-1)?.idx ?? -1);
		const news = taken.filter((row) => this.#reported.isNews(row));
		for (const row of taken) this.#reported.note(row, now);
		return news;
	}

	/** Rows that are still large wait to be pruned; one that a later row left behind unpruned is passed over. */
	#readGenerations(scope: Scope): { readonly records: readonly RawRecord[]; readonly maxIdx: number } {
		const heads = this.#statement(SQL.generations).all(this.#maxGeneration);
		const limit = scope === "everything" ? GENERATION_BYTES : PRUNED_BYTES;
		const records = heads
			.filter((head) => integer(head.size) <= limit)
			.map((head) => this.#get(SQL.generation, integer(head.idx)))
			.filter((row) => row !== undefined)
			.map(toRecord);
		const newest = heads.at(-1)?.idx;
		const passed = newest === undefined ? this.#maxGeneration : integer(newest) - 1;
		return { records, maxIdx: Math.max(passed, records.at(-1)?.idx ?? -1) };
	}

	#readTrajectories(): string {
		const ids = this.#optional(() => this.#get(SQL.trajectories)?.ids);
		return typeof ids === "string" ? ids : "";
	}

	/** The highest index of a table, -1 when it is empty. */
	#max(sql: string): number {
		const idx = this.#get(sql)?.idx;
		return typeof idx === "number" ? idx : -1;
	}

	#get(sql: string, ...params: readonly number[]): SqliteRow | undefined {
		return this.#statement(sql).get(...params);
	}

	#statement(sql: string): SqliteStatement {
		let statement = this.#statements.get(sql);
		if (statement === undefined) {
			statement = this.#database.prepare(sql);
			this.#statements.set(sql, statement);
		}
		return statement;
	}

	/** Reads a table that a turn can do without: an agy that does not have it, or has not created it yet, is followed too. */
	#optional<T>(read: () => T): T | undefined {
		try {
			return read();
		} catch (error) {
			if (databaseError(this.#path, error).problem.kind === "no-schema") return undefined;
			throw error;
		}
	}

	#guarded<T>(read: () => T): T {
		try {
			return read();
		} catch (error) {
			throw databaseError(this.#path, error);
		}
	}
}

/** `everything`: all rows of the turn are looked at and nothing is put off. */
type Scope = "changes" | "everything";

function identityOf(path: string): BigIntStats {
	try {
		return statSync(path, { bigint: true });
	} catch (error) {
		const code = codeOf(error);
		const missing = code === "ENOENT" || code === "ENOTDIR";
		const cause = missing ? "it does not exist (any more)" : `it cannot be looked at (${code ?? "unknown cause"})`;
		throw new DatabaseError({ kind: missing ? "missing" : "unreadable", path, cause, retryable: false }, error);
	}
}

function toHead(row: SqliteRow): RowHead {
	return {
		idx: integer(row.idx),
		stepType: integer(row.step_type),
		status: integer(row.status),
		size: integer(row.size),
	};
}

function toStep(row: SqliteRow): StepRow {
	const payload = bytes(row.step_payload);
	return { idx: integer(row.idx), stepType: integer(row.step_type), status: integer(row.status), payload };
}

function toRecord(row: SqliteRow): RawRecord {
	return { idx: integer(row.idx), data: bytes(row.data) };
}

function integer(value: SqliteRow[string]): number {
	return typeof value === "number" ? value : 0;
}

function bytes(value: SqliteRow[string]): Uint8Array {
	return value instanceof Uint8Array ? value : new Uint8Array(0);
}
