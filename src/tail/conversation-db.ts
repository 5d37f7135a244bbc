import type { StepRow } from "./step-types.ts";

/** What a conversation held before the turn; -1 where it held none. */
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

/** What changed in a conversation since the last batch, in the order to be taken in: rewind, rows, generations, executors. */
export interface TailBatch {
	/** The conversation was cut to this many rows first. */
	readonly rewoundTo?: number;
	/** New and rewritten rows, by index. A row may come again although nothing in it changed. */
	readonly rows: readonly StepRow[];
	readonly generations: readonly RawRecord[];
	readonly executors: readonly RawRecord[];
}
