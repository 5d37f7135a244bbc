import type { Failure } from "../../engine/failure.ts";
import type { StreamResult } from "../../stdout/stream-message.ts";
import type { ProcessExit } from "../process/process.ts";
import type { ErrorContext } from "./agy-sentences.ts";
import { failureInText, quotaAmong } from "./error-text.ts";
import { oneLine } from "./sentence-parts.ts";
import type { StderrSigns } from "./stderr-signs.ts";

export interface ExitFacts {
	/** Undefined while agy has not exited, or when it was not waited for. */
	readonly exit: ProcessExit | undefined;
	readonly result: StreamResult | undefined;
	readonly stderr: Pick<StderrSigns, "failure" | "deniedAction" | "printTimeout">;
	/** The last error that a step of the conversation holds, if it came after the last answer. */
	readonly stepError: string | undefined;
	/** An answer was seen, on either channel. */
	readonly answered: boolean;
	readonly promptBytes: number;
	readonly context: ErrorContext;
}

/**
 * Pure: what went wrong by agy's own account: its result where it gave one, else its exit; undefined when nothing did. stderr and
 * the last failed step name the reason more precisely. The exit code alone says little: 0 is also a refused tool, a time limit, a
 * cancelled turn and an empty answer.
 */
export function failureAtExit(facts: ExitFacts): Failure | undefined {
	const { exit, result, stderr, answered } = facts;
	if (result !== undefined) return failureInResult(result, facts);
	if (exit?.signal !== undefined) return { kind: "killed", signal: exit.signal };
	const code = exit?.code ?? 0;
	if (code !== 0) return namedReason(facts) ?? unnamedReason(code);
	if (stderr.printTimeout) return { kind: "print-timeout" };
	return answered ? undefined : silentReason(facts);
}

function failureInResult(result: StreamResult, facts: ExitFacts): Failure | undefined {
	switch (result.status.toUpperCase()) {
		case "SUCCESS":
		case "OK":
			if (facts.stderr.printTimeout) return { kind: "print-timeout" };
			if (facts.exit?.code === 3) return namedReason(facts) ?? unnamedReason(3);
			return facts.answered || result.response.trim() !== "" ? undefined : silentReason(facts);
		case "CANCELED":
		case "CANCELLED":
			return { kind: "cancelled-by-agy" };
		case "WAITING":
			return deniedReason(facts) ?? { kind: "permission-denied", action: "unknown" };
		default:
			return (
				namedReason(facts) ?? {
					kind: "model-error",
					status: oneLine(result.status),
					message: oneLine(result.error ?? "agy gave no reason"),
				}
			);
	}
}

/** The most precise reason that anything named: agy's result, then stderr, then the conversation itself. */
function namedReason({ result, stderr, stepError, context, exit }: ExitFacts): Failure | undefined {
	const withCode = { ...context, exitCode: exit?.code };
	const texts = [result?.error, stepError].filter((text) => text !== undefined);
	const named = texts.map((text) => failureInText(text, withCode)).filter((failure) => failure !== undefined);
	const all = stderr.failure === undefined ? named : [...named, withExitCode(stderr.failure, exit?.code)];
	const best = quotaAmong(all) ?? all.find(listsModels) ?? all.find((failure) => failure.kind !== "model-error");
	if (best !== undefined) return best;
	const [first] = all;
	if (first !== undefined) return first;
	const [text] = texts;
	return text === undefined ? undefined : { kind: "model-error", message: oneLine(text) };
}

/** Not every place that names an unknown model also tells which there are. */
function listsModels(failure: Failure): boolean {
	return failure.kind === "unknown-model" && failure.available.length > 0;
}

function withExitCode(failure: Failure, code: number | undefined): Failure {
	return failure.kind === "crashed" && code !== undefined ? { ...failure, exitCode: code } : failure;
}

function unnamedReason(code: number): Failure {
	if (code === 2) return { kind: "flag-rejected", flag: "" };
	if (code === 3) return { kind: "model-error", message: "agy gave no reason" };
	return { kind: "crashed", exitCode: code };
}

/** Success with nothing to show. */
function silentReason(facts: ExitFacts): Failure {
	return deniedReason(facts) ?? namedReason(facts) ?? { kind: "empty-answer", promptBytes: facts.promptBytes };
}

function deniedReason({ result, stderr }: ExitFacts): Failure | undefined {
	const denied = result?.deniedActions.at(-1);
	const action = denied === undefined ? stderr.deniedAction : denied.action;
	return action === undefined ? undefined : { kind: "permission-denied", action };
}
