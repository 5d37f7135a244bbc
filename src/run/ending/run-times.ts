import { isSuccess } from "../../ledger/closing.ts";
import type { LedgerFacts } from "../../ledger/facts.ts";
import type { StreamMessage } from "../../stdout/stream-message.ts";
import type { Vitals } from "./deadlines.ts";
import type { EndingView } from "./ending.ts";

/** agy prints steps while its database shows nothing: after this long, in milliseconds, stdout is all that is expected. */
const DATABASE_PATIENCE_MS = 3_000;

/**
 * The longest between two looks at the times, in milliseconds. A much longer gap means that the machine slept, or that pi was
 * stopped: time in which agy could do nothing either.
 */
export const LOOK_EVERY_MS = 15_000;
const ASLEEP_MS = 2 * LOOK_EVERY_MS;

/**
 * When what was last seen of one agy process, in milliseconds since the epoch. Time that the machine slept does not count: all
 * moments before it are moved behind it.
 */
export class RunTimes {
	#startedAt: number;
	#firstSignAt: number | undefined;
	#lastSignAt: number;
	#lastNewsAt: number;
	#resultAt: number | undefined;
	#firstStdoutStepAt: number | undefined;
	#backgroundSince: number | undefined;
	#asksForSignIn = false;
	#lookedAt: number;

	constructor(startedAt: number) {
		this.#startedAt = startedAt;
		this.#lastSignAt = startedAt;
		this.#lastNewsAt = startedAt;
		this.#lookedAt = startedAt;
	}

	/** Has to be called at least every `LOOK_EVERY_MS`, and before anything that happened is noted. */
	look(now: number): void {
		const gap = now - this.#lookedAt;
		this.#lookedAt = now;
		if (gap <= ASLEEP_MS) return;
		this.#startedAt += gap;
		this.#lastSignAt += gap;
		this.#lastNewsAt += gap;
		this.#firstSignAt = later(this.#firstSignAt, gap);
		this.#resultAt = later(this.#resultAt, gap);
		this.#firstStdoutStepAt = later(this.#firstStdoutStepAt, gap);
		this.#backgroundSince = later(this.#backgroundSince, gap);
	}

	/** Output of any kind. */
	output(now: number): void {
		this.look(now);
		this.#lastSignAt = now;
	}

	/** agy works: it said something that we understand, or wrote to its database. */
	news(now: number): void {
		this.look(now);
		this.#firstSignAt ??= now;
		this.#lastSignAt = now;
		this.#lastNewsAt = now;
	}

	message({ event }: StreamMessage, now: number): void {
		this.look(now);
		if (event === "result") this.#resultAt ??= now;
		if (event === "step") this.#firstStdoutStepAt ??= now;
	}

	signInAsked(): void {
		this.#asksForSignIn = true;
	}

	/** The turn is over but for background tasks. Says whether that is new. */
	waitsForBackground(now: number): boolean {
		const isNew = this.#backgroundSince === undefined;
		this.#backgroundSince ??= now;
		return isNew;
	}

	/** The turn goes on after all. */
	goesOn(): void {
		this.#backgroundSince = undefined;
	}

	/** When the database counts as lost although nothing was wrong with it: it never showed what stdout told. */
	databaseLostAt(facts: LedgerFacts): number {
		const since = this.#firstStdoutStepAt;
		const waits = facts.stdoutStepsSeen && !facts.rowsSeen;
		return waits && since !== undefined ? since + DATABASE_PATIENCE_MS : Infinity;
	}

	vitals(facts: LedgerFacts): Vitals {
		return {
			startedAt: this.#startedAt,
			firstSignAt: this.#firstSignAt,
			lastSignAt: this.#lastSignAt,
			toolRunning: facts.backgroundTools.length > 0 || facts.openTools.some((tool) => tool.state === "running"),
			asksForSignIn: this.#asksForSignIn,
		};
	}

	endingView(facts: LedgerFacts, exited: boolean, databaseLost: boolean): EndingView {
		return {
			exited,
			resultAt: this.#resultAt,
			resultIsAnswer: isSuccess(facts.result) && facts.result?.response.trim() !== "",
			recorded: facts.executor !== undefined,
			databaseLives: facts.rowsSeen && !databaseLost,
			lastNewsAt: this.#lastNewsAt,
			openTools: facts.openTools.length,
			backgroundTools: facts.backgroundTools.length,
			backgroundSince: this.#backgroundSince,
		};
	}
}

function later(at: number | undefined, ms: number): number | undefined {
	return at === undefined ? undefined : at + ms;
}
