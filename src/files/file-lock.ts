import { lock } from "proper-lockfile";

/**
 * The holder only reads and writes one small file, so a lock that is older than `stale` belongs to a process that died. The retries
 * together wait longer than that.
 */
const OPTIONS = {
	// The file may not exist yet.
	realpath: false,
	stale: 5_000,
	retries: { retries: 80, factor: 1.2, minTimeout: 10, maxTimeout: 200, randomize: true },
	// Called when the lock was lost, for instance because the machine slept. That is harmless, since writes are atomic; the default
	// would throw an error that nobody can catch.
	onCompromised: () => {},
};

/**
 * Does `work`, which reads and writes one small file, while no other process holds the lock beside `path`. The folder must exist.
 * Rejects when the lock cannot be had. (A lock that is held for long is one of `src/run/process/process-lock.ts`.)
 */
export async function whileLocked<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
	const release = await lock(path, OPTIONS);
	try {
		return await work();
	} finally {
		// A lock that somebody else has taken over meanwhile is his.
		await release().catch(() => {});
	}
}
