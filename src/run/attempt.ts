import type { Clock } from "../engine/clock.ts";
import type { RunRequest } from "../engine/engine.ts";
import type { AgyEvent, Outcome } from "../engine/events.ts";
import type { Failure } from "../engine/failure.ts";
import type { LedgerFacts } from "../ledger/facts.ts";
import { createLedger, type Ledger } from "../ledger/ledger.ts";
import * as notices from "../ledger/notices.ts";
import type { Observation } from "../ledger/observation.ts";
import type { StreamMessage, StreamUsage } from "../stdout/stream-message.ts";
import { type DatabaseProblem, databaseFailure } from "../tail/database-problem.ts";
import { AgyOutput } from "./agy-output.ts";
import type { ConversationFollower } from "./conversation-follower.ts";
import { checkDeadlines, type Deadline, type Limits } from "./deadlines.ts";
import { decideEnding, type EndSign, type Patience } from "./ending.ts";
import type { ErrorContext } from "./error-text.ts";
import { decideOutcome, hopelessFailure } from "./outcome.ts";
import type { AgyProcess, ProcessExit, StartResult } from "./process.ts";
import { RunTimes } from "./run-times.ts";
import { type StderrSign, StderrSigns } from "./stderr-signs.ts";

export interface AttemptOptions {
	readonly request: RunRequest;
	readonly output: "stream-json" | "text";
	/** agy's folder of conversations, for messages. */
	readonly folder: string;
	readonly limits: Limits;
	readonly patience: Patience;
	/** What the conversation had used in all before this turn; absent where unknown. */
	readonly usageBefore?: StreamUsage;
	readonly clock: Clock;
	/** Builds the follower around the attempt's own way of taking in what is learned. */
	readonly follower: (observe: (observations: readonly Observation[]) => void) => ConversationFollower;
	/** Starts agy around the attempt's own readers. */
	readonly start: (readers: Readers) => Promise<StartResult>;
	readonly emit: (event: AgyEvent) => void;
}

export interface Readers {
	readonly onStdout: (chunk: Uint8Array) => void;
	readonly onStderrLine: (line: string) => void;
}

/** How one agy process served the request. */
export interface AttemptEnd {
	readonly outcome: Outcome;
	readonly facts: LedgerFacts;
	readonly conversationId: string | undefined;
	/** agy finished on its own terms, so it may take its time to exit. */
	readonly gracefully: boolean;
	/** Background tasks were still running. */
	readonly leftInBackground: boolean;
	/** What the end was recognised by, for the log. */
	readonly sign: EndSign | "deadline" | "hopeless" | "refused" | "cancelled" | "fault";
}

/** How often, at most, the process tree is looked at while tools run, in milliseconds. */
const TREE_LOOK_MS = 1_000;

/** One agy process from its start to the end of its turn, with everything that is learned about it. */
export class Attempt {
	readonly #options: AttemptOptions;
	readonly #follower: ConversationFollower;
	readonly #signs: StderrSigns;
	readonly #output: AgyOutput;
	#ledger: Ledger = createLedger();
	#process: AgyProcess | undefined;
	#exit: ProcessExit | undefined;

	#times = new RunTimes(0);
	#databaseLost = false;
	/** What agy was to continue, when it began another conversation instead. */
	#notContinued: string | undefined;
	#leftInBackground = false;
	#nextTreeLookAt = 0;

	#concluding = false;
	#finish: (end: AttemptEnd) => void = () => {};
	readonly #finished: Promise<AttemptEnd>;
	#cancelTimer = () => {};

	constructor(options: AttemptOptions) {
		this.#options = options;
		this.#output = new AgyOutput(options.output);
		this.#signs = new StderrSigns(() => this.#errorContext());
		this.#finished = new Promise((resolve) => {
			this.#finish = resolve;
		});
		this.#follower = options.follower((observations) => this.#learn(observations));
	}

	/** The process while there is one; its owner ends it. */
	get process(): AgyProcess | undefined {
		return this.#process;
	}

	get facts(): LedgerFacts {
		return this.#ledger.facts();
	}

	get conversationId(): string | undefined {
		return this.#follower.conversationId;
	}

	/** Runs until the turn is over. Never rejects. */
	async run(): Promise<AttemptEnd> {
		try {
			await this.#begin();
		} catch (error) {
			this.#fault(error);
		}
		return this.#finished;
	}

	/** Ends the turn at once: what was shown is settled, and nothing more is. */
	cancel(outcome: Outcome): void {
		this.#end(outcome, "cancelled", undefined);
	}

	/** Leaves no handle, watcher or timer behind. */
	close(): void {
		this.#cancelTimer();
		this.#follower.close();
	}

	async #begin(): Promise<void> {
		const { clock, output, request, start, usageBefore } = this.#options;
		const prepared = this.#follower.prepare();
		if (prepared.kind === "unreadable") {
			const { problem } = prepared;
			const isLost = problem.kind === "missing" || output === "text";
			if (isLost) {
				this.#fail(databaseFailure(problem, request.resume?.conversationId ?? ""), "refused");
				return;
			}
		} else if (prepared.baseline !== undefined) {
			this.#ledger = createLedger({ baseline: prepared.baseline, ...(usageBefore && { usageBefore }) });
		}
		this.#times = new RunTimes(clock.now());
		const started = await start({
			onStdout: (chunk) => this.#guarded(() => this.#onStdout(chunk)),
			onStderrLine: (line) => this.#guarded(() => this.#onStderrLine(line)),
		});
		if (started.kind === "failed") {
			this.#fail(started.failure, "refused");
			return;
		}
		const agy = started.process;
		this.#process = agy;
		if (this.#concluding) return;
		this.#follower.begin(async () => (await agy.living()).map(({ pid }) => pid));
		void agy.exited.then((exit) => this.#onExit(exit));
		this.#consider();
	}

	#onStdout(chunk: Uint8Array): void {
		this.#times.output(this.#options.clock.now());
		this.#take(this.#output.push(chunk));
	}

	#take(messages: readonly StreamMessage[]): void {
		const now = this.#options.clock.now();
		for (const message of messages) {
			if (message.conversationId) this.#follower.announced(message.conversationId);
			this.#times.message(message, now);
		}
		if (messages.length > 0) this.#learn(messages.map((message) => ({ source: "stdout", message })));
	}

	#onStderrLine(line: string): void {
		this.#times.output(this.#options.clock.now());
		const sign = this.#signs.push(line);
		if (sign === undefined) return;
		this.#heed(sign);
		this.#consider();
	}

	#heed(sign: StderrSign): void {
		const { emit, clock } = this.#options;
		switch (sign.kind) {
			case "conversation-not-found":
				this.#follower.resumeRefused();
				break;
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
			// What these mean is decided at the end.
			case "background-ended":
			case "waiting-for-background":
			case "print-timeout":
			case "permission-denied":
			case "failure":
				break;
		}
	}

	/** Takes in what either source tells. Called by the readers and the follower; never throws. */
	#learn(observations: readonly Observation[]): void {
		this.#guarded(() => {
			this.#times.news(this.#options.clock.now());
			for (const observation of observations) this.#observe(observation);
			this.#lookAtTree();
			this.#consider();
		});
	}

	#observe(observation: Observation): void {
		if (observation.source === "database-lost") this.#databaseLost = true;
		if (observation.source === "row") this.#databaseLost = false;
		if (observation.source === "conversation") this.#notContinued = observation.insteadOf;
		for (const event of this.#ledger.observe(observation)) this.#options.emit(event);
	}

	/** Commands may detach themselves from agy: those that were seen before can be ended later. */
	#lookAtTree(): void {
		const now = this.#options.clock.now();
		if (this.#process === undefined || now < this.#nextTreeLookAt || this.facts.openTools.length === 0) return;
		this.#nextTreeLookAt = now + TREE_LOOK_MS;
		void this.#process.living().catch(() => []);
	}

	#onExit(exit: ProcessExit): void {
		this.#exit = exit;
		this.#guarded(() => {
			this.#take(this.#output.end());
			this.#consider();
		});
	}

	/** Looks whether the turn is over or has taken too long, and when to look again. */
	#consider(): void {
		if (this.#concluding || this.#process === undefined) return;
		this.#cancelTimer();
		// Without what was said before, agy would take the words for something else.
		if (this.#notContinued !== undefined) {
			this.#fail({ kind: "conversation-replaced", id: this.#notContinued }, "hopeless");
			return;
		}
		const { clock, limits, patience } = this.#options;
		const now = clock.now();
		if (!this.#databaseLost && this.#times.databaseLostAt(this.facts) <= now)
			this.#observe({ source: "database-lost" });
		const facts = this.facts;

		const ending = decideEnding(
			this.#times.endingView(facts, this.#exit !== undefined, this.#databaseLost),
			patience,
			now,
		);
		if (ending.kind === "over") {
			void this.#conclude(ending.sign);
			return;
		}
		const hopeless = facts.result ? undefined : hopelessFailure(this.#signs, facts.openErrors, this.#errorContext());
		if (hopeless) {
			this.#fail(hopeless, "hopeless");
			return;
		}
		const deadline = checkDeadlines(this.#times.vitals(facts), limits, now);
		if (deadline.kind === "expired") {
			this.#fail(this.#lateFailure(deadline.which, deadline.seconds), "deadline");
			return;
		}

		if (ending.kind === "background") this.#tellBackground(facts, now);
		else if (facts.executor === undefined) this.#times.goesOn();
		const lostAt = this.#databaseLost ? Infinity : this.#times.databaseLostAt(facts);
		const nextAt = Math.min(deadline.untilMs, ending.lookAgainAt ?? Infinity, lostAt);
		this.#cancelTimer = clock.after(Math.max(1, nextAt - now), () => this.#guarded(() => this.#consider()));
	}

	#lateFailure(which: Deadline, seconds: number): Failure {
		const signIn = which === "start-up" && this.#times.asksForSignIn;
		return signIn ? { kind: "not-signed-in", expired: false } : { kind: "deadline", which, seconds };
	}

	#tellBackground(facts: LedgerFacts, now: number): void {
		if (this.#times.waitsForBackground(now)) this.#options.emit(notices.backgroundTasks(facts.backgroundTools));
	}

	/** The turn is over: nothing that was written may be lost. */
	async #conclude(sign: EndSign): Promise<void> {
		this.#concluding = true;
		this.#cancelTimer();
		try {
			if (sign === "exit") await this.#follower.lastLook();
			const problem = this.#follower.drain();
			const facts = this.#readPlainText(problem);
			this.#leftInBackground = facts.backgroundTools.length > 0;
			if (this.#leftInBackground) this.#tellBackground(facts, this.#options.clock.now());
			if (this.#signs.backgroundEnded > 0) this.#options.emit(notices.endedInBackground(this.#signs.backgroundEnded));
			const agyLives = this.#exit === undefined;
			const because = problem && `${problem.path}: ${problem.cause}`;
			this.#observe({ source: "closed", agyLives, ...(because !== undefined && { databaseProblem: because }) });
			this.#resolve(this.#outcome(problem), sign);
		} catch (error) {
			this.#fault(error);
		}
	}

	/** What an agy without stream-json printed is the answer where its database, though readable, shows none. */
	#readPlainText(problem: DatabaseProblem | undefined): LedgerFacts {
		const { lastGenerationText, openTools } = this.facts;
		const printed = this.#exit && this.#output.asResult(this.#exit.code);
		const isOurs = problem === undefined && this.conversationId !== undefined;
		if (printed && isOurs && lastGenerationText === "" && openTools.length === 0) {
			this.#observe({ source: "stdout", message: printed });
		}
		return this.facts;
	}

	#outcome(databaseProblem: DatabaseProblem | undefined): Outcome {
		if (this.#notContinued !== undefined) {
			return { kind: "failed", failure: { kind: "conversation-replaced", id: this.#notContinued } };
		}
		const { folder, output, request } = this.#options;
		const { conversationId, candidates } = this.#follower;
		const printed = this.#output.hasText;
		return decideOutcome({
			ledger: this.#ledger.facts(),
			exit: this.#exit,
			stderr: this.#signs,
			promptBytes: Buffer.byteLength(request.prompt),
			context: this.#errorContext(),
			streamJson: output === "stream-json",
			databaseProblem,
			binding: conversationId === undefined ? { directory: folder, candidates, printed } : { conversationId },
		});
	}

	#fail(failure: Failure, sign: AttemptEnd["sign"]): void {
		this.#end({ kind: "failed", failure }, sign, undefined);
	}

	#fault(error: unknown): void {
		const cause = error instanceof Error ? error.message : String(error);
		this.#end({ kind: "failed", failure: { kind: "cannot-start", path: "agy", cause } }, "fault", error);
	}

	/** Ends the turn from our side. Reads once more what agy has committed, unless somebody waits for the end. */
	#end(outcome: Outcome, sign: AttemptEnd["sign"], fault: unknown): void {
		const first = !this.#concluding;
		this.#concluding = true;
		this.#cancelTimer();
		try {
			if (first && (sign === "deadline" || sign === "hopeless")) this.#follower.drain();
			if (fault === undefined) this.#observe({ source: "closed", agyLives: false });
		} finally {
			this.#resolve(outcome, sign);
		}
	}

	#resolve(outcome: Outcome, sign: AttemptEnd["sign"]): void {
		const gracefully = sign === "exit" || sign === "result" || sign === "record";
		this.#finish({
			outcome,
			facts: this.#ledger.facts(),
			conversationId: this.conversationId,
			gracefully,
			leftInBackground: this.#leftInBackground,
			sign,
		});
	}

	#guarded(work: () => void): void {
		try {
			work();
		} catch (error) {
			this.#fault(error);
		}
	}

	#errorContext(): ErrorContext {
		const { clock, request } = this.#options;
		return { now: clock.now(), model: request.model?.slug, resume: request.resume?.conversationId };
	}
}
