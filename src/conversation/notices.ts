import type { Failure } from "../engine/failure.ts";
import type { RebuildReason } from "./continuity.ts";

/** What the user is told when a session goes on in a new conversation; nothing where that is the expected course. */
export function rebuildNotice(reason: RebuildReason): string | undefined {
	switch (reason) {
		case "no-conversation":
		case "diverged":
		case "compacted":
			return undefined;
		case "family-changed":
			return "New Antigravity conversation, with a digest of the session: the model belongs to another family.";
		case "folder-changed":
			return "New Antigravity conversation, with a digest of the session: the last one was in another folder.";
		case "database-gone":
			return "New Antigravity conversation, with a digest of the session: the database of the last one is missing or damaged.";
		case "quota":
			return "New Antigravity conversation, with a digest of the session: the last one ended on a quota and may repeat that error.";
		case "dead":
			return "New Antigravity conversation, with a digest of the session: the last one could not go on.";
		case "in-use":
			return "New Antigravity conversation, with a digest of the session: another pi is using the last one.";
	}
}

/** What the user is told when a digest had to leave entries out. */
export function digestNotice(leftOut: number): string | undefined {
	if (leftOut === 0) return undefined;
	const what = leftOut === 1 ? "the oldest entry is" : `the oldest ${leftOut} entries are`;
	return `Antigravity is not told all that it missed: ${what} left out. The setting \`digestBytes\` says how much it is told.`;
}

export const emptyPrompt: Failure = {
	kind: "bad-request",
	problem: "The message is empty.",
	remedy: "Write what Antigravity should do.",
};

export const nothingToSay: Failure = {
	kind: "bad-request",
	problem: "There is nothing new to tell Antigravity, and the run that this belongs to is over.",
	remedy: "Send a message to go on.",
};

/** Something could not be written to a file for agy. */
export function stagingFailed(cause: unknown): Failure {
	const detail = cause instanceof Error ? `: ${cause.message}` : "";
	return {
		kind: "bad-request",
		problem: `A part of the message could not be written to a temporary file${detail}.`,
		remedy: "Make room or set TMPDIR to a folder that can be written, then send it again.",
	};
}
