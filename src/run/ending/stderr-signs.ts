import { z } from "zod/v3";
import type { Failure } from "../../engine/failure.ts";
import { parseJson } from "../../engine/json.ts";
import type { ErrorContext } from "./agy-sentences.ts";
import { failureInText, quotaAmong } from "./error-text.ts";
import { listedModel, oneLine } from "./sentence-parts.ts";

/** What one line of stderr tells while agy runs, beside being a reason for a failure at the end. */
export type StderrSign =
	/** agy did not find the conversation and starts another one. */
	| { readonly kind: "conversation-not-found"; readonly id: string }
	/** The answer is complete, and agy waits for commands that it left running. */
	| { readonly kind: "waiting-for-background"; readonly tasks: number }
	/** agy ends commands that were still running: what they should have done is not done. */
	| { readonly kind: "background-ended"; readonly tasks: number }
	/** agy's own time limit cut the turn; it reports success all the same. */
	| { readonly kind: "print-timeout" }
	/** A call of the model failed and is repeated inside agy. */
	| { readonly kind: "retrying"; readonly attempt: number; readonly failure: Failure | undefined }
	/** agy waits for somebody to sign in; headless that never happens. */
	| { readonly kind: "waiting-for-sign-in" }
	/** agy dropped plan mode, and works directly. */
	| { readonly kind: "plan-mode-lost" }
	/** A tool was refused because nobody could be asked. */
	| { readonly kind: "permission-denied"; readonly action: string }
	/** Something failed; whether the run fails with it is seen at its end. */
	| { readonly kind: "failure"; readonly failure: Failure };

/** Pure: what a line says; undefined for noise. */
export function readStderrLine(line: string, context: ErrorContext): StderrSign | undefined {
	const notFound = /conversation "?([^"\s]+)"? not found/.exec(line)?.[1];
	if (notFound !== undefined) return { kind: "conversation-not-found", id: notFound };
	const ended = /terminating (\d+) background task\(s\)/.exec(line)?.[1];
	if (ended !== undefined) return { kind: "background-ended", tasks: Number(ended) };
	const waiting = /waiting (?:up to \S+ )?for (\d+) background task\(s\)/.exec(line)?.[1];
	if (waiting !== undefined) return { kind: "waiting-for-background", tasks: Number(waiting) };
	if (/print timeout after \S/.test(line)) return { kind: "print-timeout" };
	const attempt = /API error \(attempt (\d+)\)/.exec(line)?.[1];
	if (attempt !== undefined) {
		return { kind: "retrying", attempt: Number(attempt), failure: failureInText(line, context) };
	}
	if (/please visit the URL to log in|waiting for authentication/i.test(line)) return { kind: "waiting-for-sign-in" };
	if (/--mode plan has no effect/.test(line)) return { kind: "plan-mode-lost" };
	const denied = /a tool required the "([^"]+)" permission/.exec(line)?.[1];
	if (denied !== undefined) return { kind: "permission-denied", action: denied };
	const failure = readAgyError(line, context) ?? failureInText(line, context);
	return failure && { kind: "failure", failure };
}

const agyErrorSchema = z.object({
	status: z.string().catch("").default(""),
	error_code: z.number().int().optional().catch(undefined),
	short_error: z.string().catch("").default(""),
});

/** `AGY_ERROR: {…}`: agy's own account of a failure of the model or its service (agy 1.2.6 and later). */
function readAgyError(line: string, context: ErrorContext): Failure | undefined {
	const json = /AGY_ERROR: (\{.*\})/.exec(line)?.[1];
	if (json === undefined) return undefined;
	const parsed = agyErrorSchema.safeParse(parseJson(json)).data;
	if (parsed === undefined) return undefined;
	const { status, error_code: code, short_error } = parsed;
	const known = failureInText(`${status} ${code === undefined ? "" : `(code ${code}): `}${short_error}`, context);
	if (known !== undefined && known.kind !== "model-error") return known;
	return {
		kind: "model-error",
		...(code === undefined ? {} : { code }),
		...(status === "" ? {} : { status: oneLine(status) }),
		message: oneLine(short_error || status || "no reason given"),
	};
}

/** How many lines after "Available models:" belong to it at most. */
const LIST_LINES = 60;

/**
 * Collects what stderr says over a whole run. Only signs and facts are kept, never the text: however much comes, this does
 * not grow.
 */
export class StderrSigns {
	readonly #context: () => ErrorContext;
	#failure: Failure | undefined;
	#fromAgyError = false;
	#denied: string | undefined;
	#backgroundEnded = 0;
	#printTimeout = false;
	#attempts = 0;
	#listLeft = 0;

	/** `context` is asked for each line, since the clock moves on. */
	constructor(context: () => ErrorContext) {
		this.#context = context;
	}

	/** Takes one line; returns what it says at once. */
	push(line: string): StderrSign | undefined {
		if (this.#takesAsModelList(line)) return undefined;
		const context = this.#context();
		const sign = readStderrLine(line, context);
		if (sign !== undefined) this.#keep(sign, /AGY_ERROR: /.test(line));
		if (/^Available models:/.test(line.trim())) this.#listLeft = LIST_LINES;
		return sign;
	}

	/** The reason to give if the run failed: agy's own account of it, else the last reason that was named. */
	get failure(): Failure | undefined {
		return this.#failure;
	}

	/** What a tool was refused for, when one was: `command`, `write_file`, `mcp` … */
	get deniedAction(): string | undefined {
		return this.#denied;
	}

	/** How many commands agy ended at its exit. */
	get backgroundEnded(): number {
		return this.#backgroundEnded;
	}

	/** How often in a row agy has made the same call of its model in vain. */
	get attempts(): number {
		return this.#attempts;
	}

	get printTimeout(): boolean {
		return this.#printTimeout;
	}

	#keep(sign: StderrSign, isAgyError: boolean): void {
		switch (sign.kind) {
			case "background-ended":
				this.#backgroundEnded += sign.tasks;
				return;
			case "print-timeout":
				this.#printTimeout = true;
				return;
			case "permission-denied":
				this.#denied = sign.action;
				return;
			case "waiting-for-sign-in":
				this.#remember({ kind: "not-signed-in", expired: false }, isAgyError);
				return;
			case "retrying":
				this.#attempts = sign.attempt;
				if (sign.failure !== undefined) this.#remember(sign.failure, isAgyError);
				return;
			case "failure":
				if (sign.failure !== undefined) this.#remember(sign.failure, isAgyError);
				return;
			case "conversation-not-found":
			case "waiting-for-background":
			case "plan-mode-lost":
				return;
		}
	}

	#remember(failure: Failure, isAgyError: boolean): void {
		if (this.#fromAgyError && !isAgyError) return;
		// A detail-less 429 that follows "quota reached" is about the same thing.
		if (this.#failure?.kind === "quota" && failure.kind === "rate-limit") return;
		this.#failure = failure.kind === "quota" ? quotaAmong([failure, this.#failure]) : failure;
		this.#fromAgyError = isAgyError;
	}

	/** The models that agy lists after an unknown one, on lines of their own. */
	#takesAsModelList(line: string): boolean {
		if (this.#listLeft === 0 || this.#failure?.kind !== "unknown-model") return false;
		const name = listedModel(line);
		if (name === undefined || !/^[\w.()-]+(?: [\w.()-]+)*$/.test(name)) {
			this.#listLeft = 0;
			return false;
		}
		this.#listLeft--;
		this.#failure = { ...this.#failure, available: [...this.#failure.available, name] };
		return true;
	}
}
