import { type Sqlite, SqliteError, type SqliteRow } from "./sqlite.ts";

/** `node:sqlite`; rejects where the runtime does not have it. */
export async function loadNodeSqlite(): Promise<Sqlite> {
	const { DatabaseSync } = await import("node:sqlite");
	return {
		engine: "node:sqlite",
		openReadOnly(path, timeoutMs) {
			const database = translated(() => new DatabaseSync(path, { readOnly: true, timeout: timeoutMs }));
			return {
				prepare(sql) {
					const statement = translated(() => database.prepare(sql));
					return {
						get: (...params) => translated(() => statement.get(...params) as SqliteRow | undefined),
						all: (...params) => translated(() => statement.all(...params) as SqliteRow[]),
					};
				},
				close() {
					if (database.isOpen) database.close();
				},
			};
		},
	};
}

function translated<T>(run: () => T): T {
	try {
		return run();
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		throw new SqliteError(message, resultCode(error), error);
	}
}

function resultCode(error: unknown): number {
	const carries = typeof error === "object" && error !== null && "errcode" in error;
	return carries && typeof error.errcode === "number" ? error.errcode : 0;
}
