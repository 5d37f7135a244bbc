import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the names of all our folders among the temporary files begin with; then comes the number of their pi process. */
export const PRIVATE_FOLDER_PREFIX = "pi-antigravity-";

/**
 * Makes a folder that only this user can read. Its name says whose it is, so that the next pi removes it when this one dies
 * before it can. Rejects when `parent` cannot be written.
 */
export function makePrivateFolder(parent: string = tmpdir(), pid: number = process.pid): Promise<string> {
	return mkdtemp(join(parent, `${PRIVATE_FOLDER_PREFIX}${pid}-`));
}
