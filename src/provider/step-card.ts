import { createHash } from "node:crypto";
import type { ToolCall } from "@earendil-works/pi-ai";
import type { StepRef, ToolEvent } from "../engine/events.ts";
import { isEndState } from "../engine/tool-state.ts";
import { shorten } from "../words/printable.ts";
import { stepSubject } from "../words/step-title.ts";

/** Name of the tool whose cards stand for agy's own steps. */
export const CARD_TOOL = "agy_step";

/** Longest summary in a card's arguments: they go to other models after a switch. */
const MAX_SUMMARY = 400;

/**
 * Why a card stopped following its step.
 * - `finished`: the step is over.
 * - `background`: it runs on while agy does something else; its end comes as a second card.
 * - `stopped`: agy was stopped before the step was over.
 * - `lost`: agy ended by itself before the step did.
 */
export type CardEnd = "finished" | "background" | "stopped" | "lost";

/** One step of agy as a pi tool card: what is known about it, and who wants to know. */
export class StepCard {
	readonly id: string;
	/** It only brings the end of a step whose first card had to let go. */
	readonly isSecond: boolean;
	#step: ToolEvent;
	#end: CardEnd | undefined;
	#executed = false;
	readonly #listeners = new Set<() => void>();

	constructor(id: string, step: ToolEvent, isSecond = false) {
		this.id = id;
		this.isSecond = isSecond;
		this.#step = step;
		this.#settle();
	}

	/** The step as it was last told. */
	get step(): ToolEvent {
		return this.#step;
	}

	/** Undefined while the card follows its step. */
	get end(): CardEnd | undefined {
		return this.#end;
	}

	/** pi has run the card's tool. A result without that means that an extension blocked the call. */
	get executed(): boolean {
		return this.#executed;
	}

	markExecuted(): void {
		this.#executed = true;
	}

	/** News about the step. After the card's end they only change `step`. */
	update(step: ToolEvent): void {
		this.#step = step;
		this.#settle();
		this.#notify();
	}

	/** Ends the card although its step is not over. */
	release(end: Exclude<CardEnd, "finished">): void {
		if (this.#end !== undefined) return;
		this.#end = end;
		this.#notify();
	}

	/** Calls `listener` after each change. Returns how to stop. */
	onChange(listener: () => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	#settle(): void {
		if (this.#end !== undefined) return;
		if (isEndState(this.#step.state)) this.#end = "finished";
		else if (this.#step.state === "background") this.#end = "background";
	}

	#notify(): void {
		for (const listener of [...this.#listeners]) listener();
	}
}

/** Identifies a step within one conversation. */
export function stepKey(step: StepRef): string {
	return `${step.trajectory}#${step.index}`;
}

/** True when `step` comes later than `other` on the same way: across a rewind neither is later. */
export function isAfter(step: StepRef, other: StepRef): boolean {
	return step.trajectory === other.trajectory && step.index > other.index;
}

/**
 * The tool call id of a step: the same for the same step after a restart, another one when a rewind reuses the index, and
 * within what every provider accepts as an id. `occasion` tells a step's second card from its first.
 */
export function cardId(conversationId: string, step: StepRef, occasion: "first" | "end" = "first"): string {
	const hash = createHash("sha256").update(`${conversationId}\0${step.trajectory}\0${step.index}`).digest("base64url");
	return `agy_${step.index}_${hash.slice(0, 22)}${occasion === "end" ? "_end" : ""}`;
}

/**
 * The call by which pi shows a card. The summary comes first, and short: pi's `/tree` shows only 40 characters of a call's
 * arguments. `cwd` is absolute; paths below it are told from there.
 */
export function cardCall({ id, step }: StepCard, cwd: string): ToolCall {
	const { kind, name } = step;
	// agy may commit a step before what describes it (since about 1.1.18); what the call holds cannot be changed later.
	const subject = step.summary || name;
	const summary = kind === "command" ? subject : stepSubject(kind, subject, cwd);
	return {
		type: "toolCall",
		id,
		name: CARD_TOOL,
		arguments: { summary: shorten(summary, MAX_SUMMARY), kind, tool: name },
	};
}
