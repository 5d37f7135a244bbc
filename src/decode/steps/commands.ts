import type { StepStatus } from "../step-types.ts";
import type { ToolContext, ToolFacts } from "../tool-facts.ts";
import type { Message } from "../wire.ts";
import { argsOf } from "./args.ts";

/** AutoRunDecision: user, system, model and default deny. */
const DENIALS: ReadonlySet<number> = new Set([2, 4, 6, 8]);
const COMMAND_STATUS_DONE = 3;

/**
 * CortexStepRunCommand {1 command, 2 cwd, 3 args, 6 exit_code, 14 user_rejected, 16 auto_run_decision, 23 command_line,
 * 25 proposed_command_line}. Its output is in more than one place: see `bestOutput` and `streams`.
 */
export function runCommand(body: Message, { status }: ToolContext): ToolFacts {
	return {
		kind: "command",
		get args() {
			const CommandLine = body.text(23) || body.text(25) || [body.text(1), ...body.texts(3)].join(" ").trim();
			return argsOf({ CommandLine, Cwd: body.text(2) });
		},
		get output() {
			return textOrNone(bestOutput(body, status) || streams(body));
		},
		get exitCode() {
			return status === "done" || body.has(6) ? body.number(6) : undefined;
		},
		get rejected() {
			return body.flag(14) || DENIALS.has(body.number(16));
		},
	};
}

/**
 * CortexStepCommandStatus {1 command_id, 2 status, 3 stdout, 4 stderr, 5 exit_code, 6 error (CortexErrorDetails), 9 combined,
 * 10 wait_duration_seconds, 12 delta}: a look at a command that runs in the background.
 */
export function commandStatus(body: Message): ToolFacts {
	return {
		kind: "command",
		get args() {
			return argsOf({ CommandId: body.text(1), WaitDurationSeconds: body.number(10) });
		},
		get output() {
			return textOrNone(body.text(9) || body.text(12) || joined(body.text(3), body.text(4)));
		},
		get exitCode() {
			return body.number(2) === COMMAND_STATUS_DONE || body.has(5) ? body.number(5) : undefined;
		},
		get problem() {
			const error = body.message(6);
			return textOrNone(error.text(1) || error.text(2) || error.text(3));
		},
	};
}

/**
 * CortexStepSendCommandInput {1 command_id, 2 input, 4 user_rejected, 5 auto_run_decision, 6 terminate, 8 output, 9 running,
 * 10 exit_code}: input for, or the end of, a command that runs in the background.
 */
export function sendCommandInput(body: Message, { status }: ToolContext): ToolFacts {
	return {
		kind: "command",
		get args() {
			return argsOf({ CommandId: body.text(1), Input: body.text(2), Terminate: body.flag(6) });
		},
		get summary() {
			return body.flag(6) ? `terminate ${body.text(1)}` : undefined;
		},
		get output() {
			return textOrNone(outputText(body.message(8)));
		},
		get exitCode() {
			return (status === "done" && !body.flag(9)) || body.has(10) ? body.number(10) : undefined;
		},
		get rejected() {
			return body.flag(4) || DENIALS.has(body.number(5));
		},
	};
}

/** CortexStepShellExec {1 command, 2 exit_code, 3 output, 4 error_message}. */
export function shellExec(body: Message, { status }: ToolContext): ToolFacts {
	return {
		kind: "command",
		get args() {
			return argsOf({ CommandLine: body.text(1) });
		},
		get output() {
			return textOrNone(body.text(3));
		},
		get exitCode() {
			return status === "done" || body.has(2) ? body.number(2) : undefined;
		},
		get problem() {
			return textOrNone(body.text(4));
		},
	};
}

/**
 * A command's output stands in 21 combined_output when it has ended, and in 26 combined_output_snapshot while it runs in the
 * background. Until it is done the longer one is the newer one.
 */
function bestOutput(body: Message, status: StepStatus): string {
	const [combined, snapshot] = [body.message(21), body.message(26)];
	const snapshotIsAhead = outputLength(snapshot) > outputLength(combined);
	const preferSnapshot = snapshotIsAhead && (status !== "done" || outputLength(combined) === 0);
	return outputText(preferSnapshot ? snapshot : combined);
}

/** stdout, then stderr: 19 stdout_output and 20 stderr_output, else 4 stdout and 5 stderr, else their buffers 7 and 8. */
function streams(body: Message): string {
	const stdout = outputText(body.message(19)) || body.text(4) || body.text(7);
	const stderr = outputText(body.message(20)) || body.text(5) || body.text(8);
	return joined(stdout, stderr);
}

/** RunCommandOutput {1 full, 2 truncated}. */
function outputText(output: Message): string {
	return output.text(output.byteLength(1) > 0 ? 1 : 2);
}

function outputLength(output: Message): number {
	return output.byteLength(1) || output.byteLength(2);
}

function joined(stdout: string, stderr: string): string {
	const separator = stdout !== "" && stderr !== "" && !stdout.endsWith("\n") ? "\n" : "";
	return stdout + separator + stderr;
}

function textOrNone(text: string): string | undefined {
	return text === "" ? undefined : text;
}
