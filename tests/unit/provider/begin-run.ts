import { type AssistantMessage, createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import type { BridgedCalls } from "../../../src/bridge/run-tools.ts";
import type { EndEvent } from "../../../src/engine/events.ts";
import { LiveRun } from "../../../src/provider/live-run.ts";
import type { StepDisplay } from "../../../src/provider/message-boundary.ts";
import { type MessageSink, MessageWriter } from "../../../src/provider/message-writer.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { FakeEngine } from "../../support/fake-engine.ts";
import { model } from "../../support/pi-model.ts";

export const CWD = "/home/me/project";

/** A run whose conversation is known, and pi's side of it. */
export function beginRun(display: StepDisplay = "cards", calls?: BridgedCalls) {
	const clock = new FakeClock();
	const run = new FakeEngine().start({
		prompt: "go",
		cwd: CWD,
		addDirs: [],
		mode: "accept-edits",
		permissions: "skip",
		purpose: "turn",
		literalPrompt: false,
	});
	const ends: { end: EndEvent; answer: string }[] = [];
	const hooks = {
		async ended(end: EndEvent, answer: string) {
			ends.push({ end, answer });
		},
	};
	const live = new LiveRun(run, clock, hooks, calls);
	run.emit({ type: "conversation", id: "c1" });

	/** pi asks for the next assistant message. `sink` hears of it as it is written. */
	function message(sink: MessageSink = createAssistantMessageEventStream()): MessageWriter {
		const writer = new MessageWriter(sink, model, clock.now());
		live.continueIn({ writer, display, cwd: CWD, closingLine: true });
		return writer;
	}
	return { clock, run, live, ends, message };
}

/** What a message holds, in short: text as it is, thinking in round brackets, tool calls in square ones. */
export function blocks({ message }: { readonly message: AssistantMessage }): string[] {
	return message.content.map((block) => {
		if (block.type === "text") return block.text;
		if (block.type === "thinking") return `(${block.thinking})`;
		const { kind, summary } = block.arguments;
		return block.name === "agy_step" ? `[${kind}: ${summary}]` : `[${block.name} ${JSON.stringify(block.arguments)}]`;
	});
}

/** The ids of a message's tool calls. */
export function callIds({ message }: { readonly message: AssistantMessage }): string[] {
	return message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
}
