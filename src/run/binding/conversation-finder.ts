import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasCommits } from "../../tail/write-ahead-log.ts";
import { realFolder } from "../agy/data-folders.ts";
import type { OpenFiles } from "../process/open-files.ts";
import { conversationOf, type Snapshot, snapshotConversations } from "./conversation-folder.ts";
import { type Binding, decideBinding, type NewConversation } from "./discovery.ts";

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

	/**
	 * Only keeps in mind what agy has open, for the case that it ends without having named its conversation. Looks at it when
	 * there is a new database, and not before: asking for open files costs a process on macOS. Never rejects.
	 */
	async remember(pids: () => Promise<readonly number[]>): Promise<void> {
		const names = await readdir(this.#options.folder).catch(() => []);
		const isNew = (name: string) => !this.#options.before.has(conversationOf(name) ?? name);
		if (names.some((name) => name.endsWith(".db") && isNew(name))) {
			await this.#openConversations(await pids().catch(() => []));
		}
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
