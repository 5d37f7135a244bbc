import { appendFileSync } from "node:fs";
import {
	createAssistantMessageEventStream,
	fauxAssistantMessage,
	fauxProvider,
	getCurrentTools,
} from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** Another provider with one model, `faux/other`, which notes in `OTHER_LOG` what it was sent and answers with one sentence. */
export default function otherModel(pi: ExtensionAPI): void {
	const faux = fauxProvider({ provider: "faux", models: [{ id: "other" }] });
	pi.registerProvider({
		...faux.provider,
		streamSimple(model, context) {
			const path = process.env.OTHER_LOG;
			const tools = getCurrentTools(context.messages).map(({ name }) => name);
			if (path !== undefined) appendFileSync(path, `${JSON.stringify({ messages: context.messages, tools })}\n`);
			const stream = createAssistantMessageEventStream();
			const message = { ...fauxAssistantMessage("The other model speaks."), api: model.api, provider: model.provider };
			stream.push({ type: "done", reason: "stop", message: { ...message, model: model.id } });
			stream.end();
			return stream;
		},
	});
}
