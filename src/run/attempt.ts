import type { Clock } from "../engine/clock.ts";
import type { RunRequest } from "../engine/engine.ts";
import type { AgyEvent, Outcome } from "../engine/events.ts";
import type { Failure } from "../engine/failure.ts";
import type { LedgerFacts } from "../ledger/facts.ts";
import type { Observation } from "../ledger/observation.ts";
import type { StreamMessage, StreamUsage } from "../stdout/stream-message.ts";
import { databaseFailure } from "../tail/database-problem.ts";
import type { ConversationFollower } from "./binding/conversation-follower.ts";
import type { Limits } from "./ending/deadlines.ts";
import type { EndSign, Patience } from "./ending/ending.ts";
import type { AgyProcess, ProcessExit, StartResult } from "./process/process.ts";
import { TurnState } from "./turn-state.ts";

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
	/** Lines on stdout that were no message of agy's, for the log. */
	readonly skippedLines: number;
	/** What should not have happened, when the sign is `fault`. */
	readonly fault?: unknown;
}

/** How often, at most, the process tree is looked at while tools run, in milliseconds. */
const TREE_LOOK_MS = 1_000;

/** One agy process from its start to the end of its turn: its readers, the follower of its conversation, its deadlines. */
export class Attempt {
	readonly #options: AttemptOptions;
	readonly #follower: ConversationFollower;
	readonly #state: TurnState;
	#process: AgyProcess | undefined;
	#leftInBackground = false;
	#nextTreeLookAt = 0;

	#concluding = false;
	#finish: (end: AttemptEnd) => void = () => {};
	readonly #finished: Promise<AttemptEnd>;
	#cancelTimer = () => {};

	constructor(options: AttemptOptions) {
		this.#options = options;
		this.#state = new TurnState(options);
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
		return this.#state.facts;
	}

	get conversationId(): string | undefined {
		return this.#follower.conversationId;
	}

	/** Runs until the turn is over. Never rejects. */
	async run(): Promise<AttemptEnd> {
		try {
			await this.#begin();
		} catch (error) {
			this.#fail(FAULT, "fault", error);
		}
		return this.#finished;
	}

	/** Ends the turn at once: what was shown is settled, and nothing more is. */
	cancel(outcome: Outcome): void {
		this.#end(outcome, "cancelled");
	}

	/** Leaves no handle, watcher or timer behind. */
	close(): void {
		this.#cancelTimer();
		this.#follower.close();
	}

	async #begin(): Promise<void> {
		const { output, request, start, usageBefore } = this.#options;
		const prepared = this.#follower.prepare();
		if (prepared.kind === "unreadable") {
			const { problem } = prepared;
			const isLost = problem.kind === "missing" || output === "text";
			if (isLost) return this.#fail(databaseFailure(problem, request.resume?.conversationId ?? ""), "refused");
		}
		const baseline = prepared.kind === "ready" ? prepared.baseline : undefined;
		this.#state.begin(baseline && { baseline, ...(usageBefore && { usageBefore }) });
		const started = await start({
			onStdout: (chunk) => this.#guarded(() => this.#take(this.#state.stdout(chunk))),
			onStderrLine: (line) => this.#guarded(() => this.#onStderrLine(line)),
		});
		if (started.kind === "failed") return this.#fail(started.failure, "refused");
		const agy = started.process;
		this.#process = agy;
		if (this.#concluding) return;
		this.#follower.begin(async () => (await agy.living()).map(({ pid }) => pid));
		void agy.exited.then((exit) => this.#guarded(() => this.#onExit(exit)));
		this.#consider();
	}

	#take(messages: readonly StreamMessage[]): void {
		for (const { conversationId } of messages) if (conversationId) this.#follower.announced(conversationId);
		if (messages.length > 0) this.#learn(messages.map((message) => ({ source: "stdout", message })));
	}

	#onStderrLine(line: string): void {
		const sign = this.#state.stderr(line);
		if (sign?.kind === "conversation-not-found") this.#follower.resumeRefused();
		if (sign !== undefined) this.#consider();
	}

	#onExit(exit: ProcessExit): void {
		this.#take(this.#state.exited(exit));
		this.#consider();
	}

	/** Takes in what either source tells. Called by the readers and the follower; never throws. */
	#learn(observations: readonly Observation[]): void {
		this.#guarded(() => {
			this.#state.learn(observations);
			this.#lookAtTree();
			this.#consider();
		});
	}

	/** Commands may detach themselves from agy: those that were seen before can be ended later. */
	#lookAtTree(): void {
		const now = this.#options.clock.now();
		if (this.#process === undefined || now < this.#nextTreeLookAt || this.facts.openTools.length === 0) return;
		this.#nextTreeLookAt = now + TREE_LOOK_MS;
		void this.#process.living().catch(() => []);
	}

	/** Looks whether the turn is over or has taken too long, and when to look again. */
	#consider(): void {
		if (this.#concluding || this.#process === undefined) return;
		this.#cancelTimer();
		const verdict = this.#state.judge();
		switch (verdict.kind) {
			case "over":
				void this.#conclude(verdict.sign);
				return;
			case "failed":
				this.#fail(verdict.failure, verdict.sign);
				return;
			case "going-on": {
				const { clock } = this.#options;
				const waitMs = Math.max(1, verdict.lookAgainAt - clock.now());
				this.#cancelTimer = clock.after(waitMs, () => this.#guarded(() => this.#consider()));
			}
		}
	}

	/** The turn is over: nothing that was written may be lost. */
	async #conclude(sign: EndSign): Promise<void> {
		this.#concluding = true;
		this.#cancelTimer();
		try {
			if (sign === "exit") await this.#follower.lastLook();
			else await restOfPipes();
			const problem = this.#follower.drain();
			const { conversationId, candidates } = this.#follower;
			const unbound = { directory: this.#options.folder, candidates };
			const { outcome, leftInBackground } = this.#state.conclude(
				problem,
				conversationId === undefined ? unbound : { conversationId },
			);
			this.#leftInBackground = leftInBackground;
			this.#resolve(outcome, sign);
		} catch (error) {
			this.#fail(FAULT, "fault", error);
		}
	}

	#fail(failure: Failure, sign: AttemptEnd["sign"], fault?: unknown): void {
		this.#end({ kind: "failed", failure }, sign, fault);
	}

	/** Ends the turn from our side. Reads once more what agy has committed, unless somebody waits for the end. */
	#end(outcome: Outcome, sign: AttemptEnd["sign"], fault?: unknown): void {
		const first = !this.#concluding;
		this.#concluding = true;
		this.#cancelTimer();
		try {
			if (first && (sign === "deadline" || sign === "hopeless")) this.#follower.drain();
			if (sign !== "fault") this.#state.close();
		} finally {
			this.#resolve(outcome, sign, fault);
		}
	}

	#resolve(outcome: Outcome, sign: AttemptEnd["sign"], fault?: unknown): void {
		const gracefully = sign === "exit" || sign === "result" || sign === "record";
		this.#finish({
			outcome,
			facts: this.facts,
			conversationId: this.conversationId,
			gracefully,
			leftInBackground: this.#leftInBackground,
			sign,
			skippedLines: this.#state.skippedLines,
			...(fault !== undefined && { fault }),
		});
	}

	#guarded(work: () => void): void {
		try {
			work();
		} catch (error) {
			this.#fail(FAULT, "fault", error);
		}
	}
}

/** What should not have happened; what it was stands in the log. */
const FAULT: Failure = {
	kind: "bad-request",
	problem: "pi-antigravity-cli could not follow agy.",
	remedy: "`/agy logs` has the reason, which is worth a report; send a message to go on.",
};

/**
 * Resolves when what agy had written on stderr before its last line on stdout is read as well: the two are pipes of their own,
 * and one turn of the event loop may serve them in either order.
 */
function restOfPipes(): Promise<void> {
	return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
