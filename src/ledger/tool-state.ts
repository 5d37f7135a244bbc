import type { StepStatus, ToolBody } from "../decode/step-types.ts";
import type { ToolState } from "../engine/events.ts";

/** The state of a tool from its row. A command that exits with an error is `done`: the tool worked. */
export function stateOfRow(status: StepStatus, body: ToolBody): ToolState {
	switch (status) {
		case "done":
			return "done";
		case "error":
			return "failed";
		case "cancelled":
		case "cleared":
		case "invalid":
			return "cancelled";
		case "waiting":
			return "waiting";
		// An interrupted step stays in the database until the next resume rewrites it to cancelled (agy 1.2.0).
		case "interrupted":
		case "pending":
		case "queued":
		case "generating":
		case "unspecified":
		case "unknown":
			return "running";
		case "running":
			return body.task ? "background" : "running";
	}
}

/** The state of a tool from stdout's `step_update`. Names of states that a later agy invents count as running. */
export function stateOfStdout(state: string, failed: boolean): ToolState {
	switch (state.toUpperCase()) {
		case "DONE":
			return failed ? "failed" : "done";
		case "ERROR":
		case "FAILED":
			return "failed";
		case "CANCELED":
		case "CANCELLED":
			return "cancelled";
		case "WAITING":
			return "waiting";
		default:
			return failed ? "failed" : "running";
	}
}
