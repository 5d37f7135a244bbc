import type { StepError } from "../step-types.ts";
import type { Message } from "../wire.ts";

/** CortexErrorDetails. */
export function errorDetails(error: Message): StepError {
	return {
		userMessage: error.text(1),
		short: error.text(2),
		full: error.text(3),
		details: error.text(5),
		code: error.number(7),
		modelMessage: error.text(9),
	};
}
