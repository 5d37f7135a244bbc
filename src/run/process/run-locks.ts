import { existsSync } from "node:fs";
import { join } from "node:path";
import { keepNodeAlive } from "./keep-alive.ts";
import { type HeldLock, type LockAttempt, type LockOptions, tryLock } from "./process-lock.ts";

export type LockWait =
	| { readonly kind: "held"; readonly lock: HeldLock }
	| { readonly kind: "aborted" }
	/** Still busy after `limitMs`. */
	| { readonly kind: "busy"; readonly pid: number | undefined };

export interface WaitOptions extends LockOptions {
	readonly signal?: AbortSignal;
	/** Called once, when it turns out that waiting is needed, with the holder's number if it is known. */
	readonly onWaiting?: (pid: number | undefined) => void;
	/** Absent: waits as long as it takes. */
	readonly limitMs?: number;
}

/** How often a busy lock is looked at, in milliseconds. */
const LOOK_EVERY_MS = 100;

/** Waits for the right to run agy on one conversation, across all processes. Rejects when `folder` is not writable. */
export function lockConversation(folder: string, conversationId: string, options: WaitOptions): Promise<LockWait> {
	return waitFor(() => tryLock(conversationLockPath(folder, conversationId), options), options);
}

/** Whether somebody holds that right, or died with it: either way the conversation is not a new one of ours. */
export function isConversationLocked(folder: string, conversationId: string): boolean {
	return existsSync(conversationLockPath(folder, conversationId));
}

function conversationLockPath(folder: string, conversationId: string): string {
	return join(folder, `conversation-${conversationId.replace(/[^A-Za-z0-9_-]/g, "_")}.lock`);
}

/** Waits for a lock of any name, across all processes that use the folder. Rejects when `folder` is not writable. */
export function lockNamed(folder: string, name: string, options: WaitOptions): Promise<LockWait> {
	return waitFor(() => tryLock(join(folder, `${name}.lock`), options), options);
}

/**
 * Waits for one of `max` places. All pi processes that name the same folder share them; the setting may differ between
 * them, each keeps to its own. Rejects when `folder` is not writable.
 */
export function acquireSlot(folder: string, max: number, options: WaitOptions): Promise<LockWait> {
	return waitFor(async () => {
		for (let slot = 0; slot < max; slot++) {
			const attempt = await tryLock(join(folder, `slot-${slot}.lock`), options);
			if (attempt.kind === "held") return attempt;
		}
		return { kind: "busy", pid: undefined };
	}, options);
}

async function waitFor(attempt: () => Promise<LockAttempt>, options: WaitOptions): Promise<LockWait> {
	const letGo = keepNodeAlive();
	try {
		return await lookUntilHeld(attempt, options);
	} finally {
		letGo();
	}
}

async function lookUntilHeld(attempt: () => Promise<LockAttempt>, options: WaitOptions): Promise<LockWait> {
	const { clock, signal, onWaiting, limitMs } = options;
	const began = clock.now();
	for (let tries = 0; ; tries++) {
		if (signal?.aborted) return { kind: "aborted" };
		const result = await attempt();
		if (result.kind === "held") {
			if (!signal?.aborted) return result;
			result.lock.release();
			return { kind: "aborted" };
		}
		if (limitMs !== undefined && clock.now() - began >= limitMs) return result;
		if (tries === 0) onWaiting?.(result.pid);
		await pause(options);
	}
}

function pause({ clock, signal }: WaitOptions): Promise<void> {
	return new Promise((resolve) => {
		if (signal?.aborted) return resolve();
		const done = () => {
			cancel();
			signal?.removeEventListener("abort", done);
			resolve();
		};
		const cancel = clock.after(LOOK_EVERY_MS, done);
		signal?.addEventListener("abort", done);
	});
}
