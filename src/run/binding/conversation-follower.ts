import { join } from "node:path";
import { decodeExecutor, decodeGeneration } from "../../decode/metadata.ts";
import { decodeStep } from "../../decode/step.ts";
import type { Clock } from "../../engine/clock.ts";
import type { Observation } from "../../ledger/observation.ts";
import type { LedgerBaseline } from "../../ledger/step-entries.ts";
import type { TailBatch } from "../../tail/conversation-db.ts";
import { type DatabaseProblem, databaseError } from "../../tail/database-problem.ts";
import type { Sqlite } from "../../tail/sqlite.ts";
import { Tail } from "../../tail/tail.ts";
import type { ConversationFinder } from "./conversation-finder.ts";
import { type Bound, bindingByName } from "./discovery.ts";

export interface FollowerOptions {
	/** agy's folder of conversations. */
	readonly folder: string;
	/** The conversation agy is told to continue. */
	readonly resume: string | undefined;
	readonly finder: ConversationFinder;
	/** agy names the conversation on stdout; looking for it elsewhere is for when that fails. */
	readonly namedOnStdout: boolean;
	readonly sqlite: Sqlite;
	readonly fileEvents: boolean;
	readonly clock: Clock;
	/** Takes what was learned; must not throw. */
	readonly observe: (observations: readonly Observation[]) => void;
}

export type Preparation =
	| { readonly kind: "ready"; readonly baseline: LedgerBaseline | undefined }
	| { readonly kind: "unreadable"; readonly problem: DatabaseProblem };

/** How often is looked for the conversation: quickly at first, in milliseconds. */
const LOOK_MS = 50;
const SLOW_LOOK_MS = 250;
const QUICK_LOOKS = 40;
/** How long agy's own word is waited for before other signs count; they are kept in mind meanwhile. */
const STDOUT_FIRST_MS = 3_000;

/** Finds out which conversation our agy writes and follows its database. */
export class ConversationFollower {
	readonly #options: FollowerOptions;
	#tail: Tail | undefined;
	#binding: Bound | undefined;
	#candidates: readonly string[] = [];
	#problem: DatabaseProblem | undefined;
	#resumeRefused = false;
	#closed = false;
	#cancelLook = () => {};

	constructor(options: FollowerOptions) {
		this.#options = options;
	}

	get conversationId(): string | undefined {
		return this.#binding?.id;
	}

	/** What could be ours while nothing certain is known. */
	get candidates(): readonly string[] {
		return this.#candidates;
	}

	/** Opens the conversation that is to be continued, before agy is started. */
	prepare(): Preparation {
		const { resume } = this.#options;
		if (resume === undefined) return { kind: "ready", baseline: undefined };
		const tail = this.#newTail(resume, true);
		try {
			const baseline = tail.prepare();
			this.#tail = tail;
			return { kind: "ready", baseline };
		} catch (error) {
			tail.close();
			this.#problem = databaseError(this.#pathOf(resume), error).problem;
			return { kind: "unreadable", problem: this.#problem };
		}
	}

	/** agy runs: looks for its conversation until it is known. `pids` tells the living processes of its tree. */
	begin(pids: () => Promise<readonly number[]>): void {
		const { clock, finder, namedOnStdout } = this.#options;
		const namedUntil = namedOnStdout ? clock.now() + STDOUT_FIRST_MS : 0;
		let looks = 0;
		const again = (ms: number) => {
			if (!this.#closed && this.#binding === undefined) this.#cancelLook = clock.after(ms, () => void look());
		};
		const look = async () => {
			if (clock.now() < namedUntil) await finder.remember(pids);
			else await this.#look(await pids().catch(() => []));
			again(++looks < QUICK_LOOKS ? LOOK_MS : SLOW_LOOK_MS);
		};
		again(0);
	}

	/** agy named the conversation on stdout. */
	announced(id: string): void {
		if (this.#binding !== undefined || this.#closed) return;
		this.#bind(bindingByName(id, this.#options.resume));
	}

	/** agy said that it did not find the conversation it was to continue. */
	resumeRefused(): void {
		this.#resumeRefused = true;
	}

	/** agy is gone: a last look, if its conversation is still unknown. Never rejects. */
	async lastLook(): Promise<void> {
		this.#cancelLook();
		if (this.#binding === undefined) await this.#look([]);
	}

	/** Reads what is left. Returns what kept the database from being read to its end. */
	drain(): DatabaseProblem | undefined {
		const drained = this.#tail?.drain();
		if (drained === undefined || drained.complete) return this.#tail === undefined ? this.#problem : undefined;
		return drained.problem;
	}

	close(): void {
		this.#closed = true;
		this.#cancelLook();
		this.#tail?.close();
	}

	async #look(pids: readonly number[]): Promise<void> {
		const seen = await this.#options.finder.look({
			pids,
			resumeRefused: this.#resumeRefused,
		});
		if (this.#closed || this.#binding !== undefined) return;
		if (seen.kind === "bound") this.#bind(seen);
		else this.#candidates = seen.candidates;
	}

	#bind(binding: Bound): void {
		this.#binding = binding;
		this.#cancelLook();
		const { id, insteadOf } = binding;
		this.#options.observe([{ source: "conversation", id, ...(insteadOf !== undefined && { insteadOf }) }]);
		if (id !== this.#options.resume) {
			this.#tail?.close();
			this.#tail = this.#newTail(id, false);
			this.#problem = undefined;
		}
		if (this.#tail === undefined) this.#options.observe([{ source: "database-lost" }]);
		else this.#tail.start();
	}

	#newTail(conversationId: string, resume: boolean): Tail {
		const { folder: directory, sqlite, clock, fileEvents, observe } = this.#options;
		return new Tail({
			directory,
			conversationId,
			resume,
			sqlite,
			clock,
			fileEvents,
			onBatch: (batch) => observe(observationsOf(batch)),
			onProblem: (problem) => {
				this.#problem = problem;
				observe([{ source: "database-lost" }]);
			},
		});
	}

	#pathOf(conversationId: string): string {
		return join(this.#options.folder, `${conversationId}.db`);
	}
}

/** A batch in the order it is to be taken in. */
function observationsOf(batch: TailBatch): Observation[] {
	return [
		...(batch.rewoundTo === undefined ? [] : [{ source: "rewound" as const, rows: batch.rewoundTo }]),
		...batch.rows.map((row) => ({ source: "row" as const, step: decodeStep(row) })),
		...batch.generations.map(({ idx, data }) => ({
			source: "generation" as const,
			record: decodeGeneration(idx, data),
		})),
		...batch.executors.map(({ idx, data }) => ({ source: "executor" as const, record: decodeExecutor(idx, data) })),
	];
}
