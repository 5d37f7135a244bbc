import type { RunRequest } from "../../src/engine/engine.ts";

/** What agy is asked in an ordinary turn. */
export function runRequest(more: Partial<RunRequest> = {}): RunRequest {
	return {
		prompt: "hello",
		cwd: "/work",
		addDirs: [],
		mode: "accept-edits",
		permissions: "skip",
		purpose: "turn",
		literalPrompt: false,
		...more,
	};
}
