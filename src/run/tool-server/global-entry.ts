import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod/v3";
import { TOOL_SERVER_NAME, type ToolServer } from "../../engine/engine.ts";
import { parseJson } from "../../engine/json.ts";
import { codeOf } from "../../engine/thrown.ts";
import { whileLocked } from "../../files/file-lock.ts";
import { writePrivateFile } from "../../files/private-file.ts";
import { RELAY_VARIABLE } from "../process/environment.ts";
import { isAlive, type ProcessIdentity, type ProcessTable } from "../process/process-table.ts";
import { withServer } from "./mcp-config-text.ts";
import type { McpRegistration } from "./registrations.ts";

export interface GlobalEntryOptions {
	/** agy's MCP file. It may not exist. */
	readonly file: string;
	/** Where notes about entries are kept, for the case that this process dies. */
	readonly notes: string;
	readonly owner: ProcessIdentity;
}

export interface GlobalEntry {
	/** For the environment of our agy. */
	readonly env: Readonly<Record<string, string>>;
	/** Takes the entry out again. Never rejects. */
	remove(): Promise<void>;
}

const noteSchema = z.object({
	name: z.string(),
	file: z.string(),
	owner: z.object({ pid: z.number().int().positive(), startTime: z.string() }),
});

/** How many runs of this process need their entry in a file. */
const usersOf = new Map<string, number>();

/**
 * Adds this process's entry to the file that all agy processes of the user read. It starts a relay instead of naming our
 * server, so that no other agy can reach it and the file holds no secret. Rejects when the file is not what agy's has to be
 * or cannot be written; it is left alone then.
 */
export async function addGlobalEntry(server: ToolServer, options: GlobalEntryOptions): Promise<GlobalEntry> {
	const { file, notes, owner } = options;
	const name = `${TOOL_SERVER_NAME}_${owner.pid}`;
	const note = join(notes, `${name}.json`);
	countUser(file, 1);
	try {
		await whileFileIsOurs(file, async () => {
			await writePrivateFile(note, JSON.stringify({ name, file, owner }));
			await setEntry(file, name, relayEntry(name));
		});
	} catch (error) {
		countUser(file, -1);
		throw error;
	}
	const registration: McpRegistration = "global-entry";
	const target = { name, url: server.url(registration), headers: server.headers };
	return {
		env: { [RELAY_VARIABLE]: JSON.stringify(target) },
		async remove() {
			countUser(file, -1);
			await whileFileIsOurs(file, async () => {
				// The next run of this process may have come while this one waited for the lock.
				if (usersOf.get(file)) return;
				await setEntry(file, name, undefined);
				await rm(note, { force: true });
			}).catch(() => {});
		},
	};
}

/** Takes out the entries of pi processes that died. Never rejects. Returns how many there were. */
export async function removeDeadEntries(notes: string, table: ProcessTable): Promise<number> {
	let removed = 0;
	for (const file of await readdir(notes).catch(() => [])) {
		const path = join(notes, file);
		const note = await readNote(path);
		if (note === undefined || (await isAlive(table, note.owner))) continue;
		await whileFileIsOurs(note.file, async () => {
			await setEntry(note.file, note.name, undefined);
			await rm(path, { force: true });
			removed++;
		}).catch(() => {});
	}
	return removed;
}

async function readNote(path: string): Promise<z.infer<typeof noteSchema> | undefined> {
	return noteSchema.safeParse(parseJson(await readFile(path, "utf8").catch(() => ""))).data;
}

function countUser(file: string, change: 1 | -1): void {
	usersOf.set(file, (usersOf.get(file) ?? 0) + change);
}

function relayEntry(name: string): object {
	// pi may be a single binary that runs no scripts.
	const isNode = /^(node|bun)(\.exe)?$/i.test(basename(process.execPath));
	const script = fileURLToPath(new URL("relay.mjs", import.meta.url));
	return { command: isNode ? process.execPath : "node", args: [script, name] };
}

/** Runs `work` while no other pi process changes the file. Rejects when the lock cannot be had, and as `work`. */
async function whileFileIsOurs(file: string, work: () => Promise<void>): Promise<void> {
	await mkdir(dirname(file), { recursive: true, mode: 0o700 });
	await whileLocked(file, work);
}

async function setEntry(file: string, name: string, entry: object | undefined): Promise<void> {
	const text = await readFile(file, "utf8").catch((error: unknown) => {
		if (codeOf(error) === "ENOENT") return undefined;
		throw error;
	});
	const changed = withServer(text ?? "", name, entry);
	if (changed === undefined) throw new Error(`${file} is not a JSON object with a map of servers`);
	// One that is there keeps its own mode.
	if (changed !== (text ?? "")) await writeFileAtomic(file, changed, text === undefined ? { mode: 0o600 } : {});
}
