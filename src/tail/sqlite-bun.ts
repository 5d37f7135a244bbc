import { type Sqlite, SqliteError, type SqliteRow } from "./sqlite.ts";

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
			const database = translated(() => new Database(path, { readonly: true }));
			translated(() => database.run(`PRAGMA busy_timeout = ${Math.trunc(timeoutMs)}`));
			let open = true;
			return {
				prepare(sql) {
					const statement = translated(() => database.prepare(sql));
					return {
						get: (...params) => translated(() => statement.get(...params) ?? undefined),
						all: (...params) => translated(() => statement.all(...params)),
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

function translated<T>(run: () => T): T {
	try {
		return run();
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		throw new SqliteError(message, resultCode(error), error);
	}
}

function resultCode(error: unknown): number {
	const carries = typeof error === "object" && error !== null && "errno" in error;
	return carries && typeof error.errno === "number" ? error.errno : 0;
}
