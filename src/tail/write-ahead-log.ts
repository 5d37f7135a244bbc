import { statSync } from "node:fs";
import { codeOf } from "../engine/thrown.ts";
import { DatabaseError } from "./database-problem.ts";

/**
 * Whether something was committed to the write-ahead log beside this database. Before that a new conversation must not be
 * opened: a reader that looks on while the tables are made can make agy fail. Throws `DatabaseError` where the folder
 * cannot be looked into; a folder that does not exist yet is no error.
 */
export function hasCommits(databasePath: string): boolean {
	try {
		return statSync(`${databasePath}-wal`).size > 0;
	} catch (error) {
		const code = codeOf(error) ?? String(error);
		if (code === "ENOENT") return false;
		const cause = code === "ENOTDIR" ? "its folder is not a folder" : `its folder cannot be looked into (${code})`;
		throw new DatabaseError({ kind: "unreadable", path: databasePath, cause, retryable: false }, error);
	}
}
