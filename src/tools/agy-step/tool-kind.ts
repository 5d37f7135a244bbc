import type { ToolKind } from "../../engine/events.ts";

const KINDS: Readonly<Record<ToolKind, true>> = {
	command: true,
	edit: true,
	read: true,
	list: true,
	grep: true,
	find: true,
	mcp: true,
	web: true,
	url: true,
	subagent: true,
	question: true,
	image: true,
	other: true,
};

/** True for a kind this version knows; a card may come from a session of another one. */
export function isToolKind(kind: string): kind is ToolKind {
	return Object.hasOwn(KINDS, kind);
}
