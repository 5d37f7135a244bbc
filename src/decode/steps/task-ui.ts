import type { ToolFacts } from "../tool-facts.ts";
import type { Message } from "../wire.ts";
import { argsOf } from "./args.ts";

/**
 * CortexStepTaskBoundary {1 task_name, 2 task_status, 3 task_summary, 6 delta_summary}: agy tells which part of its plan it works
 * on.
 */
export function taskBoundary(body: Message): ToolFacts {
	return {
		kind: "other",
		get args() {
			return argsOf({ TaskName: body.text(1), TaskStatus: body.text(2) });
		},
		get summary() {
			return [body.text(1), body.text(2)].filter(Boolean).join(": ") || undefined;
		},
		get output() {
			return body.text(3) || body.text(6) || undefined;
		},
	};
}

/** CortexStepNotifyUser {1 review_absolute_uris, 2 notification_content}. */
export function notifyUser(body: Message): ToolFacts {
	return {
		kind: "other",
		get args() {
			return argsOf({ Message: body.text(2), PathsToReview: body.texts(1) });
		},
		get summary() {
			return body.text(2) || undefined;
		},
		get output() {
			return body.text(2) || undefined;
		},
	};
}

/** CortexStepWait {1 duration_ms}. */
export function wait(body: Message): ToolFacts {
	return {
		kind: "other",
		get args() {
			return argsOf({ DurationMs: body.number(1) });
		},
		get summary() {
			return body.has(1) ? `${body.number(1) / 1000} s` : undefined;
		},
	};
}
