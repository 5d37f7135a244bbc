import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** Another extension that claims our names. */
export default function rival(pi: ExtensionAPI): void {
	pi.registerProvider("antigravity", { name: "Rival", headers: { "x-rival": "1" } });
	pi.registerCommand("agy", { description: "Something else", handler: async () => {} });
}
