import { messageOf } from "../engine/thrown.ts";

/**
 * The little of SQLite that the tail needs, the same over both engines pi can run on: Node's `node:sqlite`, and
 * `bun:sqlite` in pi's stand-alone binary (Bun before 1.4 has no `node:sqlite`, and a static import of it would keep
 * the whole extension from loading).
 */
export interface Sqlite {
	readonly engine: "node:sqlite" | "bun:sqlite";
	/**
	 * Opens an existing database read-only; nothing is created by the call itself. SQLite waits up to `timeoutMs` for a
	 * lock. Throws `SqliteError`; some causes (a file that is no database, for instance) show only at the first query.
	 */
	openReadOnly(path: string, timeoutMs: number): SqliteDatabase;
}

export interface SqliteDatabase {
	/** Throws `SqliteError`, for instance for a table that does not exist. */
	prepare(sql: string): SqliteStatement;
	/** Never throws; a second call does nothing. */
	close(): void;
}

/** Both calls run the statement to its end or reset it: no lock outlives them. They throw `SqliteError`. */
export interface SqliteStatement {
	get(...params: readonly number[]): SqliteRow | undefined;
	all(...params: readonly number[]): readonly SqliteRow[];
}

export type SqliteValue = number | string | Uint8Array | null;
export type SqliteRow = { readonly [column: string]: SqliteValue | undefined };

/** SQLite refused. `code` is its (extended) result code, 1 for errors in the SQL itself, 0 where none was told. */
export class SqliteError extends Error {
	readonly code: number;

	constructor(message: string, code: number, cause: unknown) {
		super(message, { cause });
		this.name = "SqliteError";
		this.code = code;
	}
}

/** Neither engine is there: this Node is older than 22.13 or was built without SQLite. */
export class SqliteMissingError extends Error {
	constructor(cause: unknown) {
		super("This JavaScript runtime has no SQLite (Node 22.13 or later, or Bun, is needed).", { cause });
		this.name = "SqliteMissingError";
	}
}

/** Runs a call into an engine and turns what it throws into a `SqliteError`. */
export function withSqliteErrors<T>(call: () => T): T {
	try {
		return call();
	} catch (error) {
		throw new SqliteError(messageOf(error), resultCode(error), error);
	}
}

/** Node names the extended result code `errcode`, Bun `errno`. */
function resultCode(error: unknown): number {
	if (typeof error !== "object" || error === null) return 0;
	if ("errcode" in error && typeof error.errcode === "number") return error.errcode;
	if ("errno" in error && typeof error.errno === "number") return error.errno;
	return 0;
}
