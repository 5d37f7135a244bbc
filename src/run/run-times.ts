import { isSuccess } from "../ledger/closing.ts";
import type { LedgerFacts } from "../ledger/facts.ts";
import type { StreamMessage } from "../stdout/stream-message.ts";
import type { Vitals } from "./deadlines.ts";
import type { EndingView } from "./ending.ts";

/** agy prints steps while its database shows nothing: after this long, in milliseconds, stdout is all that is expected. */
const DATABASE_PATIENCE_MS = 3_000;

/** When what was last seen of one agy process, in milliseconds since the epoch. */
export class RunTimes {
	readonly #startedAt: number;
	#firstSignAt: number | undefined;
	#lastSignAt: number;
	#lastNewsAt: number;
	#resultAt: number | undefined;
	#firstStdoutStepAt: number | undefined;
	#backgroundSince: number | undefined;
	#asksForSignIn = false;

	constructor(startedAt: number) {
		this.#startedAt = startedAt;
		this.#lastSignAt = startedAt;
		this.#lastNewsAt = startedAt;
	}

	get asksForSignIn(): boolean {
		return this.#asksForSignIn;
	}

	/** Output of any kind. */
	output(now: number): void {
		this.#lastSignAt = now;
	}

	/** agy works: it said something that we understand, or wrote to its database. */
	news(now: number): void {
		this.#firstSignAt ??= now;
		this.#lastSignAt = now;
		this.#lastNewsAt = now;
	}

	message({ event }: StreamMessage, now: number): void {
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
