import { readFile } from "node:fs/promises";
import { z } from "zod/v3";
import { parseJson } from "../../engine/json.ts";
import { writePrivateFile } from "../../files/private-file.ts";
import { type Door, isDoor } from "./doors.ts";

const memorySchema = z.record(z.string(), z.string());

/**
 * Which door each version of agy took. What worked is written down; what failed is only remembered by this process, so that
 * one bad day does not close a door for ever.
 */
export class DoorMemory {
	readonly #path: string;
	readonly #failed = new Map<string, Set<Door>>();
	#known: Promise<Map<string, Door>> | undefined;

	/** `path` may not exist. */
	constructor(path: string) {
		this.#path = path;
	}

	/** Never rejects. */
	async known(version: string): Promise<Door | undefined> {
		return (await this.#read()).get(version);
	}

	failed(version: string): ReadonlySet<Door> {
		return this.#failed.get(version) ?? new Set();
	}

	/** Never rejects: a memory that cannot be written lasts as long as this process. */
	async noteSuccess(version: string, door: Door): Promise<void> {
		this.#failed.delete(version);
		const known = await this.#read();
		if (known.get(version) === door) return;
		known.set(version, door);
		try {
			await writePrivateFile(this.#path, `${JSON.stringify(Object.fromEntries(known), null, "\t")}\n`);
		} catch {
			// See above.
		}
	}

	noteFailure(version: string, doors: readonly Door[]): void {
		this.#failed.set(version, new Set([...this.failed(version), ...doors]));
	}

	#read(): Promise<Map<string, Door>> {
		this.#known ??= readMemory(this.#path);
		return this.#known;
	}
}

async function readMemory(path: string): Promise<Map<string, Door>> {
	const found = memorySchema.safeParse(parseJson(await readFile(path, "utf8").catch(() => ""))).data ?? {};
	return new Map(Object.entries(found).flatMap(([version, door]) => (isDoor(door) ? [[version, door]] : [])));
}
