import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { createParts } from "../src/extension/parts.ts";
import { registerAntigravity } from "../src/extension/register.ts";
import { registerCommand } from "../src/extension/register-command.ts";
import { sharedState } from "../src/extension/shared-state.ts";
import { registerAskAntigravity } from "../src/tools/ask-antigravity/register.ts";

/** Antigravity for pi. pi calls this once for each session. */
export default function antigravity(pi: ExtensionAPI): void {
	const parts = createParts();
	registerAntigravity(pi, parts, sharedState);
	registerCommand(pi, parts, sharedState);
	registerAskAntigravity(pi, parts);
}
