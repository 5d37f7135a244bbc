import type { Binding } from "./binding.ts";
import { fingerprint, fingerprints } from "./fingerprint.ts";
import type { Entry, UserEntry } from "./transcript.ts";

/** Why a session's history goes into a new conversation. */
export type RebuildReason =
	/** The session has none yet: a fork, a clone, or the first turn after other models'. */
	| "no-conversation"
	/** pi's transcript is not a continuation of what any conversation saw. */
	| "diverged"
	| "compacted"
	| "family-changed"
	| "folder-changed"
	| "database-gone"
	| "quota"
	| "dead"
	/** Another process has a turn running on it. */
	| "in-use";

/** What the user asks now; `"go-on"` when there are no new words. */
export type Ask = readonly UserEntry[] | "go-on";

export type Decision =
	| { readonly kind: "fresh"; readonly ask: Ask }
	| { readonly kind: "continue"; readonly binding: Binding; readonly ask: Ask }
	| {
			readonly kind: "continue-with-digest";
			readonly binding: Binding;
			readonly ask: Ask;
			readonly unseen: readonly Entry[];
	  }
	| { readonly kind: "rebuild"; readonly reason: RebuildReason; readonly ask: Ask; readonly unseen: readonly Entry[] }
	/** There is nothing to say to agy. */
	| { readonly kind: "nothing-to-say" };

/** What is compared. */
export interface Situation {
	readonly entries: readonly Entry[];
	/** The transcript ends with the result of a tool that agy called. */
	readonly endsWithOurToolResult: boolean;
	readonly bindings: readonly Binding[];
	/** The database of this conversation is missing or broken. */
	readonly isGone: (conversationId: string) => boolean;
	/** Another process runs a turn on it. */
	readonly isBusy: (binding: Binding) => boolean;
	readonly cwd: string;
	readonly family: string;
	readonly rebuildOnFamilyChange: boolean;
}

/**
 * Decides which conversation a turn continues. A conversation is continued only if everything it has seen is a prefix of
 * the transcript; what came after it that agy has not seen goes along as a digest.
 */
export function decideContinuity(situation: Situation): Decision {
	const { entries } = situation;
	const last = entries.at(-1);
	if (last === undefined || last.kind === "answer" || situation.endsWithOurToolResult)
		return { kind: "nothing-to-say" };

	const [match] = continuable(situation.bindings, fingerprints(entries));
	const trouble = match ? troubleWith(match, situation) : reasonForNoMatch(situation);
	if (!match || trouble) {
		const { before, ask } = splitAsk(entries, 0);
		if (before.length === 0) return { kind: "fresh", ask };
		return { kind: "rebuild", reason: trouble ?? "diverged", ask, unseen: before };
	}

	const { before, ask } = splitAsk(entries, knownUpTo(match, entries));
	if (before.length === 0) return { kind: "continue", binding: match, ask };
	return { kind: "continue-with-digest", binding: match, ask, unseen: before };
}

/**
 * The conversations that have seen nothing but this transcript (given as fingerprints): the one that has seen most of it first,
 * of equals the one used last.
 */
export function continuable(bindings: readonly Binding[], transcript: readonly string[]): Binding[] {
	return bindings
		.filter((binding) => isPrefix(reach(binding), transcript))
		.toSorted((a, b) => reach(b).length - reach(a).length || b.updatedAt - a.updatedAt);
}

/** All that the conversation may have seen. */
function reach(binding: Binding): readonly string[] {
	return binding.sent ?? binding.seen;
}

function isPrefix(seen: readonly string[], transcript: readonly string[]): boolean {
	return seen.length <= transcript.length && seen.every((print, index) => print === transcript[index]);
}

function troubleWith(binding: Binding, situation: Situation): RebuildReason | undefined {
	if (binding.state === "dead") return "dead";
	if (binding.state === "quota-poisoned") return "quota";
	if (binding.cwd !== situation.cwd) return "folder-changed";
	if (situation.rebuildOnFamilyChange && binding.family !== situation.family) return "family-changed";
	if (situation.isGone(binding.conversationId)) return "database-gone";
	if (situation.isBusy(binding)) return "in-use";
	return undefined;
}

function reasonForNoMatch({ bindings, entries }: Situation): RebuildReason {
	if (bindings.length === 0) return "no-conversation";
	const first = entries[0];
	return first?.kind === "summary" && first.of === "compaction" ? "compacted" : "diverged";
}

/** Index of the first entry that the conversation does not know. */
function knownUpTo(binding: Binding, entries: readonly Entry[]): number {
	let left = binding.seen.length;
	let index = 0;
	while (left > 0 && index < entries.length) {
		const entry = entries[index++];
		if (entry && fingerprint(entry) !== undefined) left--;
	}
	// What agy had said when a turn was cut off is its own, though no turn recorded it.
	const wasCutOff = binding.seen.length > 0 && binding.state !== "clean";
	return wasCutOff && entries[index]?.kind === "answer" ? index + 1 : index;
}

/**
 * Parts what is new into the user's words to answer now and what came before them. The words are all user entries after
 * the last answer or tool result: steering, and prompts whose turn failed before agy saw them, come in several.
 */
function splitAsk(entries: readonly Entry[], from: number): { before: readonly Entry[]; ask: Ask } {
	const lastReply = entries.findLastIndex(
		(entry) => entry.kind === "answer" || entry.kind === "foreign-answer" || entry.kind === "tool-result",
	);
	const tail = entries.slice(Math.max(from, lastReply + 1));
	const words = tail.filter((entry) => entry.kind === "user");
	const before = [...entries.slice(from, lastReply + 1), ...tail.filter((entry) => entry.kind !== "user")];
	return { before, ask: words.length > 0 ? words : "go-on" };
}
