import { appendFileSync } from "node:fs";
import {
	type AssistantMessage,
	createAssistantMessageEventStream,
	fauxAssistantMessage,
	fauxProvider,
	fauxToolCall,
	getCurrentSystemPrompt,
	type Message,
} from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/**
 * Another provider's model, `faux/caller`, that does what the prompt says: a JSON list of batches of tool calls, then the words
 * "All done.". `{{conversation}}` in an argument becomes the id that the last result named. `CALLER_LOG` gets its system
 * prompts.
 */
export default function caller(pi: ExtensionAPI): void {
	const faux = fauxProvider({ provider: "faux", models: [{ id: "caller" }] });
	pi.registerProvider({
		...faux.provider,
		streamSimple(model, { messages }) {
			const path = process.env.CALLER_LOG;
			if (path !== undefined) appendFileSync(path, `${JSON.stringify(getCurrentSystemPrompt(messages))}\n`);
			const message: AssistantMessage = {
				...reply(messages),
				api: model.api,
				provider: model.provider,
				model: model.id,
			};
			const stream = createAssistantMessageEventStream();
			stream.push({ type: "done", reason: message.stopReason === "toolUse" ? "toolUse" : "stop", message });
			stream.end();
			return stream;
		},
	});
}

interface Call {
	readonly name?: string;
	readonly args: Parameters<typeof fauxToolCall>[1];
}

function reply(messages: readonly Message[]): AssistantMessage {
	const asked = messages.findLastIndex((message) => message.role === "user");
	const turn = messages.slice(asked + 1);
	const batches: Call[][] = JSON.parse(textOf(messages[asked]));
	const batch = batches[turn.filter((message) => message.role === "assistant").length];
	if (batch === undefined) return fauxAssistantMessage("All done.");
	const conversation = /conversationId ([\w-]+)/.exec(
		messages.map(textOf).join("\n").split("\n").reverse().join("\n"),
	)?.[1];
	const calls = batch.map(({ name = "AskAntigravity", args }) => {
		const filled = JSON.stringify(args).replaceAll("{{conversation}}", conversation ?? "");
		return fauxToolCall(name, JSON.parse(filled));
	});
	return fauxAssistantMessage(calls, { stopReason: "toolUse" });
}

function textOf(message: Message | undefined): string {
	if (message === undefined || message.role === "system") return "";
	if (typeof message.content === "string") return message.content;
	return message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
