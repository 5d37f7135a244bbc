import type { StepError } from "../../decode/step-types.ts";
import type { Failure } from "../../engine/failure.ts";
import { AGY_SENTENCES, type ErrorContext } from "./agy-sentences.ts";

/** Pure: what a text of agy's says has failed; undefined when it holds no sentence that is known. */
export function failureInText(text: string, context: ErrorContext): Failure | undefined {
	for (const { pattern, failure } of AGY_SENTENCES) {
		const match = pattern.exec(text);
		if (match !== null) return failure(match, context);
	}
	return undefined;
}

/** All that a step says about its error, the code in the form that agy writes elsewhere. */
export function stepErrorText(error: StepError): string {
	const code = error.code > 0 ? `(code ${error.code})` : "";
	return [error.short, error.userMessage, error.full, error.modelMessage, error.details, code]
		.filter(Boolean)
		.join(" ");
}

/** What several accounts of one failure say of the quota. Not every one of them has the time of its reset. */
export function quotaAmong(failures: readonly (Failure | undefined)[]): Failure | undefined {
	const quotas = failures.filter((failure) => failure?.kind === "quota");
	return quotas.find(({ resetAt }) => resetAt !== undefined) ?? quotas[0];
}
