import type { PlannedCall, PlannerBody, Step, StepUsage } from "../decode/step-types.ts";
import type { AgyEvent, StepRef } from "../engine/events.ts";
import type { StreamStep, StreamUsage } from "../stdout/stream-message.ts";
import { type TextChange, TextTrack } from "./text-track.ts";
import type { UsageBook } from "./usage-book.ts";

export type GenerationState = "open" | "done" | "failed";

/** CortexStepPlannerResponse.stop_reason, from agy's own descriptors. */
const MAX_TOKENS = 3;
/** ERROR, CLIENT_CANCELED, CLIENT_TOOL_PARSE_ERROR, CLIENT_STREAM_ERROR, CLIENT_LOOPING, CLIENT_INVALID_MESSAGE_ORDER. */
const FAILED_STOPS: ReadonlySet<number> = new Set([13, 16, 17, 18, 19, 20]);
/** INCOMPLETE, STOP_PATTERN, MAX_TOKENS, MAX_NEWLINES, EXIT_SCOPE, FIRST_NON_WHITESPACE_LINE, FUNCTION_CALL. */
const ORDINARY_STOPS: ReadonlySet<number> = new Set([1, 2, 3, 5, 6, 8, 10]);

/** One model call: its thinking, its text, its usage, and how it ended. */
export class GenerationTrack {
	readonly ref: StepRef;
	readonly text = new TextTrack();
	readonly #thinking = new TextTrack();
	readonly #usage: UsageBook;
	#state: GenerationState = "open";
	#started = false;
	#usageTold = false;
	#row: PlannerBody | undefined;
	#rowIsDone = false;
	#stdoutDone = false;
	#stdoutUsage: StreamUsage | undefined;

	constructor(ref: StepRef, usage: UsageBook) {
		this.ref = ref;
		this.#usage = usage;
	}

	get state(): GenerationState {
		return this.#state;
	}

	get toolCalls(): readonly PlannedCall[] {
		return this.#row?.toolCalls ?? [];
	}

	get cutShort(): boolean {
		return this.#row?.stopReason === MAX_TOKENS;
	}

	get hasRow(): boolean {
		return this.#row !== undefined;
	}

	/** The stop reason of a model call that failed; undefined for any other, and for one that was only given up. */
	get failedStop(): number | undefined {
		return this.#state === "failed" && this.#rowIsDone ? this.#row?.stopReason : undefined;
	}

	/** A finished row without text does not overrule stdout: a later agy may keep its text elsewhere in the row. */
	fromRow(step: Step, body: PlannerBody): AgyEvent[] {
		this.#row = body;
		this.#rowIsDone = step.status === "done";
		const verdict = judge(step, body);
		const textElsewhere = verdict === "done" && body.text === "";
		const events: AgyEvent[] = [
			...this.#start(),
			...this.#changed("thinking", this.#thinking.fromRow(body.thinking, verdict !== "open")),
			...this.#changed(
				"text",
				this.text.fromRow(body.text, verdict === "failed" || (verdict === "done" && !textElsewhere)),
			),
			...(textElsewhere ? this.#changed("text", this.text.stdoutAlone()) : []),
		];
		if (verdict === "open") return events;
		if (step.usage) events.push(...this.#tellUsage(step.usage, verdict === "done"));
		return [...events, ...this.#end(verdict)];
	}

	/** `alone`: no row is to be expected soon, so what stdout says counts at once. */
	fromStdout(message: StreamStep, alone: boolean): AgyEvent[] {
		this.#stdoutDone ||= message.state === "DONE";
		if (message.usage && hasCounts(message.usage)) this.#stdoutUsage = message.usage;
		const events = this.#changed("text", this.text.fromStdout(message.textDelta));
		return alone ? [...events, ...this.stdoutAlone()] : events;
	}

	/** No row tells of it, or no more: what stdout has told counts. */
	stdoutAlone(): AgyEvent[] {
		const events = [...this.#start(), ...this.#changed("text", this.text.stdoutAlone())];
		return this.#stdoutDone ? [...events, ...this.#endFromStdout()] : events;
	}

	/** Usage from agy's record of the generation, for rows that carry none. */
	fromRecord(usage: StepUsage): AgyEvent[] {
		return this.#state === "open" ? [] : this.#tellUsage(usage, this.#state === "done");
	}

	/** The sources have ended: the texts get their final form. */
	settleTexts(): AgyEvent[] {
		if (this.#state === "failed") return [];
		return [...this.#changed("thinking", this.#thinking.settle()), ...this.#changed("text", this.text.settle())];
	}

	/** Adds text that only agy's final response had. */
	recover(delta: string): AgyEvent[] {
		return [...this.#start(), ...this.#changed("text", this.text.append(delta))];
	}

	/** The sources have ended: so has this call. `complete`: agy reported success. */
	settle(complete: boolean): AgyEvent[] {
		if (this.#state !== "open") return this.#usageFromStdout();
		if (this.#stdoutDone) return this.#endFromStdout();
		return this.#end(complete && this.text.shown !== "" ? "done" : "failed");
	}

	#start(): AgyEvent[] {
		if (this.#started) return [];
		this.#started = true;
		return [{ type: "generation", step: this.ref, state: "started" }];
	}

	#endFromStdout(): AgyEvent[] {
		return this.#state === "open" ? [...this.#usageFromStdout(), ...this.#end("done")] : [];
	}

	#usageFromStdout(): AgyEvent[] {
		if (this.#usageTold || this.#stdoutUsage === undefined) return [];
		this.#usageTold = true;
		return [this.#usage.fromStdout(this.ref, this.#stdoutUsage, this.#state !== "failed")];
	}

	#tellUsage(usage: StepUsage, isAnswer: boolean): AgyEvent[] {
		if (this.#usageTold) return [];
		this.#usageTold = true;
		const event = this.#usage.fromDatabase(this.ref, usage, isAnswer);
		return event ? [event] : [];
	}

	#end(verdict: "done" | "failed"): AgyEvent[] {
		// A failed row may be filled by a later attempt; a finished one stays finished.
		if (this.#state === verdict || this.#state === "done") return [];
		this.#state = verdict;
		if (verdict === "failed") return [{ type: "generation", step: this.ref, state: "failed" }];
		const toolCallIds = this.toolCalls.map((call) => call.id);
		const cutShort = this.cutShort;
		return [{ type: "generation", step: this.ref, state: "done", toolCallIds, ...(cutShort && { cutShort }) }];
	}

	#changed(block: "text" | "thinking", change: TextChange | undefined): AgyEvent[] {
		if (change === undefined) return [];
		switch (change.kind) {
			case "grew":
				return [{ type: block, step: this.ref, delta: change.delta }];
			case "rewritten":
				return [{ type: "rewrite", block, step: this.ref, text: change.text }];
		}
	}
}

/** Counts that are all zero say that nobody counted. */
function hasCounts({ input, output, cacheRead }: StreamUsage): boolean {
	return input + output + cacheRead > 0;
}

/**
 * Whether a planner row is finished. agy stores a failed model call as an empty row that is DONE with an unusual stop
 * reason, and repeats the call in a new row; and since 1.1.18 it may write a row empty first and fill it later.
 */
function judge(step: Step, body: PlannerBody): GenerationState {
	if (!step.terminal) return "open";
	if (step.status !== "done" || FAILED_STOPS.has(body.stopReason)) return "failed";
	if (body.text !== "" || body.thinking !== "" || body.toolCalls.length > 0) return "done";
	if (body.stopReason === 0) return "open";
	return ORDINARY_STOPS.has(body.stopReason) ? "done" : "failed";
}
