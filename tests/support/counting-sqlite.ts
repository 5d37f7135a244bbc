import type { Sqlite, SqliteRow } from "../../src/tail/sqlite.ts";

/** What was asked of SQLite. */
export interface Counts {
	statements: number;
	rows: number;
	/** Bytes of blobs and texts handed to JavaScript. */
	bytes: number;
}

/** Counts what is asked of SQLite. */
export function counting(inner: Sqlite): { sqlite: Sqlite; take(): Counts; opens: () => number } {
	let counts: Counts = { statements: 0, rows: 0, bytes: 0 };
	let opens = 0;
	const note = <T extends readonly SqliteRow[]>(rows: T): T => {
		counts.statements++;
		counts.rows += rows.length;
		for (const row of rows) {
			for (const value of Object.values(row)) {
				if (typeof value === "string" || value instanceof Uint8Array) counts.bytes += value.length;
			}
		}
		return rows;
	};
	return {
		sqlite: {
			engine: inner.engine,
			openReadOnly(path, timeoutMs) {
				opens++;
				const database = inner.openReadOnly(path, timeoutMs);
				return {
					prepare(sql) {
						const statement = database.prepare(sql);
						return {
							get: (...params) => note([statement.get(...params)].filter((row) => row !== undefined))[0],
							all: (...params) => note(statement.all(...params)),
						};
					},
					close: () => database.close(),
				};
			},
		},
		take() {
			const taken = counts;
			counts = { statements: 0, rows: 0, bytes: 0 };
			return taken;
		},
		opens: () => opens,
	};
}
