import type { ToolResultMessage } from "@earendil-works/pi-ai";
import type { BridgedCalls } from "../bridge/run-tools.ts";
import type { Clock } from "../engine/clock.ts";
import type { Run } from "../engine/engine.ts";
import type { ActivityEvent, AgyEvent, CancelReason, EndEvent, NoticeEvent } from "../engine/events.ts";
import type { NextMessage } from "./message-content.ts";
import { RunMessages, type RunState } from "./run-messages.ts";
import type { StepCard } from "./step-card.ts";

export interface LiveRunHooks {
	/** The conversation is known. */
	conversation?(id: string): void;
	activity?(event: ActivityEvent): void;
	title?(text: string): void;
	/** A notice came; it is also shown in the message. */
	notice?(event: NoticeEvent): void;
	/**
	 * The run has ended, once, after its last message. `answer` is the text of all its messages. The run counts as closed
	 * when this is done, also when it rejects.
	 */
	ended(end: EndEvent, answer: string): Promise<void>;
	/** Nothing of agy's processes is left. Must not reject. */
	closed?(): Promise<void>;
}

/**
 * One run of agy as a pi session sees it, from its start to the last trace of it: reads its events at once, tells the session
 * what is not for a message, and stops it when asked to.
 */
export class LiveRun {
	/** Resolves when the run is over and `hooks.ended` is done. Never rejects. */
	readonly recorded: Promise<void>;
	/** Resolves when besides nothing of agy's processes is left and `hooks.closed` is done. Never rejects. */
	readonly closed: Promise<void>;
	readonly #run: Run;
	readonly #hooks: LiveRunHooks;
	readonly #calls: BridgedCalls | undefined;
	readonly #messages: RunMessages;
	#end: EndEvent | undefined;
	#isReported = false;
	readonly #signals = new Set<AbortSignal>();
	#reported: () => void = () => {};

	/** `calls` are those of pi's tools, where agy is offered any. */
	constructor(run: Run, clock: Clock, hooks: LiveRunHooks, calls?: BridgedCalls) {
		this.#run = run;
		this.#hooks = hooks;
		this.#calls = calls;
		this.#messages = new RunMessages(clock, calls, () => this.#reportOnce());
		this.recorded = new Promise<void>((resolve) => {
			this.#reported = resolve;
		});
		this.closed = Promise.all([this.recorded, this.#pump(), run.settled]).then(() => hooks.closed?.());
	}

	get state(): RunState {
		return this.#messages.state;
	}

	/** Ends the run and the message being written when `signal` fires, also while the run is parked. */
	watch(signal: AbortSignal | undefined): void {
		if (signal === undefined || this.#signals.has(signal)) return;
		this.#signals.add(signal);
		const abort = () => this.abort();
		signal.addEventListener("abort", abort, { once: true });
		void this.recorded.then(() => signal.removeEventListener("abort", abort));
		if (signal.aborted) abort();
	}

	/** Goes on in this message. Not while another one is being written. */
	continueIn(message: NextMessage): void {
		this.#messages.begin(message);
	}

	/** Writes what waits into a message of another run. */
	tellWaiting(message: NextMessage): void {
		this.#messages.tellWaiting(message);
	}

	card(id: string): StepCard | undefined {
		return this.#messages.cards.find(id);
	}

	/** Whether agy has called the pi tool of this call. */
	isBridged(callId: string): boolean {
		return this.#calls?.has(callId) ?? false;
	}

	/** Gives agy the results of the tools it has called. */
	deliver(results: readonly ToolResultMessage[]): void {
		for (const result of results) this.#calls?.finish(result);
	}

	/** The person has had enough: the message ends as aborted and agy is stopped. */
	abort(): void {
		this.#messages.abort();
		this.cancel("user");
	}

	/** Stops agy. A message that is being written ends with the run's `end`; what waits for a later one is dropped. Idempotent. */
	cancel(reason: CancelReason): void {
		this.#calls?.end(undefined);
		this.#run.cancel(reason);
		if (this.state === "parked") this.#messages.abort();
	}

	async #pump(): Promise<void> {
		try {
			for await (const event of this.#run.events) this.#route(event);
		} catch {
			// An engine keeps its promise to end; this is for the day when one does not. A message is never left open.
			if (this.state === "streaming") this.#messages.abort();
		}
		if (this.#end === undefined) this.#route(BROKEN_OFF);
	}

	#route(event: AgyEvent): void {
		switch (event.type) {
			case "conversation":
				this.#messages.cards.belongTo(event.id);
				this.#hooks.conversation?.(event.id);
				return;
			case "title":
				this.#hooks.title?.(event.text);
				return;
			case "activity":
				this.#hooks.activity?.(event);
				return;
			case "subagent":
				return;
			case "end":
				this.#end = event;
				this.#endCalls(event);
				this.#messages.add(event);
				this.#reportOnce();
				return;
			case "notice":
				this.#hooks.notice?.(event);
				this.#messages.add(event);
				return;
			case "tool":
			case "text":
			case "thinking":
			case "rewrite":
			case "generation":
			case "usage":
				this.#messages.add(event);
		}
	}

	#endCalls(end: EndEvent): void {
		const text = this.#calls?.end(end);
		if (text === undefined) return;
		const notice: NoticeEvent = { type: "notice", level: "warning", code: "other", text };
		this.#hooks.notice?.(notice);
		this.#messages.add(notice);
	}

	/** Both agy's end and the last message's are needed, and either may come first. */
	#reportOnce(): void {
		const end = this.#end;
		if (end === undefined || this.state !== "over" || this.#isReported) return;
		this.#isReported = true;
		void this.#hooks.ended(end, this.#messages.answer).then(this.#reported, this.#reported);
	}
}

/** What an engine that broke off without an end should have said. */
const BROKEN_OFF: EndEvent = {
	type: "end",
	outcome: { kind: "failed", failure: { kind: "cancelled-by-agy" } },
	progress: { lastStep: -1, promptSeen: true, toolsRan: true, textSeen: false },
};
