import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import writeFileAtomic from "write-file-atomic";

/**
 * Writes a file that only this user can read, whole or not at all. Its folder is made, as private, when it is missing. Rejects
 * when the disk does not let us.
 */
export async function writePrivateFile(path: string, content: string): Promise<void> {
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	await writeFileAtomic(path, content, { mode: 0o600 });
}
