import type { Engine, Run, RunRequest } from "../../src/engine/engine.ts";
import type {
	AgyEvent,
	CancelReason,
	GenerationEvent,
	Outcome,
	RunProgress,
	StepRef,
	TextEvent,
	TokenUsage,
	ToolEvent,
	ToolState,
	UsageEvent,
} from "../../src/engine/events.ts";

/** An engine whose runs say what a test tells them to say. */
export class FakeEngine implements Engine {
	readonly name = "fake";
	readonly runs: FakeRun[] = [];
	readonly #onStart: ((run: FakeRun) => void) | undefined;

	/** `onStart` scripts each run as it begins. */
	constructor(onStart?: (run: FakeRun) => void) {
		this.#onStart = onStart;
	}

	start(request: RunRequest): FakeRun {
		const run = new FakeRun(request);
		this.runs.push(run);
		this.#onStart?.(run);
		return run;
	}

	get last(): FakeRun {
		const run = this.runs.at(-1);
		if (run === undefined) throw new Error("no run was started");
		return run;
	}
}

export class FakeRun implements Run {
	readonly request: RunRequest;
	readonly events: AsyncIterable<AgyEvent>;
	readonly settled: Promise<void>;
	cancelledBy: CancelReason | undefined;
	readonly #queue: AgyEvent[] = [];
	#wake: () => void = () => {};
	#ended = false;
	#settle: () => void = () => {};

	constructor(request: RunRequest) {
		this.request = request;
		this.events = this.#read();
		this.settled = new Promise((resolve) => {
			this.#settle = resolve;
		});
	}

	emit(...events: AgyEvent[]): void {
		for (const event of events) {
			if (this.#ended) return;
			if (event.type === "end") {
				this.#ended = true;
				this.#settle();
			}
			this.#queue.push(event);
		}
		this.#wake();
	}

	end(outcome: Outcome = { kind: "answered" }, progress: Partial<RunProgress> = {}): void {
		this.emit({ type: "end", outcome, progress: { ...NO_PROGRESS, ...progress } });
	}

	cancel(reason: CancelReason): void {
		this.cancelledBy ??= reason;
		this.end({ kind: "cancelled", by: reason });
	}

	async *#read(): AsyncIterable<AgyEvent> {
		for (;;) {
			const event = this.#queue.shift();
			if (event !== undefined) {
				yield event;
				if (event.type === "end") return;
				continue;
			}
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
	}
}

const NO_PROGRESS: RunProgress = { lastStep: 3, promptSeen: true, toolsRan: false, textSeen: true };

export function at(index: number, trajectory = "t1"): StepRef {
	return { trajectory, index };
}

export function text(index: number, delta: string): TextEvent {
	return { type: "text", step: at(index), delta };
}

export function thinking(index: number, delta: string): TextEvent {
	return { type: "thinking", step: at(index), delta };
}

export function generation(
	index: number,
	state: "started" | "done" | "failed",
	toolCallIds?: string[],
): GenerationEvent {
	return { type: "generation", step: at(index), state, ...(toolCallIds && { toolCallIds }) };
}

/** A command, unless `more` says otherwise. */
export function tool(index: number, state: ToolState, more: Partial<ToolEvent> = {}): ToolEvent {
	return {
		type: "tool",
		step: at(index),
		callId: `call-${index}`,
		name: "run_command",
		kind: "command",
		args: {},
		summary: "npm test",
		state,
		...more,
	};
}

export function usage(index: number, counts: Partial<TokenUsage>, isAnswer = true): UsageEvent {
	const usage = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, ...counts };
	return { type: "usage", step: at(index), usage, isAnswer };
}
