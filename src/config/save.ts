import { mkdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { whileLocked } from "../files/file-lock.ts";
import { writePrivateFile } from "../files/private-file.ts";
import { readSettingsFile } from "./load.ts";
import type { SettingName, Settings } from "./schema.ts";

/** What became of a change. */
export interface SaveResult {
	/** The file could not be read as settings and was put aside under this name; it holds what was there before. */
	readonly movedAside?: string;
}

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
	return whileLocked(path, async () => {
		const file = readSettingsFile(path);
		const moved = file.kind === "unreadable" ? await putAside(path) : undefined;
		const content: Record<string, unknown> = file.kind === "object" ? { ...file.content } : {};
		if (value === undefined) delete content[name];
		else content[name] = value;
		await writePrivateFile(path, `${JSON.stringify(content, null, "\t")}\n`);
		return moved === undefined ? {} : { movedAside: moved };
	});
}

async function putAside(path: string): Promise<string> {
	const target = `${path}.invalid`;
	await rename(path, target);
	return target;
}
