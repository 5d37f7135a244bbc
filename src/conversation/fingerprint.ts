import { createHash } from "node:crypto";
import type { Entry } from "./transcript.ts";

/**
 * What identifies an entry when a conversation is matched with a transcript: words and attachments of the user, summaries,
 * and agy's own visible answers. Undefined for the rest: other models' answers and tool output come and go (other
 * extensions prune them) without making a conversation wrong.
 */
export function fingerprint(entry: Entry): string | undefined {
	switch (entry.kind) {
		case "user":
			return hash("user", entry.text.replaceAll("\r\n", "\n").trim(), ...entry.images.map((image) => image.data));
		case "answer":
			return answerFingerprint(entry.text);
		case "summary":
			return hash("summary", entry.text.trim());
		case "foreign-answer":
		case "tool-result":
		case "command":
			return undefined;
	}
}

/**
 * The fingerprint of an answer, undefined when it shows nothing. White space does not count: cards split an answer into
 * several messages at places that depend on timing.
 */
export function answerFingerprint(text: string): string | undefined {
	const visible = text.replace(/\s+/g, "");
	return visible === "" ? undefined : hash("answer", visible);
}

/** The fingerprints of a transcript, in order. */
export function fingerprints(entries: readonly Entry[]): string[] {
	return entries.map(fingerprint).filter((print) => print !== undefined);
}

/** A short stable hash of some texts; their borders count. */
export function hash(...texts: readonly string[]): string {
	const sum = createHash("sha256");
	for (const text of texts) sum.update(`${Buffer.byteLength(text)}:`).update(text);
	return sum.digest("hex").slice(0, 24);
}
