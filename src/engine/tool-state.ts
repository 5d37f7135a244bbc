import type { ToolState } from "./events.ts";

/** A state after which nothing more happens to a tool. */
export type EndState = Extract<ToolState, "done" | "failed" | "cancelled">;

/** Whether a tool in this state is over, well or not. */
export function isEndState(state: ToolState): state is EndState {
	return state === "done" || state === "failed" || state === "cancelled";
}
