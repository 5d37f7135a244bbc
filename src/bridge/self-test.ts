import type { Clock } from "../engine/clock.ts";
import type { Engine, ModelChoice } from "../engine/engine.ts";
import type { AgyEvent, EndEvent } from "../engine/events.ts";
import type { Failure } from "../engine/failure.ts";
import { errorAnswer } from "./mcp-answer.ts";
import type { BridgeServer } from "./server.ts";
import { listTools } from "./tool-list.ts";

/** What came of starting agy only to see whether it connects. */
export type SelfTestResult =
	/** `by` is the registration that led it here; `ms` the time from its start. */
	| { readonly kind: "connected"; readonly by: string; readonly ms: number }
	| { readonly kind: "not-connected" }
	| { readonly kind: "failed"; readonly failure: Failure };

export interface SelfTestRun {
	/** Absolute. */
	readonly cwd: string;
	/** What answers where agy does not connect. agy's own default when absent. */
	readonly model?: ModelChoice;
}

export interface SelfTestOptions extends SelfTestRun {
	readonly server: Pick<BridgeServer, "open">;
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
export async function runSelfTest({ server, engine, clock, cwd, model }: SelfTestOptions): Promise<SelfTestResult> {
	const connection = Promise.withResolvers<void>();
	const endpoint = await server.open({
		connected() {
			connection.resolve();
			return listTools([], "wait");
		},
		call: async () => errorAnswer("This is a test; there are no tools."),
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
		toolServer: endpoint,
	});
	const limit = Promise.withResolvers<void>();
	const cancelLimit = clock.after(LIMIT_MS, limit.resolve);
	const end = await Promise.race([endOf(run.events), connection.promise, limit.promise]);
	const ms = clock.now() - startedAt;
	cancelLimit();
	run.cancel("shutdown");
	await run.settled;
	await endpoint.close();
	const { connectedBy } = endpoint;
	if (connectedBy !== undefined) return { kind: "connected", by: connectedBy, ms };
	if (end?.outcome.kind === "failed") return { kind: "failed", failure: end.outcome.failure };
	return { kind: "not-connected" };
}

async function endOf(events: AsyncIterable<AgyEvent>): Promise<EndEvent | undefined> {
	for await (const event of events) if (event.type === "end") return event;
	return undefined;
}
