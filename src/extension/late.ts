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
export interface Late<T> {
	/** Imports and makes it; what was made already is given again. */
	get(): Promise<T>;
	/** Undefined when it was not needed yet. */
	readonly begun: Promise<T> | undefined;
}

/** Something that `load` imports and makes, once. */
export function late<T>(load: () => Promise<T>): Late<T> {
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
export function lateEngine(name: string, engine: Late<Engine>): Engine {
	return {
		name,
		start: (request) =>
			new LateRun(
				engine.get().then(
					(loaded) => loaded.start(request),
					(error: unknown) => notLoaded(error),
				),
			),
	};
}

class LateRun implements Run {
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
export function latePlanner(planner: Late<ConversationPlanner>): ConversationPlanner {
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

/** What a session needs of its bridge at any time, and the bridge itself. */
export interface LateBridge extends Pick<SessionBridge, "prepareRun" | "toolEnded" | "close"> {
	readonly bridge: Late<SessionBridge>;
}

/** A bridge that is loaded with its first turn; one that has offered nothing has nothing to be told. */
export function lateBridge(bridge: Late<SessionBridge>): LateBridge {
	const tell = (what: (loaded: SessionBridge) => void) => void bridge.begun?.then(what, () => {});
	return {
		bridge,
		prepareRun: async (request, context) => (await bridge.get()).prepareRun(request, context),
		toolEnded: (id, result) => tell((loaded) => loaded.toolEnded(id, result)),
		close: () => tell((loaded) => loaded.close()),
	};
}
