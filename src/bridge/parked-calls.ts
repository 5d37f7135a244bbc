import type { ImageContent, TextContent } from "@earendil-works/pi-ai";
import type { Clock } from "../engine/clock.ts";
import type { JsonObject, JsonValue } from "../engine/events.ts";

/** A tool of pi that agy has called. */
export interface PiCall {
	/** pi's tool call id. */
	readonly id: string;
	readonly tool: string;
	readonly args: JsonObject;
}

export interface CallResult {
	readonly content: readonly (TextContent | ImageContent)[];
	readonly structuredContent?: JsonValue;
	readonly isError: boolean;
}

/** What agy is told about a call. */
export type Reply =
	| { readonly kind: "result"; readonly result: CallResult }
	/** It takes long: agy may ask again with the handle. */
	| { readonly kind: "still-running"; readonly tool: string; readonly handle: string }
	/** It takes longer than anybody should wait. Its result comes with the next turn. */
	| { readonly kind: "too-long"; readonly tool: string }
	| { readonly kind: "unknown-handle"; readonly handle: string }
	| { readonly kind: "cancelled" };

export interface ParkedCallsOptions {
	readonly clock: Clock;
	/** How long agy is kept waiting for one answer. */
	readonly answerAfterMs: number;
	/** A pi tool call id that was never used. */
	readonly newId: () => string;
}

/** Longest time, from its call on, that agy can wait for a tool. */
export const LONGEST_WAIT_MS = 30 * 60_000;

type Answer = (reply: Reply) => void;

interface Entry {
	readonly call: PiCall;
	readonly handle: string;
	readonly calledAt: number;
	/** Each answers one request of agy. */
	readonly waiting: Set<Answer>;
	/** pi has been told to run it. */
	begun: boolean;
	/** agy counts on the call although no request may be waiting just now. */
	handleGiven: boolean;
	result: CallResult | undefined;
	/** agy has the result. */
	delivered: boolean;
}

export interface ParkedCall {
	readonly call: PiCall;
	/** False when it joined a call that pi has already, so that nothing runs twice. */
	readonly isNew: boolean;
	/** agy does not wait for this answer any more. */
	drop(): void;
}

/**
 * agy's calls of pi's tools in one run, from the call to the answer. A call is answered once by its result, or by a handle
 * when that takes too long; then agy can wait again. No I/O: who asked is a function to answer with.
 */
export class ParkedCalls {
	readonly #options: ParkedCallsOptions;
	readonly #byId = new Map<string, Entry>();
	#closed = false;

	constructor(options: ParkedCallsOptions) {
		this.#options = options;
	}

	/**
	 * A call of agy. `answer` is called exactly once, unless it is dropped. The same call again, while the first one is still
	 * going on and nobody waits for it (a lost connection), joins that.
	 */
	park(tool: string, args: JsonObject, answer: Answer): ParkedCall {
		const same = [...this.#byId.values()].find((entry) => isAbandoned(entry) && isSameCall(entry, tool, args));
		const entry = same ?? this.#add({ id: this.#options.newId(), tool, args });
		return { call: entry.call, isNew: same === undefined, drop: this.#wait(entry, answer) };
	}

	/** agy waits (again) for a call it was given the handle of. Returns what to call when it stops to. */
	wait(handle: string, answer: Answer): () => void {
		const entry = [...this.#byId.values()].find((candidate) => candidate.handleGiven && candidate.handle === handle);
		if (entry !== undefined) return this.#wait(entry, answer);
		answer({ kind: "unknown-handle", handle });
		return () => {};
	}

	/** pi is about to run the call. False: agy does not want it any more, and it must not run. */
	begin(id: string): boolean {
		const entry = this.#byId.get(id);
		if (entry === undefined || this.#closed) return false;
		entry.begun = true;
		return true;
	}

	has(id: string): boolean {
		return this.#byId.has(id);
	}

	/** pi has the result. The first one counts. */
	finish(id: string, result: CallResult): void {
		const entry = this.#byId.get(id);
		if (entry === undefined || entry.result !== undefined) return;
		entry.result = result;
		for (const answer of [...entry.waiting]) deliver(entry, result, answer);
	}

	/** The run is over: whoever waits is told that the call was cancelled, and what pi has not begun never begins. Idempotent. */
	close(): void {
		this.#closed = true;
		for (const { waiting, begun, call } of this.#byId.values()) {
			for (const answer of [...waiting]) answer({ kind: "cancelled" });
			if (!begun) this.#byId.delete(call.id);
		}
	}

	/** Calls that pi has begun, and whose results agy has not got. */
	undelivered(): readonly PiCall[] {
		return [...this.#byId.values()].filter(({ begun, delivered }) => begun && !delivered).map(({ call }) => call);
	}

	#add(call: PiCall): Entry {
		const entry: Entry = {
			call,
			handle: `${call.tool}-${this.#byId.size + 1}`,
			calledAt: this.#options.clock.now(),
			waiting: new Set(),
			begun: false,
			handleGiven: false,
			result: undefined,
			delivered: false,
		};
		this.#byId.set(call.id, entry);
		return entry;
	}

	#wait(entry: Entry, answer: Answer): () => void {
		const { call, waiting } = entry;
		let cancelTimer = () => {};
		const answerOnce = (reply: Reply) => {
			cancelTimer();
			waiting.delete(answerOnce);
			answer(reply);
		};
		waiting.add(answerOnce);
		if (this.#closed) answerOnce({ kind: "cancelled" });
		else if (entry.result !== undefined) deliver(entry, entry.result, answerOnce);
		else cancelTimer = this.#answerInTime(entry, answerOnce);
		return () => {
			cancelTimer();
			waiting.delete(answerOnce);
			if (waiting.size === 0 && !entry.begun && !entry.handleGiven) this.#byId.delete(call.id);
		};
	}

	/** Answers without the result when that takes too long. Returns what calls it off. */
	#answerInTime(entry: Entry, answer: Answer): () => void {
		const { clock, answerAfterMs } = this.#options;
		const left = entry.calledAt + LONGEST_WAIT_MS - clock.now();
		const { tool } = entry.call;
		return clock.after(Math.max(0, Math.min(answerAfterMs, left)), () => {
			entry.handleGiven = true;
			answer(left > answerAfterMs ? { kind: "still-running", tool, handle: entry.handle } : { kind: "too-long", tool });
		});
	}
}

function deliver(entry: Entry, result: CallResult, answer: Answer): void {
	entry.delivered = true;
	answer({ kind: "result", result });
}

/** Nobody waits for its answer, and nobody had it. */
function isAbandoned({ waiting, begun, handleGiven, delivered }: Entry): boolean {
	return waiting.size === 0 && (begun || handleGiven) && !delivered;
}

function isSameCall({ call }: Entry, tool: string, args: JsonObject): boolean {
	return call.tool === tool && JSON.stringify(call.args) === JSON.stringify(args);
}
