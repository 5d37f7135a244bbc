import type { StepError } from "../../decode/step-types.ts";
import type { Failure, FailureKind, ModelTrouble } from "../../engine/failure.ts";
import type { ErrorContext } from "./agy-sentences.ts";
import { failureInText, quotaAmong, stepErrorText } from "./error-text.ts";
import type { StderrSigns } from "./stderr-signs.ts";

/** With agy's own pauses of up to 30 s, so many calls take about ten minutes. */
const MAX_ATTEMPTS = 25;

/**
 * Pure: a failure that agy tries to get over for ever: an exhausted quota at once (agy 1.2.2 repeats such a call until its
 * print timeout), anything else when it was tried long enough. `openErrors`: those of calls since the last that succeeded.
 */
export function hopelessFailure(
	stderr: Pick<StderrSigns, "failure" | "attempts">,
	openErrors: readonly StepError[],
	context: ErrorContext,
): Failure | undefined {
	const error = openErrors.at(-1);
	const named = [stderr.failure, error && failureInText(stepErrorText(error), context)];
	const quota = quotaAmong(named);
	if (quota !== undefined) return quota;
	const attempts = Math.max(stderr.attempts, openErrors.length);
	if (attempts < MAX_ATTEMPTS) return undefined;
	const because = named.map((failure) => failure?.kind).find(isTrouble);
	return { kind: "model-unreachable", attempts, ...(because !== undefined && { because }) };
}

function isTrouble(kind: FailureKind | undefined): kind is ModelTrouble {
	return kind === "rate-limit" || kind === "overloaded" || kind === "no-network";
}
