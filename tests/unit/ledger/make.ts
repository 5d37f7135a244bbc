import type { PlannerBody, Step, StepBody, StepStatus, StepUsage, ToolBody } from "../../../src/decode/step-types.ts";
import type { AgyEvent, ToolEvent } from "../../../src/engine/events.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { Observation } from "../../../src/ledger/observation.ts";
import type { StreamResult, StreamStep } from "../../../src/stdout/stream-message.ts";

export const CONVERSATION = "11111111-2222-4333-8444-555555555555";
const TERMINAL: readonly StepStatus[] = ["done", "error", "cancelled", "invalid", "cleared"];

interface StepExtras {
	readonly usage?: StepUsage;
	readonly trajectory?: string;
}

/** A row as the tail would report it. */
export function row(idx: number, status: StepStatus, body: StepBody, extras: StepExtras = {}): Observation {
	const step: Step = {
		idx,
		type: 0,
		status,
		terminal: TERMINAL.includes(status),
		trajectory: extras.trajectory ?? "trajectory-1",
		usage: extras.usage,
		body,
	};
	return { source: "row", step };
}

export function planner(body: Partial<PlannerBody> = {}): PlannerBody {
	return { kind: "planner", thinking: "", text: "", toolCalls: [], stopReason: 0, ...body };
}

/** A finished model call: DONE, with an ordinary stop reason. */
export function answer(text: string, more: Partial<PlannerBody> = {}): PlannerBody {
	return planner({ text, stopReason: 2, ...more });
}

export function tool(body: Partial<ToolBody> = {}): ToolBody {
	return {
		kind: "tool",
		callId: "call-1",
		name: "run_command",
		toolKind: "command",
		args: { CommandLine: "npm test" },
		summary: "npm test",
		output: undefined,
		exitCode: undefined,
		diff: undefined,
		error: undefined,
		wait: undefined,
		mcp: undefined,
		progress: undefined,
		imagePaths: undefined,
		task: undefined,
		subagents: [],
		questions: [],
		startedAt: 1,
		endedAt: undefined,
		...body,
	};
}

export const userInput: StepBody = { kind: "user-input", text: "hello" };
export const silent: StepBody = { kind: "silent" };

export function usage(responseId: string | undefined, input = 10): StepUsage {
	return { input, output: 5, reasoning: 2, cacheRead: 3, cacheWrite: 0, responseId };
}

export function said(index: number, state: string, textDelta: string, more: Partial<StreamStep> = {}): Observation {
	return stdoutStep({ index, state, textDelta, stepType: "agent_response", ...more });
}

export function toolSaid(index: number, state: string, more: Partial<StreamStep> = {}): Observation {
	return stdoutStep({ index, state, stepType: "tool", toolName: "run_command", ...more });
}

export function stdoutStep(more: Partial<StreamStep>): Observation {
	const message: StreamStep = {
		event: "step",
		conversationId: CONVERSATION,
		index: 0,
		state: "DONE",
		stepType: "agent_response",
		textDelta: "",
		toolName: undefined,
		toolParameters: undefined,
		toolOutput: undefined,
		error: undefined,
		usage: undefined,
		subagentConversationId: undefined,
		...more,
	};
	return { source: "stdout", message };
}

export function result(response: string, more: Partial<StreamResult> = {}): Observation {
	const message: StreamResult = {
		event: "result",
		conversationId: CONVERSATION,
		status: "SUCCESS",
		response,
		error: undefined,
		deniedActions: [],
		usage: undefined,
		...more,
	};
	return { source: "stdout", message };
}

export const bound: Observation = { source: "conversation", id: CONVERSATION };
export const closed: Observation = { source: "closed", agyLives: false };
export const databaseLost: Observation = { source: "database-lost" };

export function executor(lastStepIdx: number, idx = 0, terminationReason = 4): Observation {
	return { source: "executor", record: { idx, terminationReason, lastStepIdx, error: "" } };
}

/** Feeds everything and returns all events in order. */
export function feed(ledger: Ledger, ...observations: readonly Observation[]): AgyEvent[] {
	return observations.flatMap((observation) => ledger.observe(observation));
}

/** The message that the events build: text and thinking by step index, from deltas and rewrites alone. */
export function rebuild(events: readonly AgyEvent[]): { text: Map<number, string>; thinking: Map<number, string> } {
	const blocks = { text: new Map<number, string>(), thinking: new Map<number, string>() };
	for (const event of events) {
		if (event.type === "text" || event.type === "thinking") {
			const block = blocks[event.type];
			block.set(event.step.index, (block.get(event.step.index) ?? "") + event.delta);
		}
		if (event.type === "rewrite") blocks[event.block].set(event.step.index, event.text);
	}
	return blocks;
}

/** The answer as one string, steps in order. */
export function textOf(events: readonly AgyEvent[]): string {
	const steps = [...rebuild(events).text].sort(([a], [b]) => a - b);
	return steps.map(([, text]) => text).join("");
}

export function ofType<Type extends AgyEvent["type"]>(
	events: readonly AgyEvent[],
	type: Type,
): (AgyEvent & { type: Type })[] {
	return events.filter((event): event is AgyEvent & { type: Type } => event.type === type);
}

export function toolStates(events: readonly AgyEvent[], callId?: string): string[] {
	const tools: ToolEvent[] = ofType(events, "tool");
	return tools.filter((event) => callId === undefined || event.callId === callId).map((event) => event.state);
}

export function noticeCodes(events: readonly AgyEvent[]): string[] {
	return ofType(events, "notice").map((event) => event.code);
}
