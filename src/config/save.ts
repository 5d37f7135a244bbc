import { mkdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import lockfile from "proper-lockfile";
import writeFileAtomic from "write-file-atomic";
import { readSettingsFile } from "./load.ts";
import type { SettingName, Settings } from "./schema.ts";

/** What became of a change. */
export interface SaveResult {
	/** The file could not be read as settings and was put aside under this name; it holds what was there before. */
	readonly movedAside?: string;
}

const LOCK_RETRIES = { retries: 50, minTimeout: 20, maxTimeout: 200 };

/**
 * Changes one setting in the file and keeps everything else in it, also keys that are unknown here. `undefined` takes the
 * setting out. A lock beside the file makes sure that two processes lose nothing. Rejects when the file cannot be written.
 */
export async function saveSetting<Name extends SettingName>(
	path: string,
	name: Name,
	value: Settings[Name] | undefined,
): Promise<SaveResult> {
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	const release = await lockfile.lock(path, {
		realpath: false,
		retries: LOCK_RETRIES,
		stale: 10_000,
		// By default it throws where nobody can catch it, for instance when the machine slept meanwhile.
		onCompromised: () => {},
	});
	try {
		const file = readSettingsFile(path);
		const moved = file.kind === "unreadable" ? await putAside(path) : undefined;
		const content: Record<string, unknown> = file.kind === "object" ? { ...file.content } : {};
		if (value === undefined) delete content[name];
		else content[name] = value;
		await writeFileAtomic(path, `${JSON.stringify(content, null, "\t")}\n`, { mode: 0o600 });
		return moved === undefined ? {} : { movedAside: moved };
	} finally {
		// A lock that somebody else has taken over meanwhile is his.
		await release().catch(() => {});
	}
}

async function putAside(path: string): Promise<string> {
	const target = `${path}.invalid`;
	await rename(path, target);
	return target;
}
