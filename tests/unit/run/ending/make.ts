import type { StepError } from "../../../../src/decode/step-types.ts";

/** The error of a step that says nothing but what is given. */
export function stepError(said: Partial<StepError>): StepError {
	return { userMessage: "", short: "", full: "", details: "", modelMessage: "", code: 0, ...said };
}
