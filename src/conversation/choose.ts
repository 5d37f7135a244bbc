import type { Binding, SessionRecord } from "./binding.ts";
import { continuable } from "./continuity.ts";
import { bindingOf, released, withBinding } from "./record.ts";

/** Where a session stands: the transcript of its branch, as fingerprints. */
export type Transcript = readonly string[];

/** The conversation that the transcript goes on from; whether the next turn can use it is decided then. */
export function currentBinding({ bindings }: SessionRecord, transcript: Transcript): Binding | undefined {
	return continuable(bindings, transcript)[0];
}

/** Forgets what the transcript could go on from, so that its next turn begins a conversation. Other branches keep theirs. */
export function withoutCurrent(record: SessionRecord, transcript: Transcript): SessionRecord {
	const dropped = new Set(continuable(record.bindings, transcript));
	return { ...record, bindings: record.bindings.filter((binding) => !dropped.has(binding)) };
}

/**
 * Lets the transcript go on in conversation `chosen`. The next turn tells it in a digest what it has not seen. All others that the
 * transcript could go on from are forgotten, since one that has seen more of it would be taken instead.
 */
export function withChosen(
	record: SessionRecord,
	transcript: Transcript,
	chosen: { readonly id: string; readonly family: string; readonly cwd: string; readonly now: number },
): SessionRecord {
	const { id, family, cwd, now } = chosen;
	const known = bindingOf(record, id);
	const stillFits = known !== undefined && continuable([known], transcript).length > 0;
	const fresh: Binding = {
		conversationId: id,
		seen: [],
		state: "clean",
		lastStep: -1,
		family,
		cwd,
		instructions: "",
		updatedAt: now,
	};
	const binding: Binding = stillFits ? { ...released(known), state: "clean", family, cwd, updatedAt: now } : fresh;
	return withBinding(withoutCurrent(record, transcript), binding);
}
