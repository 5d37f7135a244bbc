import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod/v3";

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
		try {
			return earlierSchema.parse(JSON.parse(await readFile(path, "utf8")));
		} catch {
			return undefined;
		}
	}

	/** False when it could not be written; then the conversation cannot be continued. */
	async remember(delegation: EarlierDelegation): Promise<boolean> {
		const path = this.#path(delegation.conversationId);
		if (path === undefined) return false;
		try {
			await mkdir(this.#folder, { recursive: true, mode: 0o700 });
			await writeFileAtomic(path, `${JSON.stringify(delegation)}\n`, { mode: 0o600 });
			return true;
		} catch {
			return false;
		}
	}

	/** Forgets what was last written before `time` (milliseconds since the epoch). Never rejects. */
	async prune(time: number): Promise<void> {
		for (const name of await readdir(this.#folder).catch(() => [])) {
			const path = join(this.#folder, name);
			const written = await stat(path).catch(() => undefined);
			if (written?.isFile() && written.mtimeMs < time) await rm(path, { force: true }).catch(() => {});
		}
	}

	/** Ids come from a model: anything that is not plain is no id of agy's and must not become a path. */
	#path(conversationId: string): string | undefined {
		return /^[A-Za-z0-9_-]{1,100}$/.test(conversationId) ? join(this.#folder, `${conversationId}.json`) : undefined;
	}
}
