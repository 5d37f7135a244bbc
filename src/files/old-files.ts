import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes the files of a folder that were last written before `time` (milliseconds since the epoch), of those whose name
 * `isOurs`. Never rejects.
 */
export async function removeOldFiles(
	folder: string,
	time: number,
	isOurs: (name: string) => boolean = () => true,
): Promise<void> {
	for (const name of (await readdir(folder).catch(() => [])).filter(isOurs)) {
		const path = join(folder, name);
		const written = await stat(path).catch(() => undefined);
		if (written?.isFile() && written.mtimeMs < time) await rm(path, { force: true }).catch(() => {});
	}
}
