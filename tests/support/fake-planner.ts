import type { ConversationPlanner, Planned, TurnInput, TurnPlan, WordsInput } from "../../src/conversation/plan.ts";
import type { RunRequest } from "../../src/engine/engine.ts";
import type { EndEvent } from "../../src/engine/events.ts";
import type { Failure } from "../../src/engine/failure.ts";

/** A planner that sends the last thing the user said into a new conversation, and remembers what it was told. */
export class FakePlanner implements ConversationPlanner {
	readonly planned: TurnInput[] = [];
	readonly conversations: string[] = [];
	readonly ends: { readonly end: EndEvent; readonly answer: string }[] = [];
	readonly sessionsEnded: string[] = [];
	discarded = 0;
	refuseWith: Failure | undefined;
	notices: string[] = [];

	async plan(input: TurnInput): Promise<Planned<TurnPlan>> {
		this.planned.push(input);
		if (this.refuseWith !== undefined) return { refused: this.refuseWith };
		const memo = {
			sessionId: input.sessionId,
			cwd: input.cwd,
			family: input.model.family,
			before: [],
			after: [],
			instructions: "",
			instructionsBefore: "",
		};
		return { request: requestFor(input, "turn"), kind: "fresh", notices: this.notices, memo };
	}

	async started(_plan: TurnPlan, conversationId: string): Promise<void> {
		this.conversations.push(conversationId);
	}

	async finished(_plan: TurnPlan, end: EndEvent, answer: string): Promise<void> {
		this.ends.push({ end, answer });
	}

	async wordsOnly(input: WordsInput): Promise<{ request: RunRequest; discard: () => Promise<void> }> {
		return {
			request: requestFor({ ...input, cwd: "/private", mode: "accept-edits" }, "words-only"),
			discard: async () => {
				this.discarded++;
			},
		};
	}

	async sessionEnded(sessionId: string): Promise<void> {
		this.sessionsEnded.push(sessionId);
	}

	async prune(): Promise<void> {}
}

function requestFor(input: Omit<TurnInput, "sessionId" | "permissions">, purpose: RunRequest["purpose"]): RunRequest {
	return {
		prompt: lastUserText(input),
		cwd: input.cwd,
		addDirs: [],
		mode: input.mode,
		permissions: purpose === "turn" ? "skip" : "deny",
		purpose,
		literalPrompt: true,
		...(input.model.choice && { model: input.model.choice }),
	};
}

function lastUserText({ context }: WordsInput): string {
	const content = context.messages.findLast((message) => message.role === "user")?.content ?? "";
	if (typeof content === "string") return content;
	return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
