import type { Binding, Claim, SessionRecord } from "./binding.ts";

/** Adds a binding, or puts it in the place of the one for the same conversation. */
export function withBinding(record: SessionRecord, binding: Binding): SessionRecord {
	return { ...record, bindings: [...withoutBinding(record, binding.conversationId).bindings, binding] };
}

/** The record with nothing about this conversation. */
export function withoutBinding(record: SessionRecord, conversationId: string): SessionRecord {
	return { ...record, bindings: record.bindings.filter((binding) => binding.conversationId !== conversationId) };
}

/** What the record knows of this conversation. */
export function bindingOf(record: SessionRecord, conversationId: string): Binding | undefined {
	return record.bindings.find((binding) => binding.conversationId === conversationId);
}

/** Marks a binding as used by a turn of this claim's owner. */
export function claimed(binding: Binding, claim: Claim): Binding {
	return { ...binding, claim };
}

/** The binding with its turn over and nothing learned from it. */
export function released(binding: Binding): Binding {
	const { claim: _claim, sent: _sent, ...rest } = binding;
	return rest;
}

/** How claims of others are judged. */
export interface ClaimJudge {
	readonly owner: string;
	/** Milliseconds since the epoch. */
	readonly now: number;
	/** No turn takes longer; an older claim was left behind. */
	readonly maxAgeMs: number;
	readonly isAlive: (pid: number) => boolean;
}

/** Whether another process, or another planner of this one, runs a turn on the conversation. */
export function isHeldByOther({ claim }: Binding, judge: ClaimJudge): boolean {
	return (
		claim !== undefined &&
		claim.owner !== judge.owner &&
		judge.now - claim.at < judge.maxAgeMs &&
		judge.isAlive(claim.pid)
	);
}
