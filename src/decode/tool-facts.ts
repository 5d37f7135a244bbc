import type { FileDiff, JsonObject, ToolKind } from "../engine/events.ts";
import type { StepStatus, ToolBody } from "./step-types.ts";
import type { Message } from "./wire.ts";

/**
 * What the message of one step type says about its tool. Every property may be a getter, so that nothing is decoded before
 * it is asked for. What all tools share (call id, error details, waits, times) is not here: see `ToolStep`.
 */
export interface ToolFacts {
	readonly kind: ToolKind;
	/** The arguments as the step tells them, under the names agy's models use for them. */
	readonly args: JsonObject;
	/** One line for a person, where it cannot be made from the arguments. */
	readonly summary?: string | undefined;
	readonly output?: string | undefined;
	readonly exitCode?: number | undefined;
	readonly diff?: FileDiff | undefined;
	/** What went wrong, where the tool says so in a field of its own. */
	readonly problem?: string | undefined;
	/** A person, a rule or agy's own judgement refused the call. */
	readonly rejected?: boolean;
	/** The file that agy wants to be allowed to touch, from the step's own permission request. */
	readonly restrictedPath?: string | undefined;
	readonly mcp?: ToolBody["mcp"];
	readonly progress?: string | undefined;
	readonly imagePaths?: readonly string[];
	readonly subagents?: ToolBody["subagents"];
	readonly questions?: ToolBody["questions"];
}

/** The call a step executes, as its metadata tells it. */
export interface ToolContext {
	readonly status: StepStatus;
	/** agy's name of the tool; the step type's usual name where the metadata has none. */
	readonly name: string;
	/** Empty where the metadata has none. */
	readonly args: JsonObject;
}

/**
 * Reads the message of one step type. The docstring of each decoder lists the fields it reads, by number and by their names in
 * agy's own descriptors: `CortexStepWait {1 duration_ms}`. Inner messages stand in braces behind their field.
 */
export type ToolDecoder = (body: Message, context: ToolContext) => ToolFacts;
