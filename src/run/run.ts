import { randomUUID } from "node:crypto";
import type { Settings } from "../config/schema.ts";
import type { Run, RunRequest } from "../engine/engine.ts";
import type { AgyEvent, CancelReason, Outcome, RunProgress } from "../engine/events.ts";
import type { Failure } from "../engine/failure.ts";
import { messageOf } from "../engine/thrown.ts";
import type { LedgerFacts } from "../ledger/facts.ts";
import * as notices from "../ledger/notices.ts";
import { SqliteMissingError } from "../tail/sqlite.ts";
import { type Invocation, prepareInvocation } from "./agy/invocation.ts";
import type { Attempt, AttemptEnd } from "./attempt.ts";
import { type Limits, limitsOf } from "./ending/deadlines.ts";
import { EventQueue } from "./event-queue.ts";
import { forbiddenToolUse } from "./own-tools.ts";
import { prepareAttempt } from "./prepare-attempt.ts";
import { childEnvironment, type RunMark } from "./process/environment.ts";
import { keepNodeAlive } from "./process/keep-alive.ts";
import { acquireSlot, lockConversation } from "./process/run-locks.ts";
import { windDown } from "./process/wind-down.ts";
import type { RunContext } from "./run-context.ts";
import { RunLog } from "./run-log.ts";

/** agy's own time limit stands this far behind ours, so that it never cuts a turn by itself. */
const PRINT_TIMEOUT_MARGIN_MS = 10 * 60_000;
/** How long an agy that only lingers after its answer keeps the next turn of its conversation waiting. */
const HASTE_MS = 1_000;

/** Starts one run. Never throws: whatever goes wrong is its `end` event. */
export function startRun(request: RunRequest, context: RunContext): Run {
	return new AgyRun(request, context);
}

/** One request from its first wait for a place to the last of its processes. */
class AgyRun implements Run {
	readonly settled: Promise<void>;
	readonly #request: RunRequest;
	readonly #context: RunContext;
	readonly #events: EventQueue<AgyEvent>;
	readonly #runId = randomUUID();
	readonly #log: RunLog;
	readonly #abort = new AbortController();
	/** What is to be given back when nothing of the run is left. */
	readonly #releases: (() => void | Promise<void>)[] = [];
	/** Conversations this run holds the lock of. */
	readonly #conversations = new Set<string>();
	#conversationTold: string | undefined;
	#attempt: Attempt | undefined;
	#hasten: (ms: number) => void = () => {};

	constructor(request: RunRequest, context: RunContext) {
		this.#request = request;
		this.#context = context;
		this.#log = new RunLog(context.log, context.clock, this.#runId);
		this.#events = new EventQueue(() => this.cancel("owner-gone"));
		this.settled = this.#live();
	}

	get events(): AsyncIterable<AgyEvent> {
		return this.#events;
	}

	cancel(reason: CancelReason): void {
		this.#stop({ kind: "cancelled", by: reason }, "cancelled");
	}

	/** Ends the run at once, as `outcome` unless it had one already, and takes agy down behind it. */
	#stop(outcome: Outcome, sign: string): void {
		this.#abort.abort();
		this.#hasten(0);
		if (this.#events.ended) return;
		this.#attempt?.cancel(outcome);
		this.#end(outcome, this.#attempt?.facts, sign);
	}

	async #live(): Promise<void> {
		const letGo = keepNodeAlive();
		try {
			await this.#serve();
		} catch (error) {
			this.#fail(failureOf(error));
		} finally {
			for (const release of this.#releases.reverse()) await Promise.resolve(release()).catch(() => {});
			letGo();
		}
	}

	/** What mostly works the second time is tried once more, if nothing was done. */
	async #serve(): Promise<void> {
		const failed = await this.#attemptOnce(this.#request, true);
		if (failed === undefined || this.#abort.signal.aborted) return;
		this.#log.repeated();
		const { conversationId } = failed;
		const again = conversationId === undefined ? this.#request : { ...this.#request, resume: { conversationId } };
		await this.#attemptOnce(again, false);
	}

	/**
	 * Starts agy once; resolves when it is gone. Returns how that ended if another attempt is to follow (the first may have one),
	 * which waits for nothing: it has the place and the conversation already.
	 */
	async #attemptOnce(request: RunRequest, isFirst: boolean): Promise<AttemptEnd | undefined> {
		const settings = this.#context.settings();
		const mark = { owner: (await this.#context.own()).identity, runId: this.#runId };
		const limits = limitsOf(settings, request.totalDeadlineMs);
		const invocation = await this.#prepare(request, settings, limits, mark);
		if (invocation === undefined) return undefined;
		if (isFirst) {
			if (!(await this.#takePlace(settings.maxParallelRuns))) return undefined;
			if (!(await this.#takeConversation(request, limits.startUpMs))) return undefined;
			for (const text of invocation.commandLine.warnings) this.#emit(notices.cannotHave(text));
		}

		this.#emit({ type: "activity", doing: "starting" });
		const { attempt, release } = await prepareAttempt({
			request,
			invocation,
			settings,
			limits,
			mark,
			context: this.#context,
			emit: (event) => this.#emit(event),
		});
		this.#attempt = attempt;
		const end = this.#abort.signal.aborted ? undefined : await attempt.run();
		const isRepeated = end !== undefined && isFirst && isWorthRepeating(end);
		if (end !== undefined) {
			this.#keepUsage(end);
			if (!isRepeated) this.#end(end.outcome, end.facts, end.sign);
			this.#log.attemptEnded(end, attempt.process, request.prompt);
		}
		attempt.close();
		await this.#windDown(attempt, end === undefined || isRepeated ? 0 : graceAfter(end, settings), end?.conversationId);
		await release();
		return isRepeated ? end : undefined;
	}

	/** Finds out how agy is to be called. Undefined when that is refused, and the run over. */
	async #prepare(
		request: RunRequest,
		settings: Settings,
		limits: Limits,
		mark: RunMark,
	): Promise<Invocation | undefined> {
		const { env: parent, platform, versions } = this.#context;
		const { registrar } = await this.#context.own();
		const prepared = await prepareInvocation({
			request,
			settings,
			parentEnv: parent,
			env: childEnvironment({ parent, mark, ...(request.env !== undefined && { extra: request.env }) }),
			versions,
			registrar,
			agyWorked: () => this.#attempt?.facts.textSeen ?? false,
			printTimeoutMs: limits.totalMs + PRINT_TIMEOUT_MARGIN_MS,
			platform,
			signal: this.#abort.signal,
		});
		if (prepared.kind === "refused") {
			this.#fail(prepared.failure);
			return undefined;
		}
		this.#releases.push(() => prepared.invocation.release());
		return prepared.invocation;
	}

	/** Lets agy exit by itself for a while, which the next turn of its conversation may shorten, then ends it. */
	async #windDown({ process }: Attempt, graceMs: number, conversationId: string | undefined): Promise<void> {
		if (process === undefined) return;
		const { clock, rungs } = this.#context;
		const winding = windDown(process, { graceMs, clock, rungs });
		this.#hasten = winding.hasten;
		if (this.#abort.signal.aborted) winding.hasten(0);
		const stopLingering = this.#linger(conversationId);
		await winding.done;
		stopLingering();
	}

	/** `result.usage` counts the whole conversation, so the next turn has to know where this one ended. */
	#keepUsage({ conversationId, facts }: AttemptEnd): void {
		if (conversationId === undefined) return;
		const { usageTotals } = this.#context;
		if (facts.result?.usage) usageTotals.set(conversationId, facts.result.usage);
		else usageTotals.delete(conversationId);
	}

	/** False: cancelled meanwhile. */
	async #takePlace(max: number): Promise<boolean> {
		const { table, clock, folders, lingering } = this.#context;
		const onWaiting = () => {
			this.#emit({ type: "activity", doing: "waiting-for-slot" });
			// Those that have answered hold a place until they exit.
			for (const hasten of lingering.values()) hasten();
		};
		const place = await acquireSlot(folders.locks, max, { table, clock, signal: this.#abort.signal, onWaiting });
		if (place.kind !== "held") return false;
		this.#releases.push(() => place.lock.release());
		return !this.#abort.signal.aborted;
	}

	/** Waits until nobody else runs agy on the conversation. False: the run is over. */
	async #takeConversation({ resume }: RunRequest, limitMs: number): Promise<boolean> {
		if (resume === undefined) return true;
		const { table, clock, folders, lingering } = this.#context;
		const id = resume.conversationId;
		lingering.get(id)?.();
		const onWaiting = () => this.#emit({ type: "activity", doing: "waiting-for-conversation" });
		const signal = this.#abort.signal;
		const lock = await lockConversation(folders.locks, id, { table, clock, signal, onWaiting, limitMs });
		if (lock.kind === "busy") {
			this.#fail({ kind: "conversation-locked", id, ...(lock.pid !== undefined && { pid: lock.pid }) });
		}
		if (lock.kind !== "held") return false;
		this.#conversations.add(id);
		this.#releases.push(() => lock.lock.release());
		return !signal.aborted;
	}

	/** The next turn of this conversation need not wait for an agy that has answered. */
	#linger(conversationId: string | undefined): () => void {
		if (conversationId === undefined) return () => {};
		const { lingering } = this.#context;
		const hasten = () => this.#hasten(HASTE_MS);
		lingering.set(conversationId, hasten);
		return () => {
			if (lingering.get(conversationId) === hasten) lingering.delete(conversationId);
		};
	}

	#emit(event: AgyEvent): void {
		if (event.type === "conversation") {
			// A repeated call continues the conversation that was told already.
			if (this.#conversationTold === event.id) return;
			this.#conversationTold = event.id;
			this.#markAsOurs(event.id);
		}
		this.#events.push(event);
		const forbidden = forbiddenToolUse(this.#request, event);
		if (forbidden !== undefined) this.#stop({ kind: "failed", failure: forbidden }, "own tool");
	}

	/** Tells other runs that look for theirs that this conversation is taken. */
	#markAsOurs(id: string): void {
		if (this.#conversations.has(id)) return;
		this.#conversations.add(id);
		const { table, clock, folders } = this.#context;
		const locking = lockConversation(folders.locks, id, { table, clock, limitMs: 0 }).catch(() => undefined);
		this.#releases.push(async () => {
			const lock = await locking;
			if (lock?.kind === "held") lock.lock.release();
		});
	}

	#fail(failure: Failure): void {
		this.#end({ kind: "failed", failure }, this.#attempt?.facts, "before agy");
	}

	#end(outcome: Outcome, facts: LedgerFacts | undefined, sign: string): void {
		const progress = progressOf(facts, this.#attempt?.conversationId);
		if (!this.#events.end({ type: "end", outcome, progress })) return;
		this.#log.ended(outcome, progress, sign);
	}
}

/**
 * agy that says it succeeded, shows nothing and did nothing, mostly answers the second time. One that was started before the
 * key ring was ready takes itself for signed out (seen with agy 1.2.1, for about two seconds).
 */
function isWorthRepeating({ outcome, facts, sign }: AttemptEnd): boolean {
	if (outcome.kind !== "failed" || facts.toolsRan || facts.textSeen) return false;
	const { failure } = outcome;
	return (
		failure.kind === "empty-answer" || (failure.kind === "not-signed-in" && !failure.expired && sign !== "deadline")
	);
}

function graceAfter({ outcome, gracefully, leftInBackground }: AttemptEnd, settings: Settings): number {
	if (outcome.kind === "cancelled" || !gracefully) return 0;
	const seconds = leftInBackground ? settings.backgroundGraceSeconds : 0;
	return Math.max(settings.exitGraceSeconds, seconds) * 1_000;
}

function progressOf(facts: LedgerFacts | undefined, conversationId: string | undefined): RunProgress {
	return {
		lastStep: facts?.lastStep ?? -1,
		promptSeen: facts?.promptSeen ?? false,
		toolsRan: facts?.toolsRan ?? false,
		textSeen: facts?.textSeen ?? false,
		...(conversationId !== undefined && { conversationId }),
		...(facts?.trajectory && { trajectory: facts.trajectory }),
	};
}

/** What kept a run from being started at all, from an error that was thrown. */
function failureOf(error: unknown): Failure {
	if (error instanceof SqliteMissingError) return { kind: "sqlite-missing" };
	const cause = messageOf(error);
	const problem = `The run could not be set up: ${cause}.`;
	return { kind: "bad-request", problem, remedy: "Check that pi's agent folder can be written to." };
}
