import { statfsSync, watch } from "node:fs";
import type { Clock } from "../engine/clock.ts";
import { codeOf } from "../engine/thrown.ts";
import {
	BURST_EVENTS,
	BURST_LOOK_MS,
	BURST_QUIET_LOOKS,
	FAST_POLL_MS,
	RECHECKS_MS,
	SLOW_POLL_MS,
	SURPRISES_ALLOWED,
	type WakePlan,
	wakePlan,
} from "./wake-plan.ts";

export interface WatchOptions {
	/** The folder of the database. It need not exist yet. */
	readonly directory: string;
	/** File name of the database; its `-wal` beside it is watched as well. */
	readonly fileName: string;
	readonly clock: Clock;
	readonly fileEvents: boolean;
	/** The system underneath, replaceable in tests. */
	readonly system?: WatchSystem;
}

export interface WatchSystem {
	readonly platform: string;
	/** The `statfs` type of a folder; throws when there is none. */
	fileSystemOf(directory: string): number;
	/** Reports the names of changed files in a folder (`null`: some file). Throws when it cannot; `onError` ends it. */
	watch(directory: string, onEvent: (fileName: string | null) => void, onError: () => void): { close(): void };
}

const thisSystem: WatchSystem = {
	platform: process.platform,
	fileSystemOf: (directory) => statfsSync(directory).type,
	watch(directory, onEvent, onError) {
		const watcher = watch(directory, { persistent: false }, (_kind, fileName) => onEvent(fileName));
		watcher.on("error", onError);
		return watcher;
	},
};

/** Whether a turn would be told of changes in this folder, found out by trying; the folder must exist. */
export function hasFileEvents(directory: string, fileEvents: boolean, system: WatchSystem = thisSystem): boolean {
	try {
		if (!wakePlan(fileEvents, system.platform, system.fileSystemOf(directory)).events) return false;
		system.watch(directory, ignore, ignore).close();
		return true;
	} catch {
		return false;
	}
}

function ignore(): void {}

/**
 * Calls `check`, which says whether it found a change, whenever the database may have changed: after file events and again
 * shortly after them, and from a poll underneath. Events that come in a burst are not listened to. Where they cannot be had,
 * stop, or turn out to be missing for changes that the poll finds, the poll becomes a fast one.
 */
export class ConversationWatcher {
	readonly #options: WatchOptions;
	readonly #system: WatchSystem;
	readonly #check: () => boolean;
	#plan: WakePlan | undefined;
	#events: { close(): void } | undefined;
	#cancelPoll = () => {};
	#cancelRecheck = () => {};
	#lastEventAt = Number.NEGATIVE_INFINITY;
	/** Events since a timer looked last. */
	#burst = 0;
	#surprises = 0;
	#closed = false;

	constructor(options: WatchOptions, check: () => boolean) {
		this.#options = options;
		this.#system = options.system ?? thisSystem;
		this.#check = check;
	}

	/** Begins, with a first check before it returns. */
	start(): void {
		this.#poll();
	}

	/** Leaves no watcher and no timer behind; `check` is not called again. */
	close(): void {
		this.#closed = true;
		this.#cancelPoll();
		this.#cancelRecheck();
		this.#events?.close();
	}

	#poll(): void {
		if (this.#plan === undefined) this.#listen();
		const found = this.#check();
		if (this.#closed) return;
		if (found && this.#events !== undefined) this.#judgeEvents();
		this.#schedulePoll();
	}

	#schedulePoll(): void {
		this.#cancelPoll();
		this.#cancelPoll = this.#options.clock.after(this.#plan?.pollMs ?? FAST_POLL_MS, () => this.#poll());
	}

	/** Makes the plan and starts to listen, as soon as there is a folder. */
	#listen(): void {
		const fileSystem = this.#fileSystem();
		if (fileSystem === "no folder") return;
		this.#plan = wakePlan(this.#options.fileEvents, this.#system.platform, fileSystem);
		if (this.#plan.events) this.#watch();
	}

	#watch(): void {
		try {
			this.#events = this.#system.watch(
				this.#options.directory,
				(fileName) => this.#onEvent(fileName),
				() => this.#withoutEvents(),
			);
		} catch {
			// Most often the user's inotify watches are used up (ENOSPC, EMFILE): no reason not to follow.
			this.#withoutEvents();
		}
	}

	#fileSystem(): number | undefined | "no folder" {
		try {
			return this.#system.fileSystemOf(this.#options.directory);
		} catch (error) {
			return codeOf(error) === "ENOENT" ? "no folder" : undefined;
		}
	}

	#onEvent(fileName: string | null): void {
		const base = this.#options.fileName;
		const ours = fileName === null || fileName === base || fileName === `${base}-wal`;
		if (this.#closed || !ours) return;
		this.#lastEventAt = this.#options.clock.now();
		this.#burst++;
		if (this.#burst > BURST_EVENTS) {
			this.#events?.close();
			this.#events = undefined;
			this.#lookThroughBurst(0);
			return;
		}
		this.#check();
		// Even if that found something: it may have been the commit before the one this event announces.
		this.#recheck(0);
	}

	#recheck(round: number): void {
		this.#cancelRecheck();
		const at = RECHECKS_MS[round];
		if (this.#closed || at === undefined) return;
		this.#cancelRecheck = this.#options.clock.after(at - (RECHECKS_MS[round - 1] ?? 0), () => {
			this.#burst = 0;
			if (!this.#check()) this.#recheck(round + 1);
		});
	}

	/** Looks often until nothing has come for a while, then listens again. */
	#lookThroughBurst(quietLooks: number): void {
		this.#cancelRecheck();
		if (this.#closed) return;
		this.#cancelRecheck = this.#options.clock.after(BURST_LOOK_MS, () => {
			const quiet = this.#check() ? 0 : quietLooks + 1;
			if (this.#closed) return;
			if (quiet < BURST_QUIET_LOOKS) {
				this.#lookThroughBurst(quiet);
				return;
			}
			this.#burst = 0;
			this.#lastEventAt = this.#options.clock.now();
			this.#watch();
			// What came before there were events again.
			this.#check();
			this.#recheck(0);
		});
	}

	/** Called when the poll found a change: an event should have announced it. */
	#judgeEvents(): void {
		if (this.#options.clock.now() - this.#lastEventAt <= 2 * SLOW_POLL_MS) return;
		this.#surprises++;
		if (this.#surprises > SURPRISES_ALLOWED) this.#plan = { events: true, pollMs: FAST_POLL_MS };
	}

	#withoutEvents(): void {
		this.#events?.close();
		this.#events = undefined;
		this.#plan = { events: false, pollMs: FAST_POLL_MS };
		if (!this.#closed) this.#schedulePoll();
	}
}
