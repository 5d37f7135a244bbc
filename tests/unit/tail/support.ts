import type { TestContext } from "node:test";
import type { TailBatch } from "../../../src/tail/conversation-db.ts";
import type { Sqlite } from "../../../src/tail/sqlite.ts";
import { loadNodeSqlite } from "../../../src/tail/sqlite-node.ts";
import { ConversationDatabase } from "../../fake-agy/database.ts";

export const sqlite: Sqlite = await loadNodeSqlite();

export const PLANNER = 15;
export const RUN_COMMAND = 21;
export const PENDING = 1;
export const RUNNING = 2;
export const DONE = 3;
export const GENERATING = 8;

/** agy's side of one conversation, in this process. */
export class Writer {
	readonly database: ConversationDatabase;

	constructor(t: Pick<TestContext, "after">, path: string) {
		this.database = new ConversationDatabase(path, { synchronous: "NORMAL", busyTimeout: 0, commitLog: undefined });
		t.after(() => {
			try {
				this.database.close();
			} catch {
				// The test has closed it already.
			}
		});
	}

	/** Commits one row whose payload is `text`. */
	step(idx: number, status: number, text: string | Uint8Array, stepType = PLANNER): void {
		const payload = typeof text === "string" ? Buffer.from(text) : text;
		const none = { metadata: null, errorDetails: null, permissions: null, taskDetails: null, renderInfo: null };
		this.database.upsertStep({ idx, stepType, status, payload, ...none });
	}

	/** Commits rows `from` to `to`, all done, in one transaction. */
	finishedSteps(from: number, to: number): void {
		this.database.exec("BEGIN");
		for (let idx = from; idx <= to; idx++) this.step(idx, DONE, `row ${idx}`);
		this.database.exec("COMMIT");
	}
}

/** A batch in a form that is easy to compare: `3:8 text`. */
export function rowsOf(batch: TailBatch | undefined): string[] | undefined {
	return batch?.rows.map((row) => `${row.idx}:${row.status} ${Buffer.from(row.payload).toString()}`);
}
