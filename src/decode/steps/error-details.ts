import type { StepError } from "../step-types.ts";
import type { Message } from "../wire.ts";

/**
 * CortexErrorDetails {1 user_error_message, 2 short_error, 3 full_error, 5 details, 7 error_code, 9 model_error_message}.
 */
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
