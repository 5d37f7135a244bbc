import { decodeConversation } from "../tail/metadata.ts";
import type { Sqlite } from "../tail/sqlite.ts";
import type { ReadParent } from "./conversation-folder.ts";

/** How long SQLite may wait, blocking, for a lock, in milliseconds. */
const LOCK_MS = 50;

/** Reads from a database which conversation started the one in it: a subagent's names its parent. */
export function parentReader(sqlite: Sqlite): ReadParent {
	return async (path) => {
		const database = sqlite.openReadOnly(path, LOCK_MS);
		try {
			const data = database.prepare("SELECT data FROM trajectory_metadata_blob").get()?.data;
			if (!(data instanceof Uint8Array)) return { kind: "unread" };
			const { parentConversationId } = decodeConversation(data);
			return parentConversationId === "" ? { kind: "none" } : { kind: "child", of: parentConversationId };
		} finally {
			database.close();
		}
	};
}
