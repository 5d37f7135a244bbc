import { LoopGuard } from "../bridge/loop-guard.ts";
import type { BridgeServer } from "../bridge/server.ts";
import { systemClock } from "../engine/clock.ts";
import type { TurnParts } from "../provider/turn.ts";
import type { Pool } from "../quota/quota-footer.ts";
import type { QuotaMemory } from "../quota/quota-reader.ts";
import { type Lazy, lazy } from "./lazy.ts";
import type { PiSession } from "./pi-session.ts";

/** What the sessions of one pi process share. pi calls the extension once for each session, and loads its modules once. */
export interface SharedState {
	/**
	 * The sessions that live, by id, each with its own parts. Sessions that share a model runtime share the provider that was
	 * registered last, so a call has to find its session by the id it carries.
	 */
	readonly sessions: Map<string, { readonly session: PiSession; readonly parts: TurnParts }>;
	/** One server offers the tools of all sessions to agy. It runs while there are sessions. */
	readonly bridgeServer: Lazy<BridgeServer>;
	/** What pi runs on agy's behalf is counted in one place. */
	readonly loopGuard: LoopGuard;
	/** When each used-up pool of quota is back, in milliseconds since the epoch: the quota is the account's. */
	readonly usedUp: Map<Pool, number>;
	/** What agy said last of the quota. */
	readonly quotaMemory: QuotaMemory;
}

/** For one process. `env` is its own environment, which the guard marks while pi runs a tool for agy. */
export function createSharedState(env: NodeJS.ProcessEnv): SharedState {
	return {
		sessions: new Map(),
		bridgeServer: lazy(async () => {
			const { BridgeServer } = await import("../bridge/server.ts");
			return new BridgeServer(systemClock);
		}),
		loopGuard: new LoopGuard(env),
		usedUp: new Map(),
		quotaMemory: {},
	};
}

/** That of this process. */
export const sharedState: SharedState = createSharedState(process.env);
