import { type Sqlite, SqliteMissingError } from "./sqlite.ts";

type Loader = () => Promise<Sqlite>;

const engines: readonly Loader[] = [
	async () => (await import("./sqlite-node.ts")).loadNodeSqlite(),
	async () => (await import("./sqlite-bun.ts")).loadBunSqlite(),
];

/**
 * The SQLite of this process: Node's, else Bun's. Rejects with `SqliteMissingError`. (Node 22 announces `node:sqlite` as
 * experimental through `process.emitWarning`, which pi's command line switches off before it loads any extension.)
 */
export async function loadSqlite(loaders: readonly Loader[] = engines): Promise<Sqlite> {
	const causes: unknown[] = [];
	for (const load of loaders) {
		try {
			return await load();
		} catch (error) {
			causes.push(error);
		}
	}
	throw new SqliteMissingError(new AggregateError(causes));
}
