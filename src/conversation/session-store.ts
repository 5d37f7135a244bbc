import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod/v3";
import type { Clock } from "../engine/clock.ts";
import { parseJson } from "../engine/json.ts";
import { type Log, silentLog } from "../engine/log.ts";
import { codeOf } from "../engine/thrown.ts";
import { whileLocked } from "../files/file-lock.ts";
import { removeOldFiles } from "../files/old-files.ts";
import { writePrivateFile } from "../files/private-file.ts";
import { RECORD_VERSION, recordSchema, type SessionRecord } from "./binding.ts";
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
const MAX_BINDINGS = 12;

type Stored =
	| { readonly kind: "record"; readonly record: SessionRecord }
	| { readonly kind: "none" }
	/** Written by a later version of this package. */
	| { readonly kind: "future" }
	| { readonly kind: "corrupt" };

/** A store in `folder`, which is made with the first record. */
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
		await whileLocked(file, async () => {
			const stored = await load(file, sessionId);
			const changed = change(stored.kind === "record" ? stored.record : emptyRecord(sessionId));
			if (stored.kind === "future" || stored.kind === "corrupt") {
				log.info("conversation.set-aside", { file, why: stored.kind });
				await rename(file, `${file}.${stored.kind}-${clock.now()}-${randomUUID().slice(0, 8)}`);
			}
			const bindings = changed.bindings.toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, MAX_BINDINGS);
			const content = JSON.stringify({ version: RECORD_VERSION, sessionId, bindings }, undefined, "\t");
			await writePrivateFile(file, `${content}\n`);
		});
	}

	return {
		read: (sessionId) =>
			inTurn(sessionId, async () => {
				const stored = await load(fileOf(sessionId), sessionId);
				return stored.kind === "record" ? stored.record : emptyRecord(sessionId);
			}),

		update: (sessionId, change) => inTurn(sessionId, () => write(sessionId, change)),

		async prune(maxAgeMs) {
			const isOurs = (name: string) => /\.json(\.(future|corrupt)-[\w-]+)?$/.test(name);
			await removeOldFiles(folder, clock.now() - maxAgeMs, isOurs);
		},
	};
}

function emptyRecord(sessionId: string): SessionRecord {
	return { sessionId, bindings: [] };
}

async function load(file: string, sessionId: string): Promise<Stored> {
	const text = await readFile(file, "utf8").catch((error: unknown) => {
		if (codeOf(error) === "ENOENT") return undefined;
		throw error;
	});
	if (text === undefined) return { kind: "none" };
	const content = parseJson(text);
	const record = recordSchema.safeParse(content);
	if (record.success && record.data.sessionId === sessionId) {
		return { kind: "record", record: { sessionId, bindings: record.data.bindings } };
	}
	const version = z.object({ version: z.number().int().gt(RECORD_VERSION) }).safeParse(content);
	return { kind: version.success ? "future" : "corrupt" };
}

/** Session ids are chosen by pi or its user; only plain ones serve as file names. */
function fileName(sessionId: string): string {
	return /^[A-Za-z0-9_-]{1,100}$/.test(sessionId) ? sessionId : `id-${hash(sessionId)}`;
}
