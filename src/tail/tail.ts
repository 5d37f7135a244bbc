import { join } from "node:path";
import type { Clock } from "../engine/clock.ts";
import { type Baseline, ConversationDb, type TailBatch } from "./conversation-db.ts";
import { type DatabaseProblem, databaseError } from "./database-problem.ts";
import type { Sqlite } from "./sqlite.ts";
import { ConversationWatcher, type WatchSystem } from "./watcher.ts";
import { hasCommits } from "./write-ahead-log.ts";

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
	/** For tests: the file events of the system. */
	readonly system?: WatchSystem;
}

/** Whether everything in the database was reported, else what was in the way. */
export type DrainResult = { readonly complete: true } | { readonly complete: false; readonly problem: DatabaseProblem };

/** How long an obstacle that may go away (a lock, tables still to be created) is put up with, in milliseconds. */
const PATIENCE_MS = 10_000;
/** How often the file under the path is compared with the open one, in milliseconds. */
const FILE_CHECK_MS = 1_000;

/** Least time between two attempts to open a new conversation: a reader that keeps opening is in agy's way. */
const REOPEN_MS = 50;

const NOTHING_YET: Baseline = { maxStep: -1, maxExecutor: -1, maxGeneration: -1 };

/**
 * Follows one conversation database. The order of calls is `prepare`, then (on a resume agy is spawned here) `start`,
 * then (agy is gone) `drain`, then `close`. `close` may come at any time, and twice.
 */
export class Tail {
	readonly #options: TailOptions;
	readonly #path: string;
	#db: ConversationDb | undefined;
	#mayOpenAt = 0;
	#agyWrites = false;
	#troubleSince: number | undefined;
	#watcher: ConversationWatcher | undefined;
	#cancelDue = () => {};
	#cancelFileCheck = () => {};
	#closed = false;

	constructor(options: TailOptions) {
		this.#options = options;
		this.#path = join(options.directory, `${options.conversationId}.db`);
	}

	/**
	 * Resume: opens the database and notes what it holds already, so that agy never meets a reader that is just opening;
	 * call it before agy is spawned. Throws `DatabaseError`. New conversation: does nothing, everything will be new.
	 */
	prepare(): Baseline {
		return this.#options.resume ? this.#open() : NOTHING_YET;
	}

	/** Begins to follow. A new conversation is opened as soon as agy has written to it. */
	start(): void {
		const { directory, conversationId, clock, fileEvents, system } = this.#options;
		const watch = { directory, fileName: `${conversationId}.db`, clock, fileEvents };
		this.#watcher = new ConversationWatcher(system === undefined ? watch : { ...watch, system }, () => this.#check());
		this.#scheduleFileCheck();
		this.#watcher.start();
	}

	/** One last read, synchronous, after agy is gone: reports what was still missing. Following has ended then. */
	drain(): DrainResult {
		this.#stop();
		if (this.#closed) return { complete: true };
		try {
			if (this.#db === undefined) this.#open();
			const batch = this.#db?.finish();
			const problem = this.#db?.fileProblem();
			if (batch !== undefined) this.#report(batch);
			return problem === undefined ? { complete: true } : { complete: false, problem };
		} catch (error) {
			return { complete: false, problem: databaseError(this.#path, error).problem };
		}
	}

	/** Leaves no handle, watcher or timer behind. May come at any time, and twice. */
	close(): void {
		this.#closed = true;
		this.#stop();
		this.#db?.close();
		this.#db = undefined;
	}

	#open(): Baseline {
		const db = new ConversationDb({ ...this.#options, path: this.#path });
		try {
			const baseline = this.#options.resume ? db.skipToEnd() : NOTHING_YET;
			this.#db = db;
			return baseline;
		} catch (error) {
			db.close();
			throw error;
		}
	}

	/** Reads what is new; says whether anything was committed. */
	#check(): boolean {
		if (this.#closed) return false;
		try {
			const batch = this.#poll();
			this.#troubleSince = undefined;
			if (batch === undefined) return false;
			this.#scheduleDue();
			this.#report(batch);
			return true;
		} catch (error) {
			this.#onTrouble(databaseError(this.#path, error).problem);
			return false;
		}
	}

	#poll(): TailBatch | undefined {
		if (!this.#agyWrites && !hasCommits(this.#path)) return undefined;
		this.#agyWrites = true;
		if (this.#db === undefined) {
			const now = this.#options.clock.now();
			if (now < this.#mayOpenAt) return undefined;
			this.#mayOpenAt = now + REOPEN_MS;
			this.#open();
		}
		return this.#db?.poll();
	}

	#report(batch: TailBatch): void {
		const { rewoundTo, rows, generations, executors } = batch;
		const empty = rewoundTo === undefined && rows.length + generations.length + executors.length === 0;
		if (!empty) this.#options.onBatch(batch);
	}

	#onTrouble(problem: DatabaseProblem): void {
		const now = this.#options.clock.now();
		this.#troubleSince ??= now;
		if (problem.retryable && now - this.#troubleSince < PATIENCE_MS) return;
		this.#stop();
		this.#options.onProblem(problem);
	}

	/** A large payload that was left unread is read when it is due, even if nothing more is committed. */
	#scheduleDue(): void {
		this.#cancelDue();
		const ms = this.#db?.dueInMs;
		this.#cancelDue = ms === undefined ? () => {} : this.#options.clock.after(ms, () => this.#check());
	}

	#scheduleFileCheck(): void {
		this.#cancelFileCheck = this.#options.clock.after(FILE_CHECK_MS, () => {
			const problem = this.#db?.fileProblem();
			if (problem === undefined) return this.#scheduleFileCheck();
			this.#stop();
			this.#options.onProblem(problem);
		});
	}

	#stop(): void {
		this.#watcher?.close();
		this.#cancelDue();
		this.#cancelFileCheck();
	}
}
