import { readFile } from "node:fs/promises";
import { z } from "zod/v3";
import { parseJson } from "../../engine/json.ts";
import { writePrivateFile } from "../../files/private-file.ts";
import { isMcpRegistration, type McpRegistration } from "./registrations.ts";

const memorySchema = z.record(z.string(), z.string());

/**
 * By which registration each version of agy connects. What worked is written down; what failed is only remembered by this
 * process, so that one bad day does not rule a registration out for ever.
 */
export class RegistrationMemory {
	readonly #path: string;
	readonly #failed = new Map<string, Set<McpRegistration>>();
	#known: Promise<Map<string, McpRegistration>> | undefined;

	/** `path` may not exist. */
	constructor(path: string) {
		this.#path = path;
	}

	/** Never rejects. */
	async known(version: string): Promise<McpRegistration | undefined> {
		return (await this.#read()).get(version);
	}

	failed(version: string): ReadonlySet<McpRegistration> {
		return this.#failed.get(version) ?? new Set();
	}

	/** Never rejects: a memory that cannot be written lasts as long as this process. */
	async noteSuccess(version: string, registration: McpRegistration): Promise<void> {
		this.#failed.delete(version);
		const known = await this.#read();
		if (known.get(version) === registration) return;
		known.set(version, registration);
		try {
			await writePrivateFile(this.#path, `${JSON.stringify(Object.fromEntries(known), null, "\t")}\n`);
		} catch {
			// See above.
		}
	}

	noteFailure(version: string, registrations: readonly McpRegistration[]): void {
		this.#failed.set(version, new Set([...this.failed(version), ...registrations]));
	}

	#read(): Promise<Map<string, McpRegistration>> {
		this.#known ??= readMemory(this.#path);
		return this.#known;
	}
}

async function readMemory(path: string): Promise<Map<string, McpRegistration>> {
	const found = memorySchema.safeParse(parseJson(await readFile(path, "utf8").catch(() => ""))).data ?? {};
	return new Map(
		Object.entries(found).flatMap(([version, name]) => (isMcpRegistration(name) ? [[version, name]] : [])),
	);
}
