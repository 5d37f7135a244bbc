/**
 * Stands in for agy's side of a database in a process of its own, and as impatient as can be: its busy timeout is 0, so
 * whatever a reader does to its locks is an error here. Takes one job a line on stdin, answers one line on stdout.
 */
import { statSync } from "node:fs";
import { createInterface } from "node:readline";
import { ConversationDatabase } from "../../fake-agy/database.ts";

export interface WriterJob {
	readonly path: string;
	readonly synchronous: "FULL" | "NORMAL";
	/** Index of the first row. */
	readonly first: number;
	readonly rows: number;
	/** Bytes of each payload. */
	readonly size: number;
	/** Before each commit it blocks for up to so many milliseconds. */
	readonly maxGapMs: number;
	/** Wait for a line on stdin after every so many commits; 0: never. */
	readonly handshakeEvery: number;
}

export interface WriterReport {
	readonly errors: readonly string[];
	/** The largest the write-ahead log has been, in bytes. */
	readonly walBytes: number;
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

for (;;) {
	const line = await lines.next();
	if (line.done) break;
	process.stdout.write(`${JSON.stringify(await write(JSON.parse(line.value) as WriterJob))}\n`);
}

async function write(job: WriterJob): Promise<WriterReport> {
	const errors: string[] = [];
	let walBytes = 0;
	let database: ConversationDatabase | undefined;
	try {
		database = new ConversationDatabase(job.path, {
			synchronous: job.synchronous,
			busyTimeout: 0,
			commitLog: undefined,
		});
		const none = { metadata: null, errorDetails: null, permissions: null, taskDetails: null, renderInfo: null };
		for (let i = 0; i < job.rows; i++) {
			const idx = job.first + i;
			if (job.maxGapMs > 0) Atomics.wait(sleeper, 0, 0, ((idx * 7919) % 10) * (job.maxGapMs / 10));
			const payload = Buffer.alloc(job.size, String(idx % 10));
			database.upsertStep({ idx, stepType: 15, status: 3, payload, ...none });
			walBytes = Math.max(walBytes, statSync(`${job.path}-wal`).size);
			if (job.handshakeEvery > 0 && (i + 1) % job.handshakeEvery === 0) await lines.next();
		}
	} catch (error) {
		errors.push(String(error));
	} finally {
		database?.close();
	}
	return { errors, walBytes };
}
