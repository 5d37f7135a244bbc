import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../engine/clock.ts";
import type { OpenFiles } from "../process/open-files.ts";
import type { ProcessTable } from "../process/process-table.ts";
import { lockConversation } from "../process/run-locks.ts";

export interface IdleParts {
	/** agy's folder of conversations. */
	readonly folder: string;
	/** Where runs of ours keep their locks. */
	readonly locks: string;
	readonly table: ProcessTable;
	readonly openFiles: OpenFiles;
	readonly clock: Clock;
	/** How long an agy that is about to exit is waited for, in milliseconds. */
	readonly waitMs: number;
}

export type IdleResult<Value> =
	| { readonly kind: "done"; readonly value: Value }
	| { readonly kind: "missing" }
	/** Some process works on it, or seems to. */
	| { readonly kind: "in-use" };

/** Where open files cannot be listed, a conversation that was written to so recently counts as in use, in milliseconds. */
const RECENT_MS = 60_000;

/**
 * Looks at a conversation's database while nobody works on it: a reader that is just opening can make an agy fail that starts
 * on it. No run of ours begins on it meanwhile. Rejects with what `look` throws, or when the locks cannot be written.
 */
export async function whileIdle<Value>(
	id: string,
	parts: IdleParts,
	look: (path: string) => Value | Promise<Value>,
): Promise<IdleResult<Value>> {
	const path = join(parts.folder, `${id}.db`);
	if ((await writtenAt(path)) === undefined) return { kind: "missing" };
	const { table, clock, waitMs } = parts;
	const held = await lockConversation(parts.locks, id, { table, clock, limitMs: waitMs });
	if (held.kind !== "held") return { kind: "in-use" };
	try {
		if (await isInUse(path, parts)) return { kind: "in-use" };
		return { kind: "done", value: await look(path) };
	} finally {
		held.lock.release();
	}
}

async function isInUse(path: string, { table, openFiles, clock }: IdleParts): Promise<boolean> {
	const pids = (await table.list()).map(({ pid }) => pid).filter((pid) => pid !== process.pid);
	const open = await openFiles(pids);
	if (open !== undefined) return open.includes(await realpath(path).catch(() => path));
	const times = await Promise.all([path, `${path}-wal`].map(writtenAt));
	return times.some((at) => at !== undefined && clock.now() - at < RECENT_MS);
}

async function writtenAt(path: string): Promise<number | undefined> {
	return (await stat(path).catch(() => undefined))?.mtimeMs;
}
