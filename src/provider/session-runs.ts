import type { CancelReason } from "../engine/events.ts";
import type { LiveRun } from "./live-run.ts";
import type { StepCard } from "./step-card.ts";

/**
 * The runs of one pi session: the one that belongs to its turn, and throw-away ones beside it. A parked run waits for pi to
 * come back, which it may never do; so whoever notices that the turn is over ends it here.
 */
export class SessionRuns {
	#current: LiveRun | undefined;
	readonly #all = new Set<LiveRun>();

	/** The run of the session's turn, also when it is over already. */
	get current(): LiveRun | undefined {
		return this.#current;
	}

	/** True while a run waits for the results of its cards. */
	get parked(): boolean {
		return this.#current?.state === "parked";
	}

	/** The turn's run from now on. */
	beginTurn(run: LiveRun): void {
		this.#current = run;
		this.track(run);
	}

	/** Remembers a run until nothing of it is left, so that `shutDown` can end it. */
	track(run: LiveRun): void {
		this.#all.add(run);
		void run.closed.then(() => this.#all.delete(run));
	}

	/** The card of this id of the turn's run, also when that is over. */
	card(id: string): StepCard | undefined {
		return this.#current?.card(id);
	}

	/** Ends the turn's run if it is alive, and resolves when its end is recorded. */
	async endTurn(reason: CancelReason): Promise<void> {
		const run = this.#current;
		if (run === undefined) return;
		if (run.state !== "over") run.cancel(reason);
		await run.recorded;
	}

	/** Ends everything and resolves when nothing of it is left. */
	async shutDown(): Promise<void> {
		const runs = [...this.#all];
		for (const run of runs) run.cancel("shutdown");
		await Promise.all(runs.map((run) => run.closed));
	}
}
