import type { Clock } from "../engine/clock.ts";
import type { Outcome, RunProgress } from "../engine/events.ts";
import type { Log } from "../engine/log.ts";
import type { AttemptEnd } from "./attempt.ts";
import type { AgyProcess } from "./process/process.ts";

/** As much of what agy said last on stderr is kept of a run that failed, in characters. */
const LAST_WORDS = 1_500;

/** What the log tells of one run, from its end on. */
export class RunLog {
	readonly #log: Log;
	readonly #clock: Clock;
	readonly #runId: string;
	readonly #beganAt: number;

	/** The run begins now. */
	constructor(log: Log, clock: Clock, runId: string) {
		this.#log = log;
		this.#clock = clock;
		this.#runId = runId;
		this.#beganAt = clock.now();
	}

	/** The run has ended for whoever reads its events; `sign` is what that was recognised by. */
	ended(outcome: Outcome, progress: RunProgress, sign: string): void {
		this.#log.info("run.end", {
			run: this.#runId,
			conversation: progress.conversationId,
			ms: this.#clock.now() - this.#beganAt,
			sign,
			outcome: outcome.kind,
			failure: outcome.kind === "failed" ? outcome.failure.kind : undefined,
			cancelledBy: outcome.kind === "cancelled" ? outcome.by : undefined,
			lastStep: progress.lastStep,
			toolsRan: progress.toolsRan,
		});
	}

	/** An attempt has ended; what helps to find out why it failed, without the prompt. */
	attemptEnded({ outcome, fault, skippedLines }: AttemptEnd, agy: AgyProcess | undefined, prompt: string): void {
		if (outcome.kind === "failed") this.#lastWords(agy, prompt);
		if (fault !== undefined) {
			const cause = fault instanceof Error ? fault.stack : String(fault);
			this.#log.info("run.fault", { run: this.#runId, cause });
		}
		if (skippedLines > 0) this.#log.info("run.skipped-lines", { run: this.#runId, lines: skippedLines });
	}

	/** agy is started once more. */
	repeated(): void {
		this.#log.info("run.repeated", { run: this.#runId });
	}

	#lastWords(agy: AgyProcess | undefined, prompt: string): void {
		const tail = agy?.stderrTail().trim();
		if (!tail) return;
		const stderr = tail.replaceAll(prompt, "[prompt]").slice(-LAST_WORDS);
		this.#log.info("run.last-words", { run: this.#runId, stderr });
	}
}
