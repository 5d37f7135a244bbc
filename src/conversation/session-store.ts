import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { lock } from "proper-lockfile";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod/v3";
import type { Clock } from "../engine/clock.ts";
import { type Log, silentLog } from "../engine/log.ts";
import { recordSchema, recordVersion, type SessionRecord } from "./binding.ts";
import { hash } from "./fingerprint.ts";

/** Which agy conversations each pi session has: one small file per session, shared by all pi processes. */
export interface SessionStore {
	/**
	 * An empty record when there is none or it cannot be understood. Rejects when the disk does not let us. Calls for one
	 * session are carried out in the order they are made.
	 */
	read(sessionId: string): Promise<SessionRecord>;
	/**
	 * Reads, changes and writes while no other process does. Rejects when the disk or the lock does not let us; then
	 * nothing has changed.
	 */
	update(sessionId: string, change: (record: SessionRecord) => SessionRecord): Promise<void>;
	/** Removes the files that nobody wrote for so long. Never rejects. */
	prune(maxAgeMs: number): Promise<void>;
}

/** The most conversations one session remembers; the ones used last stay. */
const maxBindings = 12;

// A holder only reads and writes one small file: a lock this old belongs to a process that died. Waiting is longer.
const lockOptions = {
	realpath: false,
	stale: 5_000,
	retries: { retries: 80, factor: 1.2, minTimeout: 10, maxTimeout: 200, randomize: true },
	// Losing the lock while we write is harmless: writes are atomic. The default would throw into the event loop.
	onCompromised: () => {},
};

type Stored =
	| { readonly kind: "record"; readonly record: SessionRecord }
	| { readonly kind: "none" }
	/** Written by a later version of this package. */
	| { readonly kind: "future" }
	| { readonly kind: "corrupt" };

export function createSessionStore(options: { folder: string; clock: Clock; log?: Log }): SessionStore {
	const { folder, clock, log = silentLog } = options;
	const fileOf = (sessionId: string) => join(folder, `${fileName(sessionId)}.json`);

	// Waiters of the file lock take turns at random; a later update of ours must not be overtaken by an earlier one.
	const queues = new Map<string, Promise<unknown>>();
	const inTurn = <Result>(sessionId: string, work: () => Promise<Result>): Promise<Result> => {
		const result = (queues.get(sessionId) ?? Promise.resolve()).then(work);
		const settled = result
			.catch(() => {})
			.then(() => {
				if (queues.get(sessionId) === settled) queues.delete(sessionId);
			});
		queues.set(sessionId, settled);
		return result;
	};

	async function write(sessionId: string, change: (record: SessionRecord) => SessionRecord): Promise<void> {
		const file = fileOf(sessionId);
		await mkdir(folder, { recursive: true, mode: 0o700 });
		const release = await lock(file, lockOptions);
		try {
			const stored = await load(file, sessionId);
			const changed = change(stored.kind === "record" ? stored.record : emptyRecord(sessionId));
			if (stored.kind === "future" || stored.kind === "corrupt") {
				log.info("session-file-set-aside", { file, why: stored.kind });
				await rename(file, `${file}.${stored.kind}-${clock.now()}-${randomUUID().slice(0, 8)}`);
			}
			const bindings = changed.bindings.toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, maxBindings);
			const content = JSON.stringify({ version: recordVersion, sessionId, bindings }, undefined, "\t");
			await writeFileAtomic(file, `${content}\n`, { mode: 0o600 });
		} finally {
			await release().catch(() => {});
		}
	}

	return {
		read: (sessionId) =>
			inTurn(sessionId, async () => {
				const stored = await load(fileOf(sessionId), sessionId);
				return stored.kind === "record" ? stored.record : emptyRecord(sessionId);
			}),

		update: (sessionId, change) => inTurn(sessionId, () => write(sessionId, change)),

		async prune(maxAgeMs) {
			for (const name of await readdir(folder).catch(() => [])) {
				if (!/\.json(\.(future|corrupt)-[\w-]+)?$/.test(name)) continue;
				const path = join(folder, name);
				const stats = await stat(path).catch(() => undefined);
				if (stats && clock.now() - stats.mtimeMs > maxAgeMs) await rm(path, { force: true }).catch(() => {});
			}
		},
	};
}

function emptyRecord(sessionId: string): SessionRecord {
	return { sessionId, bindings: [] };
}

async function load(file: string, sessionId: string): Promise<Stored> {
	const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return undefined;
		throw error;
	});
	if (text === undefined) return { kind: "none" };
	const content = parseJson(text);
	const record = recordSchema.safeParse(content);
	if (record.success && record.data.sessionId === sessionId) {
		return { kind: "record", record: { sessionId, bindings: record.data.bindings } };
	}
	const version = z.object({ version: z.number().int().gt(recordVersion) }).safeParse(content);
	return { kind: version.success ? "future" : "corrupt" };
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Session ids are chosen by pi or its user; only plain ones serve as file names. */
function fileName(sessionId: string): string {
	return /^[A-Za-z0-9_-]{1,100}$/.test(sessionId) ? sessionId : `id-${hash(sessionId)}`;
}
