import type { Clock } from "../engine/clock.ts";
import type { Engine } from "../engine/engine.ts";
import type { AgyEvent, EndEvent } from "../engine/events.ts";
import type { Failure } from "../engine/failure.ts";
import { problem } from "./mcp-answer.ts";
import { listTools } from "./offer.ts";
import type { BridgeServer } from "./server.ts";

/** What came of starting agy only to see whether it connects. */
export type Trial =
	/** `door` is the way it took; `ms` the time from its start. */
	| { readonly kind: "connected"; readonly door: string; readonly ms: number }
	| { readonly kind: "not-connected" }
	| { readonly kind: "failed"; readonly failure: Failure };

export interface TrialOptions {
	readonly server: BridgeServer;
	readonly engine: Engine;
	readonly clock: Clock;
	/** Absolute. */
	readonly cwd: string;
}

/** How long agy may take to connect, in milliseconds. */
const LIMIT_MS = 60_000;

/**
 * Starts agy on a throw-away conversation and ends it as soon as it connects, mostly before it has asked a model anything.
 * Resolves when agy is gone. Rejects when no port can be had.
 */
export async function tryBridge({ server, engine, clock, cwd }: TrialOptions): Promise<Trial> {
	const connection = Promise.withResolvers<void>();
	let reached: string | undefined;
	const berth = await server.admit({
		connected(door) {
			reached ??= door;
			connection.resolve();
			return listTools([], "wait");
		},
		call: async () => problem("This is a test; there are no tools."),
	});
	const startedAt = clock.now();
	const run = engine.start({
		prompt: "Answer with one word: ready",
		cwd,
		addDirs: [],
		mode: "accept-edits",
		permissions: "deny",
		purpose: "delegation",
		literalPrompt: true,
		toolServer: {
			url: berth.url,
			headers: berth.headers,
			get reached() {
				return reached;
			},
		},
	});
	const limit = Promise.withResolvers<void>();
	const cancelLimit = clock.after(LIMIT_MS, limit.resolve);
	const end = await Promise.race([endOf(run.events), connection.promise, limit.promise]);
	const ms = clock.now() - startedAt;
	cancelLimit();
	run.cancel("shutdown");
	await run.settled;
	await berth.leave();
	if (reached !== undefined) return { kind: "connected", door: reached, ms };
	if (end?.outcome.kind === "failed") return { kind: "failed", failure: end.outcome.failure };
	return { kind: "not-connected" };
}

async function endOf(events: AsyncIterable<AgyEvent>): Promise<EndEvent | undefined> {
	for await (const event of events) if (event.type === "end") return event;
	return undefined;
}
