import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod/v3";
import { parseJson } from "../../engine/json.ts";
import { removeOldFiles } from "../../files/old-files.ts";
import { writePrivateFile } from "../../files/private-file.ts";

const earlierSchema = z.object({
	conversationId: z.string(),
	/** Absolute. */
	cwd: z.string(),
	/** A name that finds the model again. */
	model: z.string(),
	effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional(),
});

/** A delegation whose conversation can be continued. */
export type EarlierDelegation = z.infer<typeof earlierSchema>;

/** Where they are kept; `root` is this extension's folder. */
export function delegationsFolder(root: string): string {
	return join(root, "delegations");
}

/**
 * The conversations that delegations made, one small file each. Only these can be continued by id, so that no delegation ever
 * speaks into a conversation of a pi session or of the person at the keyboard.
 */
export class EarlierDelegations {
	readonly #folder: string;

	constructor(folder: string) {
		this.#folder = folder;
	}

	/** Undefined for a conversation that no delegation made, or whose record is gone. Never rejects. */
	async find(conversationId: string): Promise<EarlierDelegation | undefined> {
		const path = this.#path(conversationId);
		if (path === undefined) return undefined;
		return earlierSchema.safeParse(parseJson(await readFile(path, "utf8").catch(() => ""))).data;
	}

	/** False when it could not be written; then the conversation cannot be continued. */
	async remember(delegation: EarlierDelegation): Promise<boolean> {
		const path = this.#path(delegation.conversationId);
		if (path === undefined) return false;
		try {
			await writePrivateFile(path, `${JSON.stringify(delegation)}\n`);
			return true;
		} catch {
			return false;
		}
	}

	/** The conversation belongs to somebody else from now on. Rejects when the disk does not let us. */
	async forget(conversationId: string): Promise<void> {
		const path = this.#path(conversationId);
		if (path !== undefined) await rm(path, { force: true });
	}

	/** Forgets what was last written before `time` (milliseconds since the epoch). Never rejects. */
	async prune(time: number): Promise<void> {
		await removeOldFiles(this.#folder, time);
	}

	/** Ids come from a model: anything that is not plain is no id of agy's and must not become a path. */
	#path(conversationId: string): string | undefined {
		return /^[A-Za-z0-9_-]{1,100}$/.test(conversationId) ? join(this.#folder, `${conversationId}.json`) : undefined;
	}
}
