import type { StepError } from "../../decode/step-types.ts";
import type { Outcome } from "../../engine/events.ts";
import type { Failure } from "../../engine/failure.ts";
import type { DeniedAction, LedgerFacts } from "../../ledger/facts.ts";
import { type DatabaseProblem, databaseFailure } from "../../tail/database-problem.ts";
import type { ErrorContext } from "./agy-sentences.ts";
import { failureInText, stepErrorText } from "./error-text.ts";
import { type ExitFacts, failureAtExit } from "./exit-signs.ts";
import { oneLine } from "./sentence-parts.ts";

/** ExecutorTerminationReason of agy's record of a turn's end, from its own descriptors. */
const ERROR = 1;
const USER_CANCELED = 2;
const NO_TOOL_CALL = 4;

/** Everything that is known when a turn has ended by itself. */
export interface EndFacts extends Omit<ExitFacts, "result" | "stepError" | "answered"> {
	readonly ledger: LedgerFacts;
	/** agy was told to print its answer as stream-json: stdout can stand in for the database. */
	readonly streamJson: boolean;
	/** What kept the database from being read to its end. */
	readonly databaseProblem: DatabaseProblem | undefined;
	readonly binding: { readonly conversationId: string } | Unbound;
}

/** No conversation is known to be ours. */
export interface Unbound {
	readonly directory: string;
	readonly candidates: readonly string[];
	/** agy printed something all the same, as plain text. */
	readonly printed: boolean;
}

/**
 * Pure: what came of a turn that ended by itself. No single sign is trusted: agy's own account is asked first, then what the
 * conversation holds, then whether the database could be read and is ours.
 */
export function decideOutcome(facts: EndFacts): Outcome {
	const failure = failureOf(facts);
	return failure === undefined ? { kind: "answered" } : { kind: "failed", failure };
}

function failureOf(facts: EndFacts): Failure | undefined {
	const { ledger, stderr, context, streamJson } = facts;
	const stepError = ledger.openErrors.at(-1);
	const failure = failureAtExit({
		...facts,
		// Of plain text there is no result that would know how the turn ended.
		result: streamJson ? ledger.result : undefined,
		stepError: stepError && stepErrorText(stepError),
		answered: isAnswered(ledger),
	});
	if (failure === undefined) {
		return failureInConversation(ledger, context) ?? unreadableFailure(facts) ?? unfinishedFailure(facts);
	}
	if (failure.kind === "crashed" && endedWell(ledger)) return undefined;
	if (!isVague(failure)) return failure;
	return deniedFailure(ledger.denied, stderr.deniedAction) ?? unreadableFailure(facts) ?? failure;
}

/** agy itself says little here: the conversation names what was refused, and may not have been readable. */
function isVague({ kind }: Failure): boolean {
	return kind === "empty-answer" || kind === "permission-denied" || kind === "crashed";
}

/**
 * Text of the last model call, or finished work. Words before a tool that was then refused are no answer.
 */
function isAnswered(ledger: LedgerFacts): boolean {
	if (ledger.answerComplete && ledger.lastGenerationText.trim() !== "") return true;
	if (ledger.denied.length > 0) return false;
	return ledger.textSeen || ledger.toolsDone > 0;
}

/** Before agy 1.1.20 a failed tool made the exit code non-zero, whatever came of the turn. */
function endedWell(ledger: LedgerFacts): boolean {
	return isAnswered(ledger) && ledger.answerComplete && ledger.executor?.terminationReason === NO_TOOL_CALL;
}

/** What the database says about the end, where neither the exit nor the result says anything. */
function failureInConversation(ledger: LedgerFacts, context: ErrorContext): Failure | undefined {
	if (ledger.executor?.terminationReason === USER_CANCELED) return { kind: "cancelled-by-agy" };
	if (!brokeOff(ledger)) return undefined;
	const error = ledger.openErrors.at(-1);
	if (error !== undefined) return stepFailure(error, context);
	const text = ledger.executor?.error ?? "";
	if (text === "") return undefined;
	return failureInText(text, context) ?? { kind: "model-error", message: oneLine(text) };
}

/** The last resort: that the end was not seen may have better reasons, such as a database that went away. */
function unfinishedFailure({ ledger, stderr }: EndFacts): Failure | undefined {
	if (!brokeOff(ledger)) return undefined;
	return stderr.failure ?? { kind: "model-error", message: "the last model call did not finish" };
}

function brokeOff({ executor, lastGeneration }: LedgerFacts): boolean {
	return executor?.terminationReason === ERROR || lastGeneration === "failed";
}

/** Where stdout cannot stand in, an answer is only believed when the database was read, and is ours. */
function unreadableFailure({ ledger, streamJson, databaseProblem, binding, context }: EndFacts): Failure | undefined {
	if (!("conversationId" in binding)) {
		const { directory, candidates, printed } = binding;
		if ((!printed && candidates.length === 0) || (streamJson && ledger.textSeen)) return undefined;
		// The conversation to be continued could not be opened, which is most likely why agy did not show it.
		if (databaseProblem !== undefined) return databaseFailure(databaseProblem, context.resume ?? "");
		return { kind: "conversation-unbound", directory, candidates };
	}
	const hasAnswer = isAnswered(ledger) && (streamJson || ledger.answerComplete);
	if (databaseProblem === undefined || hasAnswer) return undefined;
	return databaseFailure(databaseProblem, binding.conversationId);
}

/** A refused tool is why there is no answer, and before agy 1.1.20 also why the exit code is not 0. */
function deniedFailure(denied: readonly DeniedAction[], onStderr: string | undefined): Failure | undefined {
	const last = denied.at(-1);
	if (last === undefined) return onStderr === undefined ? undefined : { kind: "permission-denied", action: onStderr };
	if (last.by === "hook")
		return { kind: "hook-denied", ...(last.reason !== undefined && { reason: oneLine(last.reason) }) };
	return {
		kind: "permission-denied",
		action: last.action,
		...(last.target !== undefined && { target: last.target }),
	};
}

function stepFailure(error: StepError, context: ErrorContext): Failure {
	const text = stepErrorText(error);
	const known = failureInText(text, context);
	if (known !== undefined) return known;
	const message = oneLine(error.short || error.userMessage || error.full || "agy gave no reason");
	return { kind: "model-error", ...(error.code > 0 && { code: error.code }), message };
}
