import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** Tools as an extension of the user might bring them. `TOOLS_LOG` gets a line for each that really runs. */
export default function tools(pi: ExtensionAPI): void {
	const Query = Type.Object({ query: Type.String() });
	pi.registerTool({
		name: "lookup",
		label: "Lookup",
		description: "Looks something up.",
		parameters: Query,
		async execute(_id, { query }) {
			note(`lookup ${query}`);
			return {
				content: [{ type: "text", text: `found ${query}` }],
				details: undefined,
				structuredContent: { hits: [query] },
			};
		},
	});
	pi.registerTool({
		name: "picture",
		label: "Picture",
		description: "Draws.",
		parameters: Type.Object({}),
		async execute() {
			note("picture");
			return { content: [{ type: "image", data: PICTURE, mimeType: "image/png" }], details: undefined };
		},
	});
	pi.registerTool({
		name: "broken",
		label: "Broken",
		description: "Fails.",
		parameters: Type.Object({}),
		async execute() {
			note("broken");
			throw new Error("the service is down");
		},
	});
	// Ends when the file exists, or with the turn.
	pi.registerTool({
		name: "gated",
		label: "Gated",
		description: "Takes its time.",
		parameters: Type.Object({ gate: Type.String() }),
		async execute(_id, { gate }, signal) {
			note(`gated ${gate} began`);
			while (!existsSync(gate)) await sleep(5, undefined, { signal });
			note(`gated ${gate} ended`);
			return { content: [{ type: "text", text: `through ${gate}` }], details: undefined };
		},
	});
	pi.registerTool({
		name: "switch_off",
		label: "Switch off",
		description: "Switches a tool off.",
		parameters: Query,
		async execute(_id, { query }) {
			note(`switch_off ${query}`);
			pi.setActiveTools(pi.getActiveTools().filter((name) => name !== query));
			return { content: [{ type: "text", text: `${query} is off` }], details: undefined };
		},
	});
	pi.on("tool_call", (event) => {
		if (event.toolName === "lookup" && event.input.query === "secrets")
			return { block: true, reason: "not on my watch" };
	});
}

function note(line: string): void {
	const path = process.env.TOOLS_LOG;
	if (path !== undefined) appendFileSync(path, `${line}\n`);
}
