import { isTerminal, stepStatus } from "../decode/step-status.ts";
import type { StepRow } from "../decode/step-types.ts";

/** A row of `steps` without its payload. */
export interface RowHead {
	readonly idx: number;
	readonly stepType: number;
	readonly status: number;
	/** Bytes of the payload. */
	readonly size: number;
}

/** A row as it was last reported. */
interface Reported {
	readonly stepType: number;
	readonly status: number;
	readonly size: number;
	/** When its payload was read, in milliseconds since the epoch. */
	readonly readAt: number;
	/** Kept while agy may still rewrite the row, to see a rewrite with the same size. */
	readonly payload: Uint8Array | undefined;
}

/** Payloads up to this size are read at every change: 64 KiB, about 30,000 characters of answer. */
const AT_ONCE_BYTES = 64 * 1024;
/** A larger payload is read at once when it changed by this fraction since it was last read … */
const GROWTH = 1 / 8;
/** … and otherwise no faster than this: 8 MB a second, so 125 ms apart at 1 MB. */
const BYTES_PER_MS = 8 * 1024;

/**
 * Which rows of the turn were reported in which state, and from that, what is worth reading again.
 *
 * agy rewrites a whole row with every chunk of an answer: reading a long one at each commit would cost the square of its
 * length. Hence large payloads that grew only a little wait; rows of ordinary size and changes of status never do.
 */
export class ReportedRows {
	#rows = new Map<number, Reported>();
	#open = new Set<number>();

	/** Rows below `idx` that agy has not finished. */
	openBelow(idx: number): readonly number[] {
		return [...this.#open].filter((open) => open < idx);
	}

	/** When the payload of this row should be read: 0 for now, a time in milliseconds since the epoch, or never. */
	readAt(row: RowHead): number | "never" {
		const last = this.#rows.get(row.idx);
		if (last === undefined || last.status !== row.status || last.stepType !== row.stepType) return 0;
		if (isTerminal(stepStatus(row.status))) return last.size === row.size ? "never" : 0;
		if (row.size <= AT_ONCE_BYTES || Math.abs(row.size - last.size) >= last.size * GROWTH) return 0;
		return last.readAt + row.size / BYTES_PER_MS;
	}

	/** Whether the row is something that was not reported yet. */
	isNews({ idx, stepType, status, payload }: StepRow): boolean {
		const last = this.#rows.get(idx);
		if (last?.payload === undefined || last.status !== status || last.stepType !== stepType) return true;
		return Buffer.compare(last.payload, payload) !== 0;
	}

	/** Notes that the row was read, whether it was news or not. */
	note({ idx, stepType, status, payload }: StepRow, nowMs: number): void {
		const open = !isTerminal(stepStatus(status));
		const kept = open ? payload : undefined;
		this.#rows.set(idx, { stepType, status, size: payload.length, readAt: nowMs, payload: kept });
		if (open) this.#open.add(idx);
		else this.#open.delete(idx);
	}

	/** Forgets the rows from `idx` on: agy removed or replaced them. */
	forgetFrom(idx: number): void {
		for (const known of this.#rows.keys()) {
			if (known < idx) continue;
			this.#rows.delete(known);
			this.#open.delete(known);
		}
	}
}
