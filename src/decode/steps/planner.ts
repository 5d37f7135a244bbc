import type { PlannedCall, PlannerBody, StepStatus } from "../step-types.ts";
import type { Message } from "../wire.ts";
import { type Known, remember } from "./remember.ts";
import { plannedCall } from "./tool-call.ts";

const RESPONSE = 1;
const MODIFIED_RESPONSE = 8;

/**
 * CortexStepPlannerResponse {1 response, 3 thinking, 7 tool_calls, 8 modified_response, 12 stop_reason}: one model call, growing
 * in place.
 */
export class PlannerStep implements PlannerBody {
	readonly kind = "planner";
	readonly #body: Message;
	readonly #status: StepStatus;
	readonly #known: Known<PlannerBody> = {};

	constructor(body: Message, status: StepStatus) {
		this.#body = body;
		this.#status = status;
	}

	get thinking(): string {
		return remember(this.#known, "thinking", () => this.#body.text(3));
	}

	get text(): string {
		return remember(this.#known, "text", () => this.#body.text(this.#textField()));
	}

	get toolCalls(): readonly PlannedCall[] {
		return remember(this.#known, "toolCalls", () => this.#body.messages(7).map(plannedCall));
	}

	get stopReason(): number {
		return this.#body.number(12);
	}

	/**
	 * The text stands twice: as the model said it, and after moderation. Both grow together in the database; agy's RPC
	 * stream has only the second until the end. The moderated one is final.
	 */
	#textField(): number {
		const response = this.#body.byteLength(RESPONSE);
		const modified = this.#body.byteLength(MODIFIED_RESPONSE);
		if (this.#status === "done" && modified > 0) return MODIFIED_RESPONSE;
		return response > modified ? RESPONSE : MODIFIED_RESPONSE;
	}
}
