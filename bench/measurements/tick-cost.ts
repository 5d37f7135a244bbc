import { join } from "node:path";
import { systemClock } from "../../src/engine/clock.ts";
import { ConversationDb } from "../../src/tail/conversation-db.ts";
import { loadSqlite } from "../../src/tail/load-sqlite.ts";
import { ConversationDatabase } from "../../tests/fake-agy/database.ts";
import type { Figure, Measurement } from "../measurement.ts";
import { withFolder } from "../support/folder.ts";
import { median } from "../support/statistics.ts";

const COMMITS = 300;

export const measurement: Measurement = {
	title: "One look at the database",
	comparedWith: "with no commit since the last",
	run: () =>
		withFolder(async (directory) => {
			const sqlite = await loadSqlite();
			const options = { synchronous: "NORMAL", busyTimeout: 0, commitLog: undefined } as const;
			const writer = new ConversationDatabase(join(directory, "c.db"), options);
			const none = { metadata: null, errorDetails: null, permissions: null, taskDetails: null, renderInfo: null };
			const db = new ConversationDb({ path: writer.file, sqlite, clock: systemClock });
			const figures: Figure[] = [];
			const payload = Buffer.alloc(2_000, "x");
			let rows = 0;
			for (const length of [10, 100, 1_000, 10_000]) {
				writer.exec("BEGIN");
				for (; rows < length; rows++) writer.upsertStep({ idx: rows, stepType: 15, status: 3, payload, ...none });
				writer.exec("COMMIT");
				db.poll();
				const changed: number[] = [];
				const unchanged: number[] = [];
				for (let n = 0; n < COMMITS; n++) {
					payload[n] = n % 256;
					writer.upsertStep({ idx: length, stepType: 15, status: 8, payload, ...none });
					changed.push(microseconds(() => db.poll()));
					unchanged.push(microseconds(() => db.poll()));
				}
				const name = `${length.toLocaleString("en")} rows, one changed`;
				figures.push({ name, unit: "µs", value: median(changed), compared: median(unchanged) });
			}
			db.close();
			writer.close();
			return figures;
		}),
};

function microseconds(call: () => unknown): number {
	const before = process.hrtime.bigint();
	call();
	return Number(process.hrtime.bigint() - before) / 1_000;
}
