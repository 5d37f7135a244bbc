import type { ActivityEvent, ToolEvent } from "../engine/events.ts";

/** What the activity follows from. */
export interface ActivityView {
	/** agy said that the turn is over. */
	readonly over: boolean;
	readonly openTools: readonly ToolEvent[];
	readonly backgroundTools: readonly ToolEvent[];
	readonly lastGeneration: "none" | "open" | "done" | "failed";
	/** The newest model call has text. */
	readonly writing: boolean;
	/** Why the last model call failed, if it did. */
	readonly problem: string | undefined;
	/** Anything of this run was seen. */
	readonly begun: boolean;
}

/** What agy is doing, by the most telling thing that is open. */
export function activityOf(view: ActivityView): ActivityEvent | undefined {
	const waiting = view.openTools.find((tool) => tool.state === "waiting");
	if (waiting) {
		const doing = waiting.wait?.for === "answer" ? "waiting-for-answer" : "waiting-for-permission";
		return activity(doing, waiting.summary || waiting.name);
	}
	const running = view.openTools.at(-1);
	if (running) return runningTool(running);
	if (view.lastGeneration === "open") return activity(view.writing ? "writing" : "thinking");
	if (view.over) {
		const left = view.backgroundTools.at(-1);
		return left ? activity("waiting-for-background", left.summary || left.name) : activity("finishing");
	}
	if (view.lastGeneration === "failed" || view.problem !== undefined) return activity("retrying", view.problem);
	return view.begun ? activity("thinking") : undefined;
}

function runningTool({ kind, name, summary }: ToolEvent): ActivityEvent {
	return summary === "" ? activity("running-tool", name) : { ...activity("running-tool", summary), tool: kind };
}

function activity(doing: ActivityEvent["doing"], detail?: string): ActivityEvent {
	return { type: "activity", doing, ...(detail !== undefined && detail !== "" && { detail }) };
}
