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

interface Parked {
	readonly call: PiCall;
	readonly handle: string;
	readonly beganAt: number;
	readonly waiters: Set<Waiter>;
	/** pi has been told to run it. */
	begun: boolean;
	/** agy was given the handle: it counts on the call although nobody may be waiting just now. */
	promised: boolean;
	result: CallResult | undefined;
	/** agy has the result. */
	delivered: boolean;
}

interface Waiter {
	readonly answer: (reply: Reply) => void;
	cancelTimer: () => void;
}

export interface Attendance {
	readonly call: PiCall;
	/** False when it joined a call that pi has already, so that nothing runs twice. */
	readonly isNew: boolean;
	/** agy does not wait for this answer any more. */
	letGo(): void;
}

/**
 * agy's calls of pi's tools in one run, from the call to the answer. A call is answered once by its result, or by a handle
 * when that takes too long; then agy can wait again. No I/O: who asked is a function to answer with.
 */
export class ParkedCalls {
	readonly #options: ParkedCallsOptions;
	readonly #byId = new Map<string, Parked>();
	#closed = false;

	constructor(options: ParkedCallsOptions) {
		this.#options = options;
	}

	/**
	 * A call of agy. `answer` is called exactly once, unless it is let go. The same call again, while the first one is still
	 * going on and nobody waits for it (a lost connection), joins that.
	 */
	park(tool: string, args: JsonObject, answer: (reply: Reply) => void): Attendance {
		const same = [...this.#byId.values()].find((parked) => isAbandoned(parked) && isSameCall(parked, tool, args));
		const parked = same ?? this.#add({ id: this.#options.newId(), tool, args });
		const letGo = this.#attend(parked, answer);
		return { call: parked.call, isNew: same === undefined, letGo };
	}

	/** agy waits (again) for a call it was given the handle of. */
	wait(handle: string, answer: (reply: Reply) => void): () => void {
		const parked = [...this.#byId.values()].find((candidate) => candidate.promised && candidate.handle === handle);
		if (parked !== undefined) return this.#attend(parked, answer);
		answer({ kind: "unknown-handle", handle });
		return () => {};
	}

	/** pi is about to run the call. False: agy does not want it any more, and it must not run. */
	begin(id: string): boolean {
		const parked = this.#byId.get(id);
		if (parked === undefined || this.#closed) return false;
		parked.begun = true;
		return true;
	}

	has(id: string): boolean {
		return this.#byId.has(id);
	}

	/** pi has the result. The first one counts. */
	finish(id: string, result: CallResult): void {
		const parked = this.#byId.get(id);
		if (parked === undefined || parked.result !== undefined) return;
		parked.result = result;
		for (const waiter of parked.waiters) this.#deliver(parked, waiter);
	}

	/** The run is over: whoever waits is told that the call was cancelled, and what pi has not begun never begins. Idempotent. */
	close(): void {
		this.#closed = true;
		for (const parked of this.#byId.values()) {
			for (const waiter of [...parked.waiters]) this.#answer(parked, waiter, { kind: "cancelled" });
			if (!parked.begun) this.#byId.delete(parked.call.id);
		}
	}

	/** Calls that pi has begun, and whose results agy has not seen. */
	unseen(): readonly PiCall[] {
		return [...this.#byId.values()].filter((parked) => parked.begun && !parked.delivered).map(({ call }) => call);
	}

	#add(call: PiCall): Parked {
		const parked: Parked = {
			call,
			handle: `${call.tool}-${this.#byId.size + 1}`,
			beganAt: this.#options.clock.now(),
			waiters: new Set(),
			begun: false,
			promised: false,
			result: undefined,
			delivered: false,
		};
		this.#byId.set(call.id, parked);
		return parked;
	}

	#attend(parked: Parked, answer: (reply: Reply) => void): () => void {
		const waiter: Waiter = { answer, cancelTimer: () => {} };
		parked.waiters.add(waiter);
		if (this.#closed) this.#answer(parked, waiter, { kind: "cancelled" });
		else if (parked.result !== undefined) this.#deliver(parked, waiter);
		else this.#setTimer(parked, waiter);
		return () => this.#letGo(parked, waiter);
	}

	#setTimer(parked: Parked, waiter: Waiter): void {
		const { clock, answerAfterMs } = this.#options;
		const left = parked.beganAt + LONGEST_WAIT_MS - clock.now();
		const { tool } = parked.call;
		const reply: Reply =
			left > answerAfterMs ? { kind: "still-running", tool, handle: parked.handle } : { kind: "too-long", tool };
		waiter.cancelTimer = clock.after(Math.max(0, Math.min(answerAfterMs, left)), () => {
			parked.promised = true;
			this.#answer(parked, waiter, reply);
		});
	}

	#letGo(parked: Parked, waiter: Waiter): void {
		if (!parked.waiters.delete(waiter)) return;
		waiter.cancelTimer();
		if (parked.waiters.size === 0 && !parked.begun && !parked.promised) this.#byId.delete(parked.call.id);
	}

	#deliver(parked: Parked, waiter: Waiter): void {
		if (parked.result === undefined) return;
		parked.delivered = true;
		this.#answer(parked, waiter, { kind: "result", result: parked.result });
	}

	#answer(parked: Parked, waiter: Waiter, reply: Reply): void {
		parked.waiters.delete(waiter);
		waiter.cancelTimer();
		waiter.answer(reply);
	}
}

/** Nobody waits for its answer, and nobody had it. */
function isAbandoned({ waiters, begun, promised, delivered }: Parked): boolean {
	return waiters.size === 0 && (begun || promised) && !delivered;
}

function isSameCall({ call }: Parked, tool: string, args: JsonObject): boolean {
	return call.tool === tool && JSON.stringify(call.args) === JSON.stringify(args);
}
