import { isDeepStrictEqual } from "node:util";
import type { PlannedCall, StepStatus, ToolBody } from "../decode/step-types.ts";
import type { StepRef, ToolError, ToolEvent, ToolState } from "../engine/events.ts";
import { isEndState } from "../engine/tool-state.ts";
import type { StreamStep } from "../stdout/stream-message.ts";
import { describeRow, describeStdout, type ToolDescription } from "./tool-description.ts";
import { stateOfRow, stateOfStdout } from "./tool-state.ts";

/** What is known besides the tool's own observations. */
export interface ToolContext {
	/** No row is to be expected soon, so what stdout says counts. */
	readonly stdoutCounts: boolean;
	/** The planner's call with this id, once its row showed it. */
	readonly plannedCall: (id: string) => PlannedCall | undefined;
}

interface ToolRow {
	readonly status: StepStatus;
	readonly body: ToolBody;
}

/** One of agy's tools, from its first sign to its end. Its end is told once; whatever comes later is ignored. */
export class ToolTrack {
	readonly ref: StepRef;
	readonly #fallbackId: string;
	#row: ToolRow | undefined;
	#stdout: StreamStep | undefined;
	/** What its background task reported at its end. */
	#taskReport: string | undefined;
	#told: ToolEvent | undefined;

	constructor(ref: StepRef, fallbackId: string) {
		this.ref = ref;
		this.#fallbackId = fallbackId;
	}

	/** The last event about it, if any. */
	get told(): ToolEvent | undefined {
		return this.#told;
	}

	get ended(): boolean {
		return this.#told !== undefined && isEndState(this.#told.state);
	}

	/** A row or stdout says which tool it is. */
	get isNamed(): boolean {
		return this.#row !== undefined || this.#stdout?.toolName !== undefined;
	}

	/** It runs in the background, as far as is known. */
	get inBackground(): boolean {
		return this.#told?.state === "background" && !this.taskOver;
	}

	/** agy was told that its background task is over. */
	get taskOver(): boolean {
		return this.#taskReport !== undefined;
	}

	/** It may have had effects: it was neither refused nor still waiting for permission. */
	get began(): boolean {
		const told = this.#told;
		if (told === undefined) return this.#row !== undefined || this.#stdout !== undefined;
		return told.state !== "waiting" && told.error?.denied === undefined;
	}

	fromRow(status: StepStatus, body: ToolBody): void {
		this.#row = { status, body };
	}

	fromStdout(message: StreamStep): void {
		const before = this.#stdout;
		this.#stdout = {
			...message,
			toolName: message.toolName ?? before?.toolName,
			toolParameters: message.toolParameters ?? before?.toolParameters,
			toolOutput: message.toolOutput ?? before?.toolOutput,
			error: message.error ?? before?.error,
		};
	}

	/** agy was told that this background task is over. Its row is expected to say how; `close` tells it otherwise. */
	taskHasEnded(report: string): void {
		this.#taskReport = report;
	}

	/** The event that is due, if anything changed that is worth telling. */
	update(context: ToolContext): ToolEvent | undefined {
		if (this.ended) return undefined;
		const row = this.#row;
		// agy 1.1.18 and later may write a row empty first and fill it later.
		if (row && !(isPlaceholder(row.body) && !context.stdoutCounts)) {
			return this.#tell(describeRow(row.body, context.plannedCall), stateOfRow(row.status, row.body));
		}
		if (this.#stdout && context.stdoutCounts) return this.#tellStdout(this.#stdout);
		return undefined;
	}

	/** The sources have ended: so has the tool, one way or another. `because` says why it cannot have finished. */
	close(context: ToolContext, because: string): ToolEvent[] {
		const events: ToolEvent[] = [];
		const last = this.update({ ...context, stdoutCounts: true });
		if (last) events.push(last);
		const told = this.#told;
		if (told === undefined || this.ended) return events;
		const end = this.#endOf(told, because);
		this.#told = end;
		return [...events, end];
	}

	#endOf(told: ToolEvent, because: string): ToolEvent {
		const stdout = this.#stdout;
		const said = stdout && stateOfStdout(stdout.state, stdout.error !== undefined);
		if (stdout && said && isEndState(said)) {
			const output = told.output ?? stdout.toolOutput;
			const error = told.error ?? describeStdout(stdout).error;
			return { ...told, state: said, ...(output !== undefined && { output }), ...(error && { error }) };
		}
		if (this.#taskReport !== undefined) {
			const output = told.output ?? this.#taskReport;
			return { ...told, state: "done", ...(output !== "" && { output }) };
		}
		if (told.state === "waiting") return { ...told, state: "failed", error: unanswered(told) };
		return { ...told, state: "cancelled", error: told.error ?? { message: because } };
	}

	#tellStdout(stdout: StreamStep): ToolEvent | undefined {
		return this.#tell(describeStdout(stdout), stateOfStdout(stdout.state, stdout.error !== undefined));
	}

	#tell(description: ToolDescription, state: ToolState): ToolEvent | undefined {
		const { callId, wait, ...rest } = description;
		// Once told, an id is never changed: cards are found by it.
		const event: ToolEvent = {
			type: "tool",
			step: this.ref,
			callId: this.#told?.callId ?? callId ?? this.#fallbackId,
			...rest,
			...(state === "waiting" && wait && { wait }),
			state,
		};
		if (isDeepStrictEqual(event, this.#told)) return undefined;
		this.#told = event;
		return event;
	}
}

/** Every row of a real tool carries at least the call that started it. */
function isPlaceholder(body: ToolBody): boolean {
	return (
		body.callId === undefined &&
		body.output === undefined &&
		body.error === undefined &&
		body.startedAt === undefined &&
		Object.keys(body.args).length === 0
	);
}

function unanswered(told: ToolEvent): ToolError {
	if (told.wait?.for !== "permission") return { message: "agy ended while it waited for an answer." };
	const { action, target } = told.wait;
	return {
		message: `agy ended while it waited for the permission "${action}".`,
		denied: { by: "permission", action, target },
	};
}
