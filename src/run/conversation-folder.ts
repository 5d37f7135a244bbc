import { execFile } from "node:child_process";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { readdir, readlink, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasCommits } from "../tail/write-ahead-log.ts";
import { realFolder } from "./data-folders.ts";
import { type Binding, decideBinding, type NewConversation } from "./discovery.ts";

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

/** The ids of all conversations in the folder, the one written last first. Never rejects. */
export async function newestConversations(folder: string): Promise<string[]> {
	const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".db"));
	const dated = await Promise.all(
		names.map(async (name) => ({ id: name.slice(0, -".db".length), at: await lastWrite(join(folder, name)) })),
	);
	return dated.toSorted((a, b) => b.at - a.at).map(({ id }) => id);
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
function conversationOf(name: string): string | undefined {
	return /^(.+)\.db(?:-wal|-shm)?$/.exec(name)?.[1];
}

/** Lists the files that processes have open, as absolute paths with links resolved; undefined where it cannot be told. */
export type OpenFiles = (pids: readonly number[]) => Promise<readonly string[] | undefined>;

/** The way of the platform: `/proc` on Linux, `lsof` on macOS; on Windows there is none without a driver. */
export function systemOpenFiles(platform: NodeJS.Platform = process.platform): OpenFiles {
	if (platform === "linux") return linuxOpenFiles;
	return platform === "win32" ? async () => undefined : lsofOpenFiles;
}

const linuxOpenFiles: OpenFiles = async (pids) => {
	const perProcess = await Promise.all(
		pids.map(async (pid) => {
			const fds = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
			return fds && Promise.all(fds.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")));
		}),
	);
	const readable = perProcess.filter((paths) => paths !== undefined);
	// Not one could be read: they are gone, or hidden from us. That is not "nothing is open".
	if (readable.length === 0) return undefined;
	// A file that was deleted while it is open is still the one that is written.
	return readable.flat().flatMap((path) => (path.startsWith("/") ? [path.replace(/ \(deleted\)$/, "")] : []));
};

const lsofOpenFiles: OpenFiles = (pids) =>
	new Promise((resolve) => {
		if (pids.length === 0) return resolve(undefined);
		const args = ["-n", "-P", "-w", "-F", "n", "-p", pids.join(",")];
		// lsof's exit code is 1 as soon as one of the processes is gone; what it printed counts all the same.
		execFile("lsof", args, { timeout: 5_000, maxBuffer: 16 * 1024 * 1024 }, (_error, stdout) => {
			const paths = stdout.split("\n").flatMap((line) => (line.startsWith("n/") ? [line.slice(1)] : []));
			resolve(paths.length === 0 ? undefined : paths);
		});
	});

/** Which conversation started this one, from its database. `unread`: not there yet, or locked, or without its metadata. */
export type ReadParent = (databasePath: string) => Promise<NewConversation["parent"]>;

export interface FinderOptions {
	/** agy's folder of conversations; may be a link, and may not exist yet. */
	readonly folder: string;
	/** Taken with `snapshotConversations` before agy was started. */
	readonly before: Snapshot;
	readonly resume?: string;
	readonly openFiles: OpenFiles;
	readonly readParent: ReadParent;
	/** Whether another run is known to write this conversation. */
	readonly isTaken: (id: string) => boolean;
	/** All processes of this machine. Asked only when our agy is gone and its files were never seen open. */
	readonly everyPid: () => Promise<readonly number[]>;
}

/** What only the caller knows at the time of a look. */
export interface Look {
	/** The processes of our agy's tree that live now. */
	readonly pids: readonly number[];
	readonly resumeRefused: boolean;
}

/** Collects what can be seen and decides, each time it is asked. Finding out about a parent is not repeated. */
export class ConversationFinder {
	readonly #options: FinderOptions;
	readonly #parents = new Map<string, NewConversation["parent"]>();
	/** Everything our tree was seen to have open: it still counts when agy is gone. */
	readonly #everOpen = new Set<string>();

	constructor(options: FinderOptions) {
		this.#options = options;
	}

	/** Never rejects. */
	async look({ pids, resumeRefused }: Look): Promise<Binding> {
		const { folder, before, resume } = this.#options;
		const [now, open] = await Promise.all([snapshotConversations(folder), this.#openConversations(pids)]);
		// What was opened after the folder was listed is as new as what was listed.
		const there = new Set([...now.keys(), ...(open ?? [])]);
		const fresh = await this.#withoutOthers(
			[...there].filter((id) => !before.has(id)),
			open === undefined,
		);
		return decideBinding({
			resume,
			resumeRefused,
			open,
			appeared: await Promise.all(fresh.map(async (id) => ({ id, parent: await this.#parentOf(id, pids.length > 0) }))),
			resumeTouched: resume !== undefined && now.get(resume) !== before.get(resume),
		});
	}

	/** Leaves out what other runs write. What is open although our agy is gone belongs to another agy. */
	async #withoutOthers(ids: readonly string[], agyIsGone: boolean): Promise<readonly string[]> {
		const { isTaken, everyPid } = this.#options;
		const free = ids.filter((id) => !isTaken(id));
		if (!agyIsGone || free.length === 0) return free;
		const paths = (await this.#options.openFiles(await everyPid())) ?? [];
		const elsewhere = new Set(await this.#conversationsAmong(paths));
		return free.filter((id) => !elsewhere.has(id));
	}

	/** What our tree has open now, or had open when it could last be seen. */
	async #openConversations(pids: readonly number[]): Promise<readonly string[] | undefined> {
		const paths = await this.#options.openFiles(pids);
		if (paths === undefined) return this.#everOpen.size > 0 ? [...this.#everOpen] : undefined;
		const ids = await this.#conversationsAmong(paths);
		for (const id of ids) this.#everOpen.add(id);
		return ids;
	}

	async #conversationsAmong(paths: readonly string[]): Promise<string[]> {
		const real = await realFolder(this.#options.folder);
		const ids = paths.flatMap((path) => (dirname(path) === real ? (conversationOf(basename(path)) ?? []) : []));
		return [...new Set(ids)];
	}

	async #parentOf(id: string, agyLives: boolean): Promise<NewConversation["parent"]> {
		const known = this.#parents.get(id);
		if (known !== undefined && known.kind !== "unread") return known;
		const path = join(this.#options.folder, `${id}.db`);
		// A reader that opens a database which agy is just making can make agy fail.
		if (agyLives && !isWritten(path)) return UNREAD;
		const parent = await this.#options.readParent(path).catch(() => UNREAD);
		this.#parents.set(id, parent);
		return parent;
	}
}

const UNREAD = { kind: "unread" } as const;

function isWritten(path: string): boolean {
	try {
		return hasCommits(path);
	} catch {
		return false;
	}
}
