import type { StepStatus } from "./step-types.ts";

/** CortexStepStatus by number. */
const STATUSES: readonly StepStatus[] = [
	"unspecified",
	"pending",
	"running",
	"done",
	"invalid",
	"cleared",
	"cancelled",
	"error",
	"generating",
	"waiting",
	"unknown",
	"queued",
	"interrupted",
];

const TERMINAL: ReadonlySet<StepStatus> = new Set<StepStatus>(["done", "error", "cancelled", "invalid", "cleared"]);

/** The name of a CortexStepStatus; `unknown` for one that this reader was written before. */
export function stepStatus(number: number): StepStatus {
	return STATUSES[number] ?? "unknown";
}

/** Whether agy has finished a row with this status: it does not write it again in this turn. */
export function isTerminal(status: StepStatus): boolean {
	return TERMINAL.has(status);
}
