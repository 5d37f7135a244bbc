import type { Step, StepBody } from "../decode/step-types.ts";
import type { StepRef } from "../engine/events.ts";
import type { GenerationTrack } from "./generation-track.ts";
import type { ToolTrack } from "./tool-track.ts";

/** What a conversation held before this run; -1 where it held none. */
export interface LedgerBaseline {
	readonly maxStep: number;
	readonly maxExecutor: number;
	readonly maxGeneration: number;
	/** The trajectories its rows belong to, where known: a row of another one is new whatever its index. */
	readonly trajectories?: readonly string[];
}

export const emptyBaseline: LedgerBaseline = { maxStep: -1, maxExecutor: -1, maxGeneration: -1 };

/** One step of this run and what is kept about it. */
export interface StepEntry {
	readonly ref: StepRef;
	/** "" until a row named one. */
	trajectory: string;
	/** What the row turned out to be; absent while only stdout told of the step. */
	rowKind: StepBody["kind"] | undefined;
	generation: GenerationTrack | undefined;
	tool: ToolTrack | undefined;
}

/** The steps of this run by index. Knows which ones are older than the run, and which indices agy used again. */
export class StepEntries {
	#baseline: LedgerBaseline;
	readonly #entries = new Map<number, StepEntry>();
	#lastStep: number;
	#trajectory = "";

	constructor(baseline: LedgerBaseline) {
		this.#baseline = baseline;
		this.#lastStep = baseline.maxStep;
	}

	/** The highest index seen in the conversation, -1 when it is empty. */
	get lastStep(): number {
		return this.#lastStep;
	}

	/** The trajectory of the newest row, "" when none was named. */
	get trajectory(): string {
		return this.#trajectory;
	}

	/** By index. */
	get all(): readonly StepEntry[] {
		return [...this.#entries.values()].sort((a, b) => a.ref.index - b.ref.index);
	}

	find(index: number): StepEntry | undefined {
		return this.#entries.get(index);
	}

	/** The conversation turned out to be another one, with nothing in it from before. */
	forgetBaseline(): void {
		this.#baseline = emptyBaseline;
		this.#lastStep = -1;
	}

	isOldRow(step: Step): boolean {
		if (step.idx > this.#baseline.maxStep) return false;
		const known = this.#baseline.trajectories;
		return known === undefined || step.trajectory === "" || known.includes(step.trajectory);
	}

	isOldIndex(index: number): boolean {
		return index <= this.#baseline.maxStep;
	}

	isOldExecutor(index: number): boolean {
		return index <= this.#baseline.maxExecutor;
	}

	isOldGeneration(index: number): boolean {
		return index <= this.#baseline.maxGeneration;
	}

	/** The entry for a row, and what it replaces when agy reuses the index after a rewind. */
	forRow(step: Step): { readonly entry: StepEntry; readonly replaced: StepEntry | undefined } {
		const before = this.#entries.get(step.idx);
		const reused = before !== undefined && differ(before.trajectory, step.trajectory);
		const entry = before !== undefined && !reused ? before : this.#add(step.idx, step.trajectory);
		if (entry.trajectory === "") entry.trajectory = step.trajectory;
		if (step.trajectory !== "") this.#trajectory = step.trajectory;
		entry.rowKind = step.body.kind;
		return { entry, replaced: reused ? before : undefined };
	}

	forStdout(index: number): StepEntry {
		return this.#entries.get(index) ?? this.#add(index, "");
	}

	/** An entry behind all others, for what belongs to no step. */
	beyond(): StepEntry {
		return this.#add(this.#lastStep + 1, "");
	}

	/** The conversation was cut to `rows` rows. Returns the entries that are gone. */
	rewind(rows: number): StepEntry[] {
		this.#baseline = { ...this.#baseline, maxStep: Math.min(this.#baseline.maxStep, rows - 1) };
		this.#lastStep = Math.min(this.#lastStep, rows - 1);
		const gone = this.all.filter((entry) => entry.ref.index >= rows);
		for (const entry of gone) this.#entries.delete(entry.ref.index);
		return gone;
	}

	#add(index: number, trajectory: string): StepEntry {
		const entry: StepEntry = {
			ref: { trajectory: trajectory || this.#trajectory, index },
			trajectory,
			rowKind: undefined,
			generation: undefined,
			tool: undefined,
		};
		this.#entries.set(index, entry);
		this.#lastStep = Math.max(this.#lastStep, index);
		return entry;
	}
}

function differ(before: string, now: string): boolean {
	return before !== "" && now !== "" && before !== now;
}
