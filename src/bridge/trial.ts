import type { Clock } from "../engine/clock.ts";
import type { Engine, ModelChoice } from "../engine/engine.ts";
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

export interface TrialRun {
	/** Absolute. */
	readonly cwd: string;
	/** What answers where agy does not connect. agy's own default when absent. */
	readonly model?: ModelChoice;
}

export interface TrialOptions extends TrialRun {
	readonly server: Pick<BridgeServer, "admit">;
	readonly engine: Engine;
	readonly clock: Clock;
}

/** How long agy may take to connect, in milliseconds. */
const LIMIT_MS = 60_000;

/**
 * Starts agy on a conversation of its own and ends it as soon as it connects: agy waits for its MCP servers before the first
 * request, so mostly no model was asked. An agy that does not connect answers a few words, so this is only for people who
 * asked for it. Resolves when agy is gone. Rejects when no port can be had.
 */
export async function tryBridge({ server, engine, clock, cwd, model }: TrialOptions): Promise<Trial> {
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
		...(model !== undefined && { model }),
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
