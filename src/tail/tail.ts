import type { Clock } from "../engine/clock.ts";
import type { Baseline, TailBatch } from "./conversation-db.ts";
import type { DatabaseProblem } from "./database-problem.ts";
import type { Sqlite } from "./sqlite.ts";

export interface TailOptions {
	/** agy's folder of conversation databases. For a new conversation it need not exist yet. */
	readonly directory: string;
	readonly conversationId: string;
	/** True when agy is told to continue this conversation: the database exists and `prepare` opens it. */
	readonly resume: boolean;
	readonly sqlite: Sqlite;
	readonly clock: Clock;
	/** False: poll every 25 ms instead of using file events. */
	readonly fileEvents: boolean;
	/** What was committed, in order. Not called before `start` nor after `close`. Must not throw. */
	readonly onBatch: (batch: TailBatch) => void;
	/** Following has ended because the database cannot be read; at most once. `drain` still tries a last time. */
	readonly onProblem: (problem: DatabaseProblem) => void;
}

/**
 * Follows one conversation database. The order of calls is `prepare`, then (agy is spawned, for a resume) `start`,
 * then (agy is gone) `drain`, then `close`; each may be left out, `close` may come at any time and twice.
 */
export interface Tail {
	/**
	 * Resume: opens the database and reads what it holds already, so that agy never meets a reader that is just opening;
	 * call it before agy is spawned. Throws `DatabaseError`. New conversation: does nothing, everything will be new.
	 */
	prepare(): Baseline;
	/** Begins to follow. A new conversation is opened as soon as agy has written to it. */
	start(): void;
	/** One last read, synchronous, after agy is gone: reports what was still missing through `onBatch`. */
	drain(): DrainResult;
	/** Leaves no handle, watcher or timer behind. */
	close(): void;
}

/** Whether everything in the database was reported, else what was in the way. */
export type DrainResult = { readonly complete: true } | { readonly complete: false; readonly problem: DatabaseProblem };

export declare function createTail(options: TailOptions): Tail;
