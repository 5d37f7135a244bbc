import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { createParts } from "../src/extension/parts.ts";
import { registerAntigravity } from "../src/extension/register.ts";

/** Antigravity for pi. pi calls this once for each session. */
export default function antigravity(pi: ExtensionAPI): void {
	registerAntigravity(pi, createParts());
}
