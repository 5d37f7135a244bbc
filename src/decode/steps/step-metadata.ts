import type { PlannedCall, StepUsage } from "../step-types.ts";
import type { Message } from "../wire.ts";
import { timestampMs } from "./timestamp.ts";
import { plannedCall } from "./tool-call.ts";
import { usageOf } from "./usage.ts";

/**
 * Field 5 of every step: CortexStepMetadata {1 created_at, 4 tool_call, 8 completed_at, 9 model_usage,
 * 20 source_trajectory_step_info {1 trajectory_id}, 26 internal_metadata {1 status_transitions {2 timestamp}},
 * 29 modified_tool_call, 30 tool_summary, 31 tool_action, 32 started_at}.
 */
export class StepMetadata {
	readonly #message: Message;

	constructor(message: Message) {
		this.#message = message;
	}

	get trajectory(): string {
		return this.#message.message(20).text(1);
	}

	get usage(): StepUsage | undefined {
		return usageOf(this.#message.message(9));
	}

	/** The call this step executes; empty when there is none. A hook may have changed it: then those arguments are what runs. */
	get call(): PlannedCall {
		const call = plannedCall(this.#message.message(4));
		return this.#message.has(29) ? { ...call, args: plannedCall(this.#message.message(29)).args } : call;
	}

	get hasCall(): boolean {
		return this.#message.has(4);
	}

	/** The model's own words for what the call does: a short label, else a sentence. */
	get label(): string {
		return this.#message.text(30) || this.#message.text(31);
	}

	get startedAt(): number | undefined {
		return timestampMs(this.#message.message(32)) ?? timestampMs(this.#message.message(1));
	}

	/** Failed and cancelled steps have no completion time of their own, but their last change of status is recorded. */
	get endedAt(): number | undefined {
		const lastChange = this.#message.message(26).messages(1).at(-1);
		return timestampMs(this.#message.message(8)) ?? (lastChange && timestampMs(lastChange.message(2)));
	}
}
