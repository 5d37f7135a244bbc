import { homedir } from "node:os";
import { join } from "node:path";
import type { Flags } from "./flags.ts";

/** Where agy keeps its things, and where the stand-in does. */
export interface Paths {
	/** `~/.gemini/antigravity-cli`, or where the hidden flags put it. */
	root: string;
	conversations: string;
	brain: (conversationId: string) => string;
	database: (conversationId: string) => string;
}

export function pathsFor(flags: Flags): Paths {
	const gemini = flags.values.get("gemini_dir") ?? join(process.env.HOME ?? homedir(), ".gemini");
	const root = join(gemini, flags.values.get("app_data_dir") ?? "antigravity-cli");
	const conversations = process.env.FAKE_AGY_CONVERSATIONS_DIR ?? join(root, "conversations");
	return {
		root,
		conversations,
		brain: (id) => join(root, "brain", id),
		database: (id) => join(conversations, `${id}.db`),
	};
}
