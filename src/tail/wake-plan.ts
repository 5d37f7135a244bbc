/** How a database is to be watched. */
export interface WakePlan {
	/** Listen to file events. */
	readonly events: boolean;
	/** The poll that runs underneath them, or instead of them, in milliseconds. */
	readonly pollMs: number;
}

export const FAST_POLL_MS = 25;
export const SLOW_POLL_MS = 250;

/**
 * When to look again after a file event, in milliseconds. The event comes from the write to the log; with
 * `synchronous=FULL` that is synced next, which takes a millisecond or two on a good disk and far more on a busy one, and
 * only then is the commit visible, which causes no event.
 */
export const RECHECKS_MS: readonly number[] = [1, 3, 6, 10, 15, 20, 25, 30, 35, 40, 50, 60, 75, 90];

/**
 * So many events without a timed check between them are a burst. A large row is written to the log in hundreds of pieces,
 * and Node hands over an event for each, which costs more than reading the row; a commit of ordinary size causes ten.
 */
export const BURST_EVENTS = 32;
/** While a burst lasts nobody listens, and the database is looked at this often instead, in milliseconds … */
export const BURST_LOOK_MS = 5;
/** … until so many looks in a row have found nothing. */
export const BURST_QUIET_LOOKS = 4;

/** Changes that were found by the poll without any event nearby before events are no longer believed in. */
export const SURPRISES_ALLOWED = 1;

/** `statfs` types of file systems whose changes may be made elsewhere and then cause no event here. */
const REMOTE_FILE_SYSTEMS: ReadonlySet<number> = new Set([
	0x6969, // NFS
	0x517b, // SMB
	0xff534d42, // CIFS
	0xfe534d42, // SMB2
	0x01021997, // 9p, also WSL's drives
	0x65735546, // FUSE, virtiofs
	0x00c36400, // Ceph
	0x5346414f, // AFS
	0x73757245, // Coda
	0x0bd00bd0, // Lustre
	0x47504653, // GPFS
]);

/**
 * Decides from what is known beforehand. Only Linux's inotify was seen to report every write to the log; elsewhere events
 * shorten the wait, but the fast poll is what is relied on.
 *
 * @param fileSystem `statfs` type of the folder; `undefined` where it could not be told
 */
export function wakePlan(fileEvents: boolean, platform: string, fileSystem: number | undefined): WakePlan {
	if (!fileEvents) return { events: false, pollMs: FAST_POLL_MS };
	if (platform !== "linux") return { events: true, pollMs: FAST_POLL_MS };
	// As a 32-bit value: some kernels and runtimes report the type sign-extended.
	if (fileSystem === undefined || REMOTE_FILE_SYSTEMS.has(fileSystem >>> 0)) {
		return { events: false, pollMs: FAST_POLL_MS };
	}
	return { events: true, pollMs: SLOW_POLL_MS };
}
