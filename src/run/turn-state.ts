import type { Clock } from "../engine/clock.ts";
import type { RunRequest } from "../engine/engine.ts";
import type { AgyEvent, Outcome } from "../engine/events.ts";
import type { Failure } from "../engine/failure.ts";
import type { LedgerFacts } from "../ledger/facts.ts";
import { createLedger, type Ledger, type LedgerOptions } from "../ledger/ledger.ts";
import * as notices from "../ledger/notices.ts";
import type { Observation } from "../ledger/observation.ts";
import type { StreamMessage } from "../stdout/stream-message.ts";
import type { DatabaseProblem } from "../tail/database-problem.ts";
import { AgyOutput } from "./agy-output.ts";
import type { ErrorContext } from "./ending/agy-sentences.ts";
import { checkDeadlines, type Deadline, type Limits } from "./ending/deadlines.ts";
import { decideEnding, type EndSign, type Patience } from "./ending/ending.ts";
import { failureInText } from "./ending/error-text.ts";
import { hopelessFailure } from "./ending/hopeless.ts";
import { decideOutcome, type Unbound } from "./ending/outcome.ts";
import { LOOK_EVERY_MS, RunTimes } from "./ending/run-times.ts";
import { type StderrSign, StderrSigns } from "./ending/stderr-signs.ts";
import type { ProcessExit } from "./process/process.ts";

export interface TurnStateOptions {
	readonly request: RunRequest;
	readonly output: "stream-json" | "text";
	readonly limits: Limits;
	readonly patience: Patience;
	readonly clock: Clock;
	readonly emit: (event: AgyEvent) => void;
}

/** How a turn stands. Times are milliseconds since the epoch. */
export type Verdict =
	| { readonly kind: "going-on"; readonly lookAgainAt: number }
	/** agy is done, by this sign. */
	| { readonly kind: "over"; readonly sign: EndSign }
	/** It must be ended from our side. */
	| { readonly kind: "failed"; readonly failure: Failure; readonly sign: "hopeless" | "deadline" };

/**
 * All that is learned about one agy process, whoever tells it: what it prints, what it says on stderr, what is in its
 * database, that it has gone. Emits what a reader should see of it, and judges how the turn stands.
 */
export class TurnState {
	readonly #options: TurnStateOptions;
	readonly #signs: StderrSigns;
	readonly #output: AgyOutput;
	#ledger: Ledger = createLedger();
	#times = new RunTimes(0);
	#exit: ProcessExit | undefined;
	#databaseLost = false;
	/** What agy was to continue, when it began another conversation instead. */
	#notContinued: string | undefined;

	constructor(options: TurnStateOptions) {
		this.#options = options;
		this.#output = new AgyOutput(options.output);
		this.#signs = new StderrSigns(() => this.#errorContext());
	}

	get facts(): LedgerFacts {
		return this.#ledger.facts();
	}

	/** Lines on stdout that were no message of agy's. */
	get skippedLines(): number {
		return this.#output.skippedLines;
	}

	/** agy is about to be started; `continued` is what is known of the conversation that it is to continue. */
	begin(continued: LedgerOptions | undefined): void {
		if (continued !== undefined) this.#ledger = createLedger(continued);
		this.#times = new RunTimes(this.#options.clock.now());
	}

	/** A piece of stdout came. The messages are not learned yet: one of them may first tell the conversation. */
	stdout(chunk: Uint8Array): readonly StreamMessage[] {
		this.#times.output(this.#options.clock.now());
		return this.#output.push(chunk);
	}

	/** A line of stderr came. Returns what it says at once. */
	stderr(line: string): StderrSign | undefined {
		const { clock, emit } = this.#options;
		this.#times.output(clock.now());
		const sign = this.#signs.push(line);
		switch (sign?.kind) {
			case "waiting-for-sign-in":
				this.#times.signInAsked();
				break;
			case "retrying":
				this.#times.news(clock.now());
				emit({ type: "activity", doing: "retrying", detail: `attempt ${sign.attempt + 1}` });
				break;
			case "plan-mode-lost":
				emit(notices.planModeLost());
				break;
			// What these mean is decided at the end, or by whoever follows the conversation.
			case "conversation-not-found":
			case "background-ended":
			case "waiting-for-background":
			case "print-timeout":
			case "permission-denied":
			case "failure":
			case undefined:
				break;
		}
		return sign;
	}

	/** agy has gone. Returns what it had printed last. */
	exited(exit: ProcessExit): readonly StreamMessage[] {
		this.#exit = exit;
		return this.#output.end();
	}

	learn(observations: readonly Observation[]): void {
		this.#times.news(this.#options.clock.now());
		for (const observation of observations) this.#observe(observation);
	}

	/** Whether the turn is over, or cannot go on, or else when to ask again. */
	judge(): Verdict {
		const replaced = this.#replacedFailure;
		if (replaced) return { kind: "failed", failure: replaced, sign: "hopeless" };
		const { clock, limits, patience } = this.#options;
		const now = clock.now();
		this.#times.look(now);
		if (this.#databaseLostAt <= now) this.#observe({ source: "database-lost" });
		const { facts } = this;
		const view = this.#times.endingView(facts, this.#exit !== undefined, this.#databaseLost);
		const ending = decideEnding(view, patience, now);
		if (ending.kind === "over") return ending;
		const hopeless = facts.result ? undefined : hopelessFailure(this.#signs, facts.openErrors, this.#errorContext());
		if (hopeless) return { kind: "failed", failure: hopeless, sign: "hopeless" };
		const deadline = checkDeadlines(this.#times.vitals(facts), limits, now);
		if (deadline.kind === "expired") {
			return { kind: "failed", failure: this.#lateFailure(deadline.which, deadline.seconds), sign: "deadline" };
		}
		if (ending.kind === "background") this.#tellBackground(facts);
		else if (facts.executor === undefined) this.#times.goesOn();
		return {
			kind: "going-on",
			lookAgainAt: Math.min(
				deadline.untilMs,
				ending.lookAgainAt ?? Infinity,
				this.#databaseLostAt,
				now + LOOK_EVERY_MS,
			),
		};
	}

	/**
	 * The turn ended by itself, and everything it left was learned. Settles what was shown and says what came of it.
	 * `problem` kept the database from being read to its end.
	 */
	conclude(problem: DatabaseProblem | undefined, binding: EndBinding): Conclusion {
		const facts = this.#readPlainText(problem, binding);
		const leftInBackground = facts.backgroundTools.length > 0;
		const agyLives = this.#exit === undefined;
		if (leftInBackground && agyLives) this.#tellBackground(facts);
		if (this.#signs.backgroundEnded > 0) this.#options.emit(notices.endedInBackground(this.#signs.backgroundEnded));
		const because = problem && `${problem.path}: ${problem.cause}`;
		this.#observe({
			source: "closed",
			agyLives,
			...(because !== undefined && { databaseProblem: because }),
		});
		return { outcome: this.#outcome(problem, binding), leftInBackground };
	}

	/** The turn was ended from our side: settles what was shown. */
	close(): void {
		this.#observe({ source: "closed", agyLives: false });
	}

	#observe(observation: Observation): void {
		if (observation.source === "stdout") this.#note(observation.message);
		if (observation.source === "database-lost") this.#databaseLost = true;
		if (observation.source === "row") this.#databaseLost = false;
		if (observation.source === "conversation") this.#notContinued = observation.insteadOf;
		for (const event of this.#ledger.observe(observation)) this.#options.emit(event);
	}

	#note(message: StreamMessage): void {
		const { clock, emit, request } = this.#options;
		this.#times.message(message, clock.now());
		// An administrator's policy can overrule the flag (reported for agy 1.2.0).
		const mode = message.event === "init" ? message.permissionMode : undefined;
		const isAsked = request.permissions === "skip" && request.purpose !== "words-only";
		if (isAsked && (mode === "request-review" || mode === "strict")) emit(notices.permissionsOverruled(mode));
	}

	/** Without what was said before, agy would take the words for something else. */
	get #replacedFailure(): Failure | undefined {
		return this.#notContinued === undefined ? undefined : { kind: "conversation-replaced", id: this.#notContinued };
	}

	get #databaseLostAt(): number {
		return this.#databaseLost ? Infinity : this.#times.databaseLostAt(this.facts);
	}

	#lateFailure(which: Deadline, seconds: number): Failure {
		const { failure } = this.#signs;
		const isSignIn = which === "start-up" && failure?.kind === "not-signed-in";
		return isSignIn ? failure : { kind: "deadline", which, seconds };
	}

	#tellBackground({ backgroundTools }: LedgerFacts): void {
		const { clock, emit } = this.#options;
		if (this.#times.waitsForBackground(clock.now())) emit(notices.backgroundTasks(backgroundTools));
	}

	/** What an agy without stream-json printed is the answer where its database, though readable, shows none. */
	#readPlainText(problem: DatabaseProblem | undefined, binding: EndBinding): LedgerFacts {
		const { lastGenerationText, openTools } = this.facts;
		const printed = this.#exit && this.#output.asResult(this.#exit.code);
		if (printed === undefined) return this.facts;
		const isBound = "conversationId" in binding;
		if (isComplaint(printed.response, isBound, this.#errorContext())) {
			for (const line of printed.response.split("\n")) this.#signs.push(line);
		} else if (isBound && problem === undefined && lastGenerationText === "" && openTools.length === 0) {
			this.#observe({ source: "stdout", message: printed });
		}
		return this.facts;
	}

	#outcome(databaseProblem: DatabaseProblem | undefined, binding: EndBinding): Outcome {
		const replaced = this.#replacedFailure;
		if (replaced) return { kind: "failed", failure: replaced };
		const { output, request } = this.#options;
		return decideOutcome({
			ledger: this.facts,
			exit: this.#exit,
			stderr: this.#signs,
			promptBytes: Buffer.byteLength(request.prompt),
			context: this.#errorContext(),
			streamJson: output === "stream-json",
			databaseProblem,
			binding: "conversationId" in binding ? binding : { ...binding, printed: this.#output.hasText },
		});
	}

	#errorContext(): ErrorContext {
		const { clock, request } = this.#options;
		return { now: clock.now(), model: request.model?.slug, resume: request.resume?.conversationId };
	}
}

/**
 * Plain text that tells of a failure: an old agy prints that where its answer should stand, and exits with 0 (agy 1.0's "Error:
 * timed out waiting for response"). A model may use the same words; only where no conversation is known they cannot be its own.
 */
function isComplaint(text: string, isBound: boolean, context: ErrorContext): boolean {
	const start = text.trimStart();
	const [firstLine = ""] = start.split("\n");
	return (!isBound || /^error: /i.test(start)) && failureInText(firstLine, context) !== undefined;
}

/** The conversation of the turn, or what could be it. */
export type EndBinding = { readonly conversationId: string } | Omit<Unbound, "printed">;

export interface Conclusion {
	readonly outcome: Outcome;
	/** Background tasks were still running. */
	readonly leftInBackground: boolean;
}
