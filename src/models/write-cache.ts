import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import writeFileAtomic from "write-file-atomic";
import type { CachedModels } from "./cache.ts";

/** Rejects when the folder cannot be written. */
export async function writeModelCache(path: string, models: CachedModels): Promise<void> {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	await writeFileAtomic(path, `${JSON.stringify({ version: 1, ...models }, null, "\t")}\n`, { mode: 0o600 });
}
