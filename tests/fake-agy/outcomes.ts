import { randomUUID } from "node:crypto";
import type { RowSteps } from "./scenario.ts";
import { type Abilities, compareVersions } from "./versions.ts";

/** Ends the turn from wherever it is. */
export class TurnEnd extends Error {
	readonly outcome: Outcome;

	constructor(outcome: Outcome) {
		super("the turn is over");
		this.outcome = outcome;
	}
}

/** How a turn ends: what `result` says, what stderr says, the exit code and the executor's reason. */
export interface Outcome {
	status: string;
	exitCode: number;
	error?: string;
	stderr?: string;
	/** ExecutorTerminationReason. */
	termination: number;
}

/** `--print-timeout` has passed, which every few versions meant something else. */
export function timeoutOutcome(abilities: Abilities, version: string, limit: string): Outcome {
	if (abilities.timeoutIsSuccess) {
		const stderr = `[agy] print timeout after ${limit} with turn in progress; returning partial output\n`;
		return { status: "SUCCESS", exitCode: 0, termination: 2, stderr };
	}
	const old = compareVersions(version, "1.1.1") < 0;
	const stderr = old ? "Error: timed out waiting for response\n" : "error: timeout waiting for response\n";
	return { status: "ERROR", exitCode: old ? 0 : 1, termination: 2, error: "timeout waiting for response", stderr };
}

/** The model failed for good; `partial` when some of the answer was out already. */
export function errorOutcome(
	abilities: Abilities,
	version: string,
	spec: RowSteps["error"],
	partial: boolean,
): Outcome {
	const outcome = { status: "ERROR", termination: 1, error: spec.message };
	const withCode = abilities.agyError && (!partial || compareVersions(version, "1.2.10") >= 0);
	if (!withCode) return { ...outcome, exitCode: 1, stderr: `error: ${spec.message}\n` };
	const detail = {
		status: spec.status ?? "UNAVAILABLE",
		error_code: spec.code ?? 503,
		retryable: spec.retryable ?? false,
		error_id: randomUUID(),
		short_error: spec.message,
	};
	return { ...outcome, exitCode: 3, stderr: `AGY_ERROR: ${JSON.stringify(detail)}\n` };
}

/** A tool was refused because nobody could be asked; the sentence comes when nothing was said. */
export function denialOutcome(abilities: Abilities, action: string, silent: boolean): Outcome {
	const stderr = `jetski: no output produced — a tool required the "${action}" permission that headless mode cannot prompt for, so it was auto-denied. Add an allow-rule under permissions.allow in settings.json (e.g. ${action}(<target>)). Alternatively, re-run with --dangerously-skip-permissions to auto-approve all tools.\n`;
	return {
		status: "SUCCESS",
		exitCode: abilities.deniedIsSuccess ? 0 : 1,
		termination: 4,
		...(silent ? { stderr } : {}),
	};
}
