import type { Settings } from "../config/schema.ts";

export type SelectionRules = Pick<Settings, "bridge" | "bridgeAllow" | "bridgeDeny" | "toolsRunIn">;

export interface Selection<Tool> {
	readonly offered: readonly Tool[];
	readonly leftOut: readonly LeftOut[];
}

export interface LeftOut {
	readonly name: string;
	/** For people, as the end of a sentence: "agy has its own". */
	readonly reason: string;
}

/** pi's tools that agy has equals of. */
const AGY_HAS_ITS_OWN = new Set(["read", "write", "edit", "bash", "grep", "find", "ls"]);

/** Tools of this extension. agy calling agy leads nowhere, and a card is not a tool to call. */
const OUR_OWN = new Set(["AskAntigravity", "agy_step"]);

/** Pure: which of pi's active tools agy is offered, and why not the others. */
export function selectTools<Tool extends { readonly name: string }>(
	active: readonly Tool[],
	rules: SelectionRules,
): Selection<Tool> {
	const offered: Tool[] = [];
	const leftOut: LeftOut[] = [];
	for (const tool of active) {
		const reason = reasonToLeaveOut(tool.name, rules);
		if (reason === undefined) offered.push(tool);
		else leftOut.push({ name: tool.name, reason });
	}
	return { offered, leftOut };
}

function reasonToLeaveOut(name: string, rules: SelectionRules): string | undefined {
	if (OUR_OWN.has(name)) return "it belongs to this extension";
	if (rules.bridgeDeny.includes(name)) return "the setting bridgeDeny names it";
	// Without tools of its own agy needs all of pi's.
	if (rules.bridgeAllow.includes(name) || rules.toolsRunIn === "pi") return undefined;
	switch (rules.bridge) {
		case "off":
			return "the setting bridge is off";
		case "extensions":
			return AGY_HAS_ITS_OWN.has(name) ? "agy has its own" : undefined;
		case "all":
			return undefined;
	}
}

/** A tool as MCP lists it. */
export interface ListedTool {
	readonly name: string;
	readonly description: string;
	/** JSON Schema, as pi has it. */
	readonly inputSchema: object;
}

/** A name for the tool that waits for slow ones, unlike that of any offered tool. */
export function waitToolName(tools: readonly { readonly name: string }[]): string {
	const taken = new Set(tools.map((tool) => tool.name));
	for (let number = 1; ; number++) {
		const name = number === 1 ? "wait" : `wait_${number}`;
		if (!taken.has(name)) return name;
	}
}

/** The list agy sees: pi's tools as they are, and the tool that waits. */
export function listTools(
	tools: readonly { readonly name: string; readonly description: string; readonly parameters: object }[],
	waitName: string,
): ListedTool[] {
	const listed = tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters }));
	return [...listed, { name: waitName, description: WAIT_DESCRIPTION, inputSchema: WAIT_SCHEMA }];
}

const WAIT_DESCRIPTION =
	"Waits for a tool of this server that was answered with a handle because it takes long. Returns its result, or that it is still running.";

const WAIT_SCHEMA = {
	type: "object",
	properties: { handle: { type: "string", description: "The handle from the answer." } },
	required: ["handle"],
	additionalProperties: false,
};
