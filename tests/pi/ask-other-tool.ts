import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** Another extension that has a tool of the same name. */
export default function otherTool(pi: ExtensionAPI): void {
	pi.registerTool({
		name: "AskAntigravity",
		label: "other",
		description: "Another extension's tool.",
		parameters: Type.Object({ prompt: Type.String() }),
		execute: async () => ({ content: [{ type: "text", text: "the other one" }], details: undefined }),
	});
}
