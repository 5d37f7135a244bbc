import { closeSync, openSync, readSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** The conversations in a folder at one moment, each with a mark that changes when its files do. */
export type Snapshot = ReadonlyMap<string, string>;

/** Looks at every database of the folder; a missing folder is empty. Never rejects. */
export async function snapshotConversations(folder: string): Promise<Snapshot> {
	const names = await readdir(folder).catch(() => []);
	const ids = new Set(names.flatMap((name) => conversationOf(name) ?? []));
	const marks = await Promise.all([...ids].map(async (id) => [id, await markOf(folder, id)] as const));
	return new Map(marks);
}

const DATABASE_START = "SQLite format 3\0";

/** Whether a conversation's database is there and looks like one. Reads its first bytes, and opens nothing that could lock it. */
export function hasDatabase(folder: string, id: string): boolean {
	const path = join(folder, `${id}.db`);
	try {
		const start = readStart(path, DATABASE_START.length);
		// All of a database that is new may still be in its write-ahead log.
		return start === DATABASE_START || (start === "" && statSync(`${path}-wal`).size > 0);
	} catch {
		return false;
	}
}

function readStart(path: string, length: number): string {
	const file = openSync(path, "r");
	try {
		const bytes = Buffer.alloc(length);
		return bytes.toString("latin1", 0, readSync(file, bytes, 0, length, 0));
	} finally {
		closeSync(file);
	}
}

/**
 * All conversations in the folder, the one written last first, each with the time of that in milliseconds since the epoch. Never
 * rejects.
 */
export async function newestConversations(
	folder: string,
): Promise<{ readonly id: string; readonly writtenAt: number }[]> {
	const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".db"));
	const dated = await Promise.all(
		names.map(async (name) => ({ id: name.slice(0, -".db".length), writtenAt: await lastWrite(join(folder, name)) })),
	);
	return dated.toSorted((a, b) => b.writtenAt - a.writtenAt);
}

async function lastWrite(path: string): Promise<number> {
	const files = await Promise.all([path, `${path}-wal`].map((file) => stat(file).catch(() => undefined)));
	return Math.max(...files.map((found) => found?.mtimeMs ?? 0));
}

async function markOf(folder: string, id: string): Promise<string> {
	const marks = await Promise.all(
		[".db", ".db-wal"].map(async (ending) => {
			const found = await stat(join(folder, id + ending)).catch(() => undefined);
			return found === undefined ? "-" : `${found.ino}:${found.size}:${found.mtimeMs}`;
		}),
	);
	return marks.join(" ");
}

/** `<id>.db`, `<id>.db-wal` and `<id>.db-shm` belong to conversation `<id>`. */
export function conversationOf(name: string): string | undefined {
	return /^(.+)\.db(?:-wal|-shm)?$/.exec(name)?.[1];
}
