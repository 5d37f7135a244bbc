import { type Sqlite, type SqliteRow, withSqliteErrors } from "./sqlite.ts";

/** `node:sqlite`; rejects where the runtime does not have it. */
export async function loadNodeSqlite(): Promise<Sqlite> {
	const { DatabaseSync } = await import("node:sqlite");
	return {
		engine: "node:sqlite",
		openReadOnly(path, timeoutMs) {
			const database = withSqliteErrors(() => new DatabaseSync(path, { readOnly: true, timeout: timeoutMs }));
			return {
				prepare(sql) {
					const statement = withSqliteErrors(() => database.prepare(sql));
					return {
						get: (...params) => withSqliteErrors(() => statement.get(...params) as SqliteRow | undefined),
						all: (...params) => withSqliteErrors(() => statement.all(...params) as SqliteRow[]),
					};
				},
				close() {
					if (database.isOpen) database.close();
				},
			};
		},
	};
}
