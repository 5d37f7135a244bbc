import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** An extension that blocks every tool call, as a permission gate would. */
export default function veto(pi: ExtensionAPI): void {
	pi.on("tool_call", () => ({ block: true, reason: "not on my watch" }));
}
