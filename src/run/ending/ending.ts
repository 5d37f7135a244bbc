/** When a turn's end is believed, in milliseconds. */
export interface Patience {
	/** After agy's result: for commits that are still under way, and for the reason of a failure on stderr. */
	readonly settleMs: number;
	/** After agy's record of the end of the turn, when no result comes: agy may go on. */
	readonly quietMs: number;
	/** For background tasks, once the answer is complete. */
	readonly backgroundMs: number;
}

export const defaultPatience: Omit<Patience, "backgroundMs"> = { settleMs: 500, quietMs: 2_000 };

/** One agy run at one moment. Times are milliseconds since the epoch. */
export interface EndingView {
	/** agy has exited. */
	readonly exited: boolean;
	/** When agy's `result` was read; absent where none was. */
	readonly resultAt: number | undefined;
	/** The result is a success with an answer; else stderr and the exit code may still say why it is not. */
	readonly resultIsAnswer: boolean;
	/** agy's record of the end of the turn is in the database. */
	readonly recorded: boolean;
	/** Rows are to be expected: the database was read and is not lost. */
	readonly databaseLives: boolean;
	/** The latest commit or message. */
	readonly lastNewsAt: number;
	readonly openTools: number;
	readonly backgroundTools: number;
	/** Since when the turn is over but for background tasks. */
	readonly backgroundSince: number | undefined;
}

export type EndSign =
	| "exit"
	| "result"
	/** The database says that the turn is over, and agy was quiet since. */
	| "record"
	/** The same, but background tasks were still running when their time was over. */
	| "background-left";

export type Ending =
	| { readonly kind: "over"; readonly sign: EndSign }
	/** The answer is there; agy is kept by tasks in the background. */
	| { readonly kind: "background"; readonly lookAgainAt: number }
	/** `lookAgainAt` is absent where only news can change the verdict. */
	| { readonly kind: "going-on"; readonly lookAgainAt?: number };

/**
 * Pure: whether a turn is over. agy prints a `result`, or exits, or does neither: it may never exit after its answer, and
 * since 1.2.0 it withholds the result until its background tasks are done.
 */
export function decideEnding(view: EndingView, patience: Patience, nowMs: number): Ending {
	if (view.exited) return { kind: "over", sign: "exit" };
	if (view.resultAt !== undefined) {
		// Once the record is there, everything before it was committed.
		const nothingUnderWay = view.resultIsAnswer && (view.recorded || !view.databaseLives);
		const settledAt = nothingUnderWay ? nowMs : view.resultAt + patience.settleMs;
		return settledAt <= nowMs ? { kind: "over", sign: "result" } : { kind: "going-on", lookAgainAt: settledAt };
	}
	if (!view.recorded || view.openTools > 0) return { kind: "going-on" };
	const quietAt = view.lastNewsAt + patience.quietMs;
	if (quietAt > nowMs) return { kind: "going-on", lookAgainAt: quietAt };
	if (view.backgroundTools === 0) return { kind: "over", sign: "record" };
	const leftAt = (view.backgroundSince ?? nowMs) + patience.backgroundMs;
	return leftAt <= nowMs ? { kind: "over", sign: "background-left" } : { kind: "background", lookAgainAt: leftAt };
}
