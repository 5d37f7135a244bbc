import type { EndEvent } from "../engine/events.ts";
import type { Failure } from "../engine/failure.ts";
import type { Binding, BindingState } from "./binding.ts";
import { answerFingerprint } from "./fingerprint.ts";
import type { TurnMemo } from "./plan.ts";

/** What is remembered of a turn when it has ended. */
export type Remembered =
	| { readonly kind: "keep"; readonly binding: Binding }
	/** The turn never reached agy: what was known of the conversation still holds. */
	| { readonly kind: "unchanged" }
	/** A conversation that was asked for is lost, or nothing is worth remembering of a new one. */
	| { readonly kind: "drop" };

/** Who ran the turn, when, on what. */
export interface TurnFacts {
	readonly memo: TurnMemo;
	/** The conversation that was asked for. */
	readonly resumed?: string;
	readonly end: EndEvent;
	/** The visible answer, whole. */
	readonly answer: string;
	readonly now: number;
	readonly agyVersion?: string;
	/** What is stored of the conversation that the run wrote. */
	readonly stored?: Binding;
}

/** Decides what the end of a turn means for its conversation. */
export function remember(facts: TurnFacts): Remembered {
	const { end, memo, resumed } = facts;
	const { progress } = end;
	const conversationId = progress.conversationId;
	// Nothing was written, or agy did not honour the id and began a conversation without the history.
	if (conversationId === undefined) return lost(end) ? { kind: "drop" } : { kind: "unchanged" };
	if (resumed !== undefined && conversationId !== resumed) return { kind: "drop" };

	const answered = end.outcome.kind === "answered";
	const reached = answered || progress.promptSeen;
	const state = stateAfter(end);
	if (!reached && resumed === undefined) return { kind: "drop" };
	if (!reached && state !== "dead" && state !== "quota-poisoned") return { kind: "unchanged" };
	const answer = answered ? answerFingerprint(facts.answer) : undefined;
	const seen = reached ? memo.after : memo.before;
	const trajectory = progress.trajectory ?? facts.stored?.trajectory;
	const agyVersion = facts.agyVersion ?? facts.stored?.agyVersion;
	const binding: Binding = {
		conversationId,
		seen: answer === undefined ? [...seen] : [...seen, answer],
		state,
		lastStep: lastStepOf(facts),
		family: memo.family,
		cwd: memo.cwd,
		instructions: reached ? memo.instructions : memo.instructionsBefore,
		updatedAt: facts.now,
		...(trajectory === undefined ? {} : { trajectory }),
		...(agyVersion === undefined ? {} : { agyVersion }),
	};
	return { kind: "keep", binding };
}

/** The conversation that was to be continued could not even be opened. */
function lost({ outcome }: EndEvent): boolean {
	if (outcome.kind !== "failed") return false;
	const { kind } = outcome.failure;
	return kind === "conversation-lost" || kind === "database-unreadable" || kind === "schema-not-understood";
}

function stateAfter({ outcome, progress }: EndEvent): BindingState {
	if (outcome.kind === "answered") return "clean";
	if (outcome.kind === "failed") {
		if (outcome.failure.kind === "quota") return "quota-poisoned";
		if (endsConversation(outcome.failure)) return "dead";
	}
	return progress.toolsRan || progress.textSeen ? "interrupted" : "prompt-seen-unanswered";
}

/** Failures that come back on every further turn of the conversation, as other users of agy found out. */
function endsConversation(failure: Failure): boolean {
	switch (failure.kind) {
		case "context-too-long":
		case "empty-answer":
		case "conversation-lost":
		case "database-unreadable":
		case "schema-not-understood":
			return true;
		case "model-error":
			return failure.code === 400;
		default:
			return false;
	}
}

/** A rewind starts another trajectory, whose indices begin again; within one the index only grows. */
function lastStepOf({ end: { progress }, stored }: TurnFacts): number {
	const sameTrajectory = progress.trajectory === undefined || progress.trajectory === stored?.trajectory;
	return sameTrajectory ? Math.max(progress.lastStep, stored?.lastStep ?? -1) : progress.lastStep;
}
