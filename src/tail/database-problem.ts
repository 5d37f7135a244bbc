import type { Failure } from "../engine/failure.ts";
import { messageOf } from "../engine/thrown.ts";
import { SqliteError } from "./sqlite.ts";

/** Why a conversation database could not be read. */
export interface DatabaseProblem {
	readonly kind: DatabaseProblemKind;
	readonly path: string;
	/** One sentence for a person, without the path. */
	readonly cause: string;
	/** Trying again in a moment may succeed. */
	readonly retryable: boolean;
}

export type DatabaseProblemKind =
	/** The file, or its folder, is not there. */
	| "missing"
	/** Locked, or still being created. */
	| "busy"
	/** A database without agy's tables. */
	| "no-schema"
	/** Not a database, damaged, or not allowed to be read. */
	| "unreadable"
	/** Another file took the place of the one that was open. */
	| "replaced";

/** Thrown by everything that reads a conversation database. */
export class DatabaseError extends Error {
	readonly problem: DatabaseProblem;

	constructor(problem: DatabaseProblem, cause?: unknown) {
		super(`${problem.path}: ${problem.cause}`, cause === undefined ? undefined : { cause });
		this.name = "DatabaseError";
		this.problem = problem;
	}
}

/** The failure of a run that had to read this database. */
export function databaseFailure(problem: DatabaseProblem, conversationId: string): Failure {
	switch (problem.kind) {
		case "missing":
		case "replaced":
			return { kind: "conversation-lost", id: conversationId, where: `${problem.path}: ${problem.cause}` };
		case "no-schema":
			return { kind: "schema-not-understood", path: problem.path, cause: problem.cause };
		case "busy":
			return { kind: "database-busy", path: problem.path, cause: problem.cause };
		case "unreadable":
			return { kind: "database-unreadable", path: problem.path, cause: problem.cause };
	}
}

/** Sorts an error thrown while `path` was opened or read. */
export function databaseError(path: string, error: unknown): DatabaseError {
	if (error instanceof DatabaseError) return error;
	if (error instanceof SqliteError) return new DatabaseError({ path, ...classify(error) }, error);
	const cause = messageOf(error);
	return new DatabaseError({ path, kind: "unreadable", cause, retryable: false }, error);
}

/** SQLite's result codes; the upper bits of an extended code only refine the cause. */
const ERROR = 1;
const PERMISSION = 3;
const BUSY = 5;
const LOCKED = 6;
const IO_ERROR = 10;
const CORRUPT = 11;
const CANNOT_OPEN = 14;
const SCHEMA_CHANGED = 17;
const NOT_A_DATABASE = 26;
const READONLY_DIRECTORY = 1544;
const READ_PAST_END = 522;

function classify(error: SqliteError): Pick<DatabaseProblem, "kind" | "cause" | "retryable"> {
	if (error.code === READONLY_DIRECTORY) {
		const cause = "its folder is read-only, and SQLite must create its side files (-wal, -shm) there";
		return { kind: "unreadable", cause, retryable: false };
	}
	// Seen while the file is being laid out: its size is not yet what its header says.
	if (error.code === READ_PAST_END) return { kind: "busy", cause: "it is still being created", retryable: true };
	switch (error.code & 0xff) {
		case BUSY:
		case LOCKED:
			return { kind: "busy", cause: "it is locked by another process", retryable: true };
		case SCHEMA_CHANGED:
			return { kind: "busy", cause: "its tables are being changed", retryable: true };
		case CANNOT_OPEN:
			// Also what a reader meets while agy creates or recovers the files, so it is worth another try.
			return { kind: "unreadable", cause: "it cannot be opened (missing, or no permission)", retryable: true };
		case ERROR:
			if (!/no such (table|column)/.test(error.message)) break;
			return { kind: "no-schema", cause: `agy's tables are not in it (${error.message})`, retryable: true };
		case PERMISSION:
			return { kind: "unreadable", cause: "reading it is not permitted", retryable: false };
		case IO_ERROR:
			return { kind: "unreadable", cause: `it cannot be read (${error.message})`, retryable: false };
		case CORRUPT:
			return { kind: "unreadable", cause: "it is damaged (database disk image is malformed)", retryable: false };
		case NOT_A_DATABASE:
			return { kind: "unreadable", cause: "it is not an SQLite database", retryable: false };
	}
	return { kind: "unreadable", cause: `SQLite says: ${error.message} (code ${error.code})`, retryable: false };
}
