import { type Sqlite, type SqliteRow, withSqliteErrors } from "./sqlite.ts";

/** The part of Bun's module that is used; its own types would clash with Node's. */
interface BunSqliteModule {
	readonly Database: new (path: string, options: { readonly readonly: true }) => BunDatabase;
}
interface BunDatabase {
	prepare(sql: string): BunStatement;
	run(sql: string): unknown;
	close(): void;
}
interface BunStatement {
	get(...params: readonly number[]): SqliteRow | null;
	all(...params: readonly number[]): SqliteRow[];
}

/** `bun:sqlite`; rejects where the runtime is not Bun. */
export async function loadBunSqlite(): Promise<Sqlite> {
	// Held in a variable so that neither TypeScript nor a bundler tries to resolve it.
	const specifier: string = "bun:sqlite";
	const { Database } = (await import(specifier)) as BunSqliteModule;
	return {
		engine: "bun:sqlite",
		openReadOnly(path, timeoutMs) {
			const database = withSqliteErrors(() => new Database(path, { readonly: true }));
			withSqliteErrors(() => database.run(`PRAGMA busy_timeout = ${Math.trunc(timeoutMs)}`));
			let open = true;
			return {
				prepare(sql) {
					const statement = withSqliteErrors(() => database.prepare(sql));
					return {
						get: (...params) => withSqliteErrors(() => statement.get(...params) ?? undefined),
						all: (...params) => withSqliteErrors(() => statement.all(...params)),
					};
				},
				close() {
					if (open) database.close();
					open = false;
				},
			};
		},
	};
}
