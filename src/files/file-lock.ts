import { lock } from "proper-lockfile";

/** Who holds the lock only reads and writes one small file: a lock this old belongs to a process that died. Waiting takes longer. */
const OPTIONS = {
	// The file may not exist yet.
	realpath: false,
	stale: 5_000,
	retries: { retries: 80, factor: 1.2, minTimeout: 10, maxTimeout: 200, randomize: true },
	// Losing it, for instance because the machine slept, is harmless: writes are atomic. The default would throw into the event loop.
	onCompromised: () => {},
};

/** Does `work` while no other process holds the lock beside `path`, whose folder must exist. Rejects when the lock cannot be had. */
export async function whileLocked<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
	const release = await lock(path, OPTIONS);
	try {
		return await work();
	} finally {
		// A lock that somebody else has taken over meanwhile is his.
		await release().catch(() => {});
	}
}
