import { randomUUID } from "node:crypto";
import type { Clock } from "../engine/clock.ts";
import type { Log } from "../engine/log.ts";
import type { Binding, SessionRecord } from "./binding.ts";
import { bindingOf, type ClaimJudge, claimed, isHeldByOther, released, withBinding } from "./record.ts";
import type { SessionStore } from "./session-store.ts";

export interface ClaimedRecordsOptions {
	readonly store: SessionStore;
	readonly clock: Clock;
	readonly log: Log;
	/** This process. */
	readonly pid: number;
	readonly isAlive: (pid: number) => boolean;
	/** The longest that a turn may take; asked for at each use. */
	readonly turnSeconds: () => number;
}

/** How long after its deadline a turn may still hold its conversation. */
const CLAIM_GRACE_MS = 600_000;

/**
 * The records of the sessions as one planner sees them, and its claims in them: while a turn runs on a conversation, no other
 * process starts one on it. No method rejects: a store that fails costs continuity, never the turn.
 */
export class ClaimedRecords {
	readonly #options: ClaimedRecordsOptions;
	readonly #owner = randomUUID();

	constructor(options: ClaimedRecordsOptions) {
		this.#options = options;
	}

	/** An empty record where it cannot be read. */
	async read(sessionId: string): Promise<SessionRecord> {
		const { store, log } = this.#options;
		try {
			return await store.read(sessionId);
		} catch (error) {
			log.info("conversation.unreadable", { cause: String(error) });
			return { sessionId, bindings: [] };
		}
	}

	async update(sessionId: string, change: (record: SessionRecord) => SessionRecord): Promise<void> {
		const { store, log } = this.#options;
		try {
			await store.update(sessionId, change);
		} catch (error) {
			log.info("conversation.not-written", { cause: String(error) });
		}
	}

	/** Claims a conversation for a turn. False when another process has taken, or removed, it since it was read. */
	async claim(sessionId: string, conversationId: string): Promise<boolean> {
		let isFree = true;
		await this.update(sessionId, (record) => {
			const binding = bindingOf(record, conversationId);
			isFree = binding !== undefined && !this.isHeldByOther(binding);
			return binding && isFree ? withBinding(record, this.claimed(binding)) : record;
		});
		return isFree;
	}

	/** Takes back the claim of a turn that is not going to be. */
	async giveUp(sessionId: string, conversationId: string): Promise<void> {
		await this.update(sessionId, (record) => {
			const binding = bindingOf(record, conversationId);
			return binding?.claim?.owner === this.#owner ? withBinding(record, released(binding)) : record;
		});
	}

	/** The binding with a claim of this planner. */
	claimed(binding: Binding): Binding {
		const { pid, clock } = this.#options;
		return claimed(binding, { owner: this.#owner, pid, at: clock.now() });
	}

	/** Whether somebody else runs a turn on the conversation. */
	isHeldByOther(binding: Binding): boolean {
		const { isAlive, clock, turnSeconds } = this.#options;
		const maxAgeMs = turnSeconds() * 1000 + CLAIM_GRACE_MS;
		const judge: ClaimJudge = { owner: this.#owner, isAlive, now: clock.now(), maxAgeMs };
		return isHeldByOther(binding, judge);
	}

	/** Whether the binding has a claim of somebody else, dead or alive. */
	isClaimedByOther({ claim }: Binding): boolean {
		return claim !== undefined && claim.owner !== this.#owner;
	}
}
