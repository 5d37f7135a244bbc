import type { SessionBridge } from "../bridge/session-bridge.ts";
import type { ConversationPlanner } from "../conversation/plan.ts";
import type { Engine, Run } from "../engine/engine.ts";
import type { AgyEvent, CancelReason } from "../engine/events.ts";
import type { Failure } from "../engine/failure.ts";
import { messageOf } from "../engine/thrown.ts";

/**
 * Something whose code is imported when it is first needed, or when pi has started. pi waits for everything that an extension
 * imports at once, and most of what a turn takes is of no use before the first one.
 */
export interface Lazy<T> {
	/** Imports and makes it; what was made already is given again. */
	get(): Promise<T>;
	/** Undefined when it was not needed yet. */
	readonly begun: Promise<T> | undefined;
}

/** Something that `load` imports and makes, once. */
export function lazy<T>(load: () => Promise<T>): Lazy<T> {
	let begun: Promise<T> | undefined;
	return {
		get() {
			begun ??= load();
			return begun;
		},
		get begun() {
			return begun;
		},
	};
}

/** An engine that is loaded with its first run. */
export function lazyEngine(name: string, engine: Lazy<Engine>): Engine {
	return {
		name,
		start: (request) =>
			new LazyRun(
				engine.get().then(
					(loaded) => loaded.start(request),
					(error: unknown) => notLoaded(error),
				),
			),
	};
}

class LazyRun implements Run {
	readonly events: AsyncIterable<AgyEvent>;
	readonly settled: Promise<void>;
	readonly #run: Promise<Run>;

	constructor(run: Promise<Run>) {
		this.#run = run;
		this.events = eventsOf(run);
		this.settled = run.then(({ settled }) => settled);
	}

	cancel(reason: CancelReason): void {
		void this.#run.then((run) => run.cancel(reason));
	}
}

async function* eventsOf(run: Promise<Run>): AsyncIterable<AgyEvent> {
	yield* (await run).events;
}

/** Seen when the package is replaced or removed while pi runs. */
function notLoaded(error: unknown): Run {
	const cause = messageOf(error);
	const failure: Failure = {
		kind: "bad-request",
		problem: `A part of pi-antigravity-cli could not be loaded: ${cause}.`,
		remedy: "Start pi again; if that does not help, install the package again.",
	};
	const progress = { lastStep: -1, promptSeen: false, toolsRan: false, textSeen: false };
	async function* events(): AsyncIterable<AgyEvent> {
		yield { type: "end", outcome: { kind: "failed", failure }, progress };
	}
	return { events: events(), settled: Promise.resolve(), cancel() {} };
}

/** A planner that is loaded with its first plan. */
export function lazyPlanner(planner: Lazy<ConversationPlanner>): ConversationPlanner {
	return {
		plan: async (input) => (await planner.get()).plan(input),
		started: async (plan, conversationId) => (await planner.get()).started(plan, conversationId),
		finished: async (plan, end, answer) => (await planner.get()).finished(plan, end, answer),
		wordsOnly: async (input) => (await planner.get()).wordsOnly(input),
		// One that has planned nothing has nothing to clear away.
		sessionEnded: async (sessionId) => (await planner.begun)?.sessionEnded(sessionId),
		prune: async () => (await planner.get()).prune(),
	};
}

/** What a session needs of its bridge at any time, also before it is loaded. */
export interface LazyBridge extends Pick<SessionBridge, "prepareRun" | "toolEnded" | "close"> {
	/** The bridge itself. */
	load(): Promise<SessionBridge>;
}

/** A bridge that is loaded with its first turn; one that has offered nothing has nothing to be told. */
export function lazyBridge(bridge: Lazy<SessionBridge>): LazyBridge {
	const tell = (what: (loaded: SessionBridge) => void) => void bridge.begun?.then(what, () => {});
	return {
		load: () => bridge.get(),
		prepareRun: async (request, context) => (await bridge.get()).prepareRun(request, context),
		toolEnded: (id, result) => tell((loaded) => loaded.toolEnded(id, result)),
		close: () => tell((loaded) => loaded.close()),
	};
}
