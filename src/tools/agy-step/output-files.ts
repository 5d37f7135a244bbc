import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeOldFiles } from "../../files/old-files.ts";

/** Where the outputs that are too long for a card are kept whole. Files are private to the user. */
export class OutputFiles {
	readonly #directory: string;

	constructor(directory: string) {
		this.#directory = directory;
	}

	/** Writes the whole output of a card. Returns its path, or undefined where it cannot be written. */
	async keep(cardId: string, output: string): Promise<string | undefined> {
		const path = join(this.#directory, `${cardId}.txt`);
		try {
			await mkdir(this.#directory, { recursive: true, mode: 0o700 });
			await writeFile(path, output, { mode: 0o600 });
			return path;
		} catch {
			return undefined;
		}
	}

	/** Removes what was last written before `time` (milliseconds since the epoch). Never rejects. */
	async prune(time: number): Promise<void> {
		await removeOldFiles(this.#directory, time);
	}
}
