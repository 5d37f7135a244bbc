import { appendFileSync } from "node:fs";
import { createAssistantMessageEventStream, fauxAssistantMessage, fauxProvider } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/**
 * What the tests of conversations need in pi: another model (`faux/other`), `/goto <entry> [sum]` to walk in the session's
 * tree, and `/ask <words>`, which asks the picked model something aside, as summarising extensions do.
 */
export default function conversationExtension(pi: ExtensionAPI): void {
	const faux = fauxProvider({ provider: "faux", models: [{ id: "other" }] });
	pi.registerProvider({
		...faux.provider,
		streamSimple(model) {
			const stream = createAssistantMessageEventStream();
			const message = { ...fauxAssistantMessage("The other model speaks."), api: model.api, provider: model.provider };
			stream.push({ type: "done", reason: "stop", message: { ...message, model: model.id } });
			stream.end();
			return stream;
		},
	});

	pi.registerCommand("goto", {
		description: "Walk to an entry",
		async handler(args, ctx) {
			const [entry = "", how] = args.trim().split(" ");
			await ctx.navigateTree(entry, { summarize: how === "sum" });
		},
	});

	pi.registerCommand("ask", {
		description: "Ask the model aside",
		async handler(args, ctx) {
			if (!ctx.model) throw new Error("no model");
			const message = { role: "user" as const, content: args, timestamp: Date.now() };
			const answer = await ctx.modelRegistry.streamSimple(ctx.model, { messages: [message] }).result();
			const words = answer.content.map((part) => (part.type === "text" ? part.text : "")).join("");
			appendFileSync(`${process.env.HOME}/asked`, words);
		},
	});
}
