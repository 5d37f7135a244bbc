import { decodeConversation } from "../../decode/metadata.ts";
import type { ConversationRecord } from "../../decode/step-types.ts";
import type { Sqlite } from "../../tail/sqlite.ts";
import type { ReadParent } from "./conversation-finder.ts";

/** How long SQLite may wait, blocking, for a lock, in milliseconds. */
const LOCK_MS = 50;

/** What a database says about its conversation; undefined where it does not say it (yet). Throws when it cannot be read. */
export function readConversationRecord(sqlite: Sqlite, path: string): ConversationRecord | undefined {
	const database = sqlite.openReadOnly(path, LOCK_MS);
	try {
		const data = database.prepare("SELECT data FROM trajectory_metadata_blob").get()?.data;
		return data instanceof Uint8Array ? decodeConversation(data) : undefined;
	} finally {
		database.close();
	}
}

/** Reads from a database which conversation started the one in it: a subagent's names its parent. */
export function parentReader(sqlite: Sqlite): ReadParent {
	return async (path) => {
		const record = readConversationRecord(sqlite, path);
		if (record === undefined) return { kind: "unread" };
		const { parentConversationId } = record;
		return parentConversationId === "" ? { kind: "none" } : { kind: "child", of: parentConversationId };
	};
}
