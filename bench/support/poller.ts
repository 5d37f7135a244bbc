import { existsSync } from "node:fs";
import type { StepRow } from "../../src/decode/step-types.ts";
import type { Sqlite, SqliteDatabase } from "../../src/tail/sqlite.ts";

/**
 * What the tail is compared with: the way earlier integrations read agy's database. Every 250 ms the newest row and those
 * after it are read whole.
 */
export class Poller {
	readonly #timer: NodeJS.Timeout;
	#database: SqliteDatabase | undefined;
	#last = 0;

	constructor(path: string, sqlite: Sqlite, onRows: (rows: readonly StepRow[]) => void) {
		this.#timer = setInterval(() => {
			if (!existsSync(`${path}-wal`)) return;
			this.#database ??= sqlite.openReadOnly(path, 250);
			const statement = this.#database.prepare(
				"SELECT idx, step_type, status, step_payload FROM steps WHERE idx >= ? ORDER BY idx",
			);
			const rows = statement.all(this.#last).map((row) => ({
				idx: Number(row.idx),
				stepType: Number(row.step_type),
				status: Number(row.status),
				payload: row.step_payload instanceof Uint8Array ? row.step_payload : new Uint8Array(0),
			}));
			this.#last = rows.at(-1)?.idx ?? this.#last;
			onRows(rows);
		}, 250);
	}

	close(): void {
		clearInterval(this.#timer);
		this.#database?.close();
	}
}
