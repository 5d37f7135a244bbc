import type { Step, StepBody, SystemMessageBody, ToolBody } from "../decode/step-types.ts";
import type { AgyEvent, StepRef } from "../engine/events.ts";
import type { StreamStep } from "../stdout/stream-message.ts";
import { printableLine } from "../words/printable.ts";
import * as notices from "./notices.ts";

type CheckpointBody = Extract<StepBody, { kind: "checkpoint" }>;

interface Subagent {
	/** The step that started it. */
	readonly ref: StepRef;
	role: string | undefined;
	/** What that step shows as its result. */
	output: string;
	done: boolean;
}

/** What goes on beside the answer: titles, compactions, subagents, messages of the system. Each is told once. */
export class SideSteps {
	#title: string | undefined;
	readonly #compactions = new Set<number>();
	readonly #messages = new Set<number>();
	readonly #questions = new Set<string>();
	/** By conversation id. */
	readonly #subagents = new Map<string, Subagent>();

	fromCheckpoint(index: number, body: CheckpointBody): AgyEvent[] {
		const events: AgyEvent[] = [];
		if (body.compaction && !this.#compactions.has(index)) {
			this.#compactions.add(index);
			events.push(notices.compaction());
		}
		// It stands in pi's footer and in the title of the terminal.
		const title = printableLine(body.title ?? "");
		if (title !== "" && title !== this.#title) {
			this.#title = title;
			events.push({ type: "title", text: title });
		}
		return events;
	}

	/** `fromTask`: a background task of a tool we know sent it. */
	fromSystemMessage(index: number, body: SystemMessageBody, fromTask: boolean): AgyEvent[] {
		if (this.#messages.has(index)) return [];
		this.#messages.add(index);
		const subagent = this.#subagents.get(body.sender);
		if (subagent) {
			if (subagent.done) return [];
			subagent.done = true;
			const ended = subagentEvent(subagent.ref, body.sender, subagent.role, "done");
			const isShown = body.hidden || body.text === "" || subagent.output.includes(body.text);
			return isShown ? [ended] : [ended, notices.subagentReport(subagent.role, body.text)];
		}
		return body.hidden || fromTask || body.text === "" ? [] : [notices.systemMessage(body.text)];
	}

	fromTool(ref: StepRef, step: Step, body: ToolBody): AgyEvent[] {
		const events: AgyEvent[] = body.subagents.flatMap(({ conversationId, role }) =>
			this.#subagentStarted(ref, conversationId, role),
		);
		if (!step.terminal) return events;
		for (const { conversationId } of body.subagents) {
			const subagent = this.#subagents.get(conversationId);
			if (subagent) subagent.output = body.output ?? "";
		}
		for (const { question, answers } of body.questions) {
			const key = `${ref.trajectory} ${ref.index} ${question}`;
			if (this.#questions.has(key)) continue;
			this.#questions.add(key);
			events.push(notices.selfAnswered(question, answers, ref));
		}
		return events;
	}

	fromStdoutTool(ref: StepRef, message: StreamStep): AgyEvent[] {
		const id = message.subagentConversationId;
		return id === undefined ? [] : this.#subagentStarted(ref, id, undefined);
	}

	#subagentStarted(ref: StepRef, conversationId: string, role: string | undefined): AgyEvent[] {
		const known = this.#subagents.get(conversationId);
		// stdout tells of it first, without its role.
		if (known) known.role ??= role;
		if (conversationId === "" || known) return [];
		this.#subagents.set(conversationId, { ref, role, output: "", done: false });
		return [subagentEvent(ref, conversationId, role, "running")];
	}
}

function subagentEvent(
	step: StepRef,
	conversationId: string,
	role: string | undefined,
	state: "running" | "done",
): AgyEvent {
	return { type: "subagent", step, conversationId, ...(role !== undefined && { role }), state };
}
