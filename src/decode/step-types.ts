import type { FileDiff, JsonObject, TokenUsage, ToolError, ToolKind, ToolWait } from "../engine/events.ts";

/** One row of agy's `steps` table as it was read. Rows are mutable: the same `idx` is rewritten in place as it grows. */
export interface StepRow {
	readonly idx: number;
	readonly stepType: number;
	readonly status: number;
	readonly payload: Uint8Array;
}

/** Names of CortexStepStatus, from agy's own descriptors. */
export type StepStatus =
	| "unspecified"
	| "pending"
	| "running"
	| "done"
	| "invalid"
	| "cleared"
	| "cancelled"
	| "error"
	| "generating"
	| "waiting"
	| "queued"
	| "interrupted"
	| "unknown";

/**
 * A step, decoded on demand: every property may be a getter that decodes when it is first read and keeps the result.
 * Reading never throws; what cannot be understood is absent.
 */
export interface Step {
	readonly idx: number;
	readonly type: number;
	readonly status: StepStatus;
	/** True for done, error, cancelled, invalid, cleared: agy does not write the row again in this turn. */
	readonly terminal: boolean;
	/** "" where the row carries none. */
	readonly trajectory: string;
	readonly usage: StepUsage | undefined;
	readonly body: StepBody;
}

export interface StepUsage extends TokenUsage {
	readonly responseId: string | undefined;
}

export type StepBody =
	| { readonly kind: "user-input"; readonly text: string }
	| PlannerBody
	| { readonly kind: "error-message"; readonly error: StepError }
	| SystemMessageBody
	/** Title, and agy's own compaction of its context. */
	| { readonly kind: "checkpoint"; readonly title: string | undefined; readonly compaction: boolean }
	| ToolBody
	/** Rows that carry nothing for a reader (conversation history, ephemeral messages, …). */
	| { readonly kind: "silent" };

export interface PlannerBody {
	readonly kind: "planner";
	readonly thinking: string;
	readonly text: string;
	readonly toolCalls: readonly PlannedCall[];
	/** CortexStepPlannerResponse.stop_reason; 0 when absent. */
	readonly stopReason: number;
}

export interface PlannedCall {
	readonly id: string;
	readonly name: string;
	readonly args: JsonObject;
}

/** A model or agy failure as agy recorded it (CortexErrorDetails). */
export interface StepError {
	readonly userMessage: string;
	readonly short: string;
	readonly full: string;
	readonly details: string;
	readonly modelMessage: string;
	/** HTTP status of the model call, 0 when absent. */
	readonly code: number;
}

export interface SystemMessageBody {
	readonly kind: "system-message";
	readonly text: string;
	/** The conversation id of the subagent, or the id of the background task, that sent it. */
	readonly sender: string;
	readonly hidden: boolean;
}

export interface ToolBody {
	readonly kind: "tool";
	readonly callId: string | undefined;
	readonly name: string;
	readonly toolKind: ToolKind;
	readonly args: JsonObject;
	readonly summary: string;
	readonly output: string | undefined;
	readonly exitCode: number | undefined;
	readonly diff: FileDiff | undefined;
	readonly error: ToolError | undefined;
	readonly wait: ToolWait | undefined;
	readonly mcp: { readonly server: string; readonly tool: string } | undefined;
	readonly progress: string | undefined;
	readonly imagePaths: readonly string[] | undefined;
	readonly task: { readonly id: string; readonly logPath?: string } | undefined;
	readonly subagents: readonly { readonly conversationId: string; readonly role: string | undefined }[];
	/** Questions agy asked, with the answers it gave itself in headless mode. */
	readonly questions: readonly { readonly question: string; readonly answers: readonly string[] }[];
	readonly startedAt: number | undefined;
	readonly endedAt: number | undefined;
}

/** One row of `executor_metadata`: written once per turn, at its end. */
export interface ExecutorRecord {
	readonly idx: number;
	/** ExecutorTerminationReason: 4 NO_TOOL_CALL is a normal end, 2 USER_CANCELED, 1 ERROR, 3 MAX_INVOCATIONS. */
	readonly terminationReason: number;
	readonly lastStepIdx: number;
	readonly error: string;
}

/** One row of `gen_metadata`: one model call. */
export interface GenerationRecord {
	readonly idx: number;
	readonly usage: StepUsage | undefined;
	readonly stepIndices: readonly number[];
	readonly model: string;
}

/** What a database says about its conversation (`trajectory_metadata_blob`). */
export interface ConversationRecord {
	readonly parentConversationId: string;
	readonly workspaceUris: readonly string[];
}
