import type { Failure } from "./failure.ts";

/**
 * The one vocabulary between agy and pi. Everything pi-side is written against it and knows nothing of SQLite,
 * protobuf or agy's flags; every engine produces it.
 */
export type AgyEvent =
	| ConversationEvent
	| TextEvent
	| RewriteEvent
	| GenerationEvent
	| ToolEvent
	| UsageEvent
	| TitleEvent
	| SubagentEvent
	| ActivityEvent
	| NoticeEvent
	| EndEvent;

/** A place in a conversation. A rewind reuses an index under another trajectory, so both are needed. */
export interface StepRef {
	readonly trajectory: string;
	readonly index: number;
}

/** The conversation this run writes is known. Comes once, before anything that stems from a step. */
export interface ConversationEvent {
	readonly type: "conversation";
	readonly id: string;
	/** The conversation that was asked for, when agy did not honour it and started `id` instead. */
	readonly insteadOf?: string;
}

/** Text or thinking of one model call grew by `delta`. Deltas of one step and block, joined, are the whole text. */
export interface TextEvent {
	readonly type: "text" | "thinking";
	readonly step: StepRef;
	readonly delta: string;
}

/** agy replaced what a step had said by something that is not a continuation of it. `text` is the whole new text. */
export interface RewriteEvent {
	readonly type: "rewrite";
	readonly block: "text" | "thinking";
	readonly step: StepRef;
	readonly text: string;
}

/** The life of one model call (one planner row). `done` comes after its last text and after its usage, if it has one. */
export interface GenerationEvent {
	readonly type: "generation";
	readonly step: StepRef;
	readonly state: "started" | "done" | "failed";
	/** The tool calls this model call ended with, in order. Present on `done`. */
	readonly toolCallIds?: readonly string[];
	/** agy ran out of output tokens. */
	readonly cutShort?: boolean;
}

export type ToolState = "waiting" | "running" | "background" | "done" | "failed" | "cancelled";

/** What a tool does, for its title and its drawing. */
export type ToolKind =
	| "command"
	| "edit"
	| "read"
	| "list"
	| "grep"
	| "find"
	| "mcp"
	| "web"
	| "url"
	| "subagent"
	| "question"
	| "image"
	| "other";

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** One of agy's tools, whole, each time something about it changed. The last state is terminal unless the run ended first. */
export interface ToolEvent {
	readonly type: "tool";
	readonly step: StepRef;
	/** The id agy gave the call; made from the step where agy gave none. */
	readonly callId: string;
	/** agy's own name of the tool, for instance `run_command`. */
	readonly name: string;
	readonly kind: ToolKind;
	readonly args: JsonObject;
	/** What it does in one line, without the verb: `npm test`, `src/x.ts`, `"needle" in src`. */
	readonly summary: string;
	readonly state: ToolState;
	/** The whole output so far, not bounded. */
	readonly output?: string;
	readonly exitCode?: number;
	readonly diff?: FileDiff;
	readonly error?: ToolError;
	/** Why it waits, when `state` is `waiting`. */
	readonly wait?: ToolWait;
	/** Set for MCP calls: lets a bridge recognise its own. */
	readonly mcp?: { readonly server: string; readonly tool: string };
	/** MCP and generic progress: "3/10 fetching". */
	readonly progress?: string;
	/** Pictures the tool made, as absolute paths. */
	readonly imagePaths?: readonly string[];
	/** agy's background task id and log file. */
	readonly task?: { readonly id: string; readonly logPath?: string };
	/** Milliseconds since the epoch, from agy's own metadata. */
	readonly startedAt?: number;
	readonly endedAt?: number;
}

export interface FileDiff {
	/** Absolute path. */
	readonly path: string;
	readonly change: "created" | "edited" | "deleted" | "moved";
	readonly movedTo?: string;
	/** Line by line, with unchanged context; absent where the step carries no text (binary, huge, not told). */
	readonly lines?: readonly DiffLine[];
	/** The file is no text, so there is nothing to show or to count. */
	readonly binary?: boolean;
	readonly added: number;
	readonly removed: number;
}

export interface DiffLine {
	readonly kind: "context" | "add" | "remove";
	readonly text: string;
}

export interface ToolError {
	readonly message: string;
	readonly detail?: string;
	/** The step was refused rather than broken: a permission that could not be asked for, or a hook's veto. */
	readonly denied?: { readonly by: "permission" | "hook"; readonly action?: string; readonly target?: string };
}

export type ToolWait =
	| { readonly for: "permission"; readonly action: string; readonly target: string; readonly description?: string }
	| { readonly for: "answer"; readonly question: string };

/** Token counts of one model call. `input` excludes `cacheRead`; `output` includes `reasoning`. */
export interface TokenUsage {
	readonly input: number;
	readonly output: number;
	readonly reasoning: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
}

/** The usage of one model call; never a sum. Each response is reported once. */
export interface UsageEvent {
	readonly type: "usage";
	readonly step: StepRef;
	readonly usage: TokenUsage;
	readonly responseId?: string;
	/** The model that answered, in agy's words. */
	readonly model?: string;
	/** False for agy's side calls (titles, summaries): they cost tokens but say nothing about the context. */
	readonly isAnswer: boolean;
}

export interface TitleEvent {
	readonly type: "title";
	readonly text: string;
}

export interface SubagentEvent {
	readonly type: "subagent";
	readonly step: StepRef;
	readonly conversationId: string;
	readonly role?: string;
	readonly state: "running" | "done";
}

/** What agy is doing right now, for a working line. */
export interface ActivityEvent {
	readonly type: "activity";
	readonly doing:
		| "waiting-for-slot"
		| "waiting-for-conversation"
		| "starting"
		| "thinking"
		| "writing"
		| "running-tool"
		| "waiting-for-permission"
		| "waiting-for-answer"
		| "retrying"
		| "finishing"
		| "waiting-for-background";
	readonly detail?: string;
	/** What kind of tool runs, where `detail` is what it works on. */
	readonly tool?: ToolKind;
}

/** Something a person should know that is neither the answer nor a failure. */
export interface NoticeEvent {
	readonly type: "notice";
	readonly level: "info" | "warning" | "error";
	readonly code:
		| "compaction"
		| "recovered-text"
		| "background-tasks"
		| "model-retry"
		| "denied-action"
		| "self-answered-question"
		| "system-message"
		| "scratch-write"
		| "cut-short"
		| "other";
	readonly text: string;
	/** The step it is about, where the step itself says the same. */
	readonly step?: StepRef;
}

/** The last event of every run, exactly once. */
export interface EndEvent {
	readonly type: "end";
	readonly outcome: Outcome;
	readonly progress: RunProgress;
}

export type Outcome =
	| { readonly kind: "answered" }
	| { readonly kind: "cancelled"; readonly by: CancelReason }
	| { readonly kind: "failed"; readonly failure: Failure };

export type CancelReason = "user" | "steering" | "shutdown" | "veto" | "owner-gone";

/** How far the run came; what a retry, a resume and the session store need to know. */
export interface RunProgress {
	readonly conversationId?: string;
	/** The highest step index seen in that conversation, -1 when none was. */
	readonly lastStep: number;
	readonly trajectory?: string;
	/** agy has written our prompt into the conversation. */
	readonly promptSeen: boolean;
	/** At least one tool of agy began in this run: repeating the prompt could repeat its effects. */
	readonly toolsRan: boolean;
	/** Text of an answer was emitted. */
	readonly textSeen: boolean;
}
