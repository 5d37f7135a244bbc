import { systemClock } from "../../engine/clock.ts";
import type { Failure } from "../../engine/failure.ts";
import { failureInText } from "../ending/error-text.ts";
import { readStderrLine } from "../ending/stderr-signs.ts";
import { MARKER } from "../process/environment.ts";
import type { Rung } from "../process/kill-ladder.ts";
import { type ProcessExit, startProcess } from "../process/process.ts";
import { systemProcesses } from "../process/process-table.ts";

/** How agy is started for a short question. */
export interface AgyCommand {
	/** Absolute path of the binary. */
	readonly path: string;
	/** Arguments before the question's own, for instance `--gemini_dir=…`. */
	readonly leadingArgs?: readonly string[];
	/** The whole environment of the child. */
	readonly env: Readonly<Record<string, string>>;
}

/** Why a short question got no answer. */
export type AskFailure =
	| { readonly kind: "not-installed"; readonly searched: readonly string[] }
	| { readonly kind: "cannot-start"; readonly path: string; readonly cause: string }
	| { readonly kind: "not-signed-in" }
	| { readonly kind: "no-network" }
	| { readonly kind: "timed-out"; readonly seconds: number }
	| { readonly kind: "too-much-output" }
	| { readonly kind: "cancelled" }
	| { readonly kind: "too-old"; readonly needs: string; readonly version: string }
	/** agy answered, and not in a form that is known. */
	| { readonly kind: "not-understood" }
	| { readonly kind: "exit"; readonly code: number };

/** What agy printed before it ended by itself. */
export interface Answer {
	readonly ok: true;
	readonly exitCode: number;
	readonly stdout: string;
	readonly stderr: string;
}

export interface AskLimits {
	readonly timeoutMs: number;
	/** Of stdout; what stderr has beyond it is dropped. */
	readonly maxBytes: number;
	readonly signal?: AbortSignal;
}

/** Thirty seconds: `agy models` was seen to take up to 21. */
export const ASK_LIMITS: AskLimits = { timeoutMs: 30_000, maxBytes: 1024 * 1024 };

type Asked = Answer | { readonly ok: false; readonly failure: AskFailure };

/** An agy that was only asked has nothing to bring to an end. */
const AT_ONCE: readonly Rung[] = [{ signal: "SIGKILL", waitMs: 2_000 }];

/**
 * Runs agy for something that is not a turn. Its stdin is closed, because agy waited for ever on an open one up to 1.1.23.
 * Resolves when nothing of its process tree is left, as far as that can be brought about. Never rejects.
 */
export async function askAgy(agy: AgyCommand, args: readonly string[], limits: AskLimits = ASK_LIMITS): Promise<Asked> {
	const { timeoutMs, maxBytes, signal } = limits;
	if (signal?.aborted) return failed({ kind: "cancelled" });
	let giveUp: (failure: AskFailure) => void = () => {};
	const givenUp = new Promise<AskFailure>((resolve) => {
		giveUp = resolve;
	});
	const stdout = new BoundedText(maxBytes, () => giveUp({ kind: "too-much-output" }));
	const stderr = new BoundedText(maxBytes, () => {});
	const mark = agy.env[MARKER];
	const started = await startProcess({
		executable: agy.path,
		argv: [...(agy.leadingArgs ?? []), ...args],
		cwd: process.cwd(),
		env: { ...agy.env, AGY_CLI_DISABLE_AUTO_UPDATE: "true" },
		onStdout: (chunk) => stdout.push(chunk),
		onStderrLine(line) {
			stderr.push(Buffer.from(`${line}\n`));
			// With stdin closed nobody can answer; agy would wait a minute for the code of a sign-in page.
			const sign = readStderrLine(line, { now: systemClock.now() });
			if (sign?.kind === "waiting-for-sign-in") giveUp({ kind: "not-signed-in" });
		},
		table: systemProcesses(),
		...(mark !== undefined && { marker: `${MARKER}=${mark}` }),
		clock: systemClock,
	});
	if (started.kind === "failed") return failed(startFailure(started.failure, agy.path));

	const onAbort = () => giveUp({ kind: "cancelled" });
	signal?.addEventListener("abort", onAbort, { once: true });
	if (signal?.aborted) onAbort();
	const stopTimer = systemClock.after(timeoutMs, () => giveUp({ kind: "timed-out", seconds: timeoutMs / 1000 }));
	const outcome: ProcessExit | AskFailure = await Promise.race([givenUp, started.process.exited]);
	stopTimer();
	signal?.removeEventListener("abort", onAbort);
	await started.process.end(AT_ONCE);
	if ("kind" in outcome) return failed(outcome);
	return { ok: true, exitCode: outcome.code ?? -1, stdout: stdout.text(), stderr: stderr.text() };
}

function failed(failure: AskFailure): Asked {
	return { ok: false, failure };
}

function startFailure(failure: Failure, path: string): AskFailure {
	if (failure.kind === "not-installed" || failure.kind === "cannot-start") return failure;
	return { kind: "cannot-start", path, cause: "the system refused" };
}

/** The beginning of what a pipe brings. */
class BoundedText {
	readonly #chunks: Uint8Array[] = [];
	readonly #maxBytes: number;
	readonly #onFull: () => void;
	#bytes = 0;

	constructor(maxBytes: number, onFull: () => void) {
		this.#maxBytes = maxBytes;
		this.#onFull = onFull;
	}

	push(chunk: Uint8Array): void {
		this.#bytes += chunk.length;
		if (this.#bytes > this.#maxBytes) this.#onFull();
		else this.#chunks.push(chunk);
	}

	text(): string {
		return Buffer.concat(this.#chunks).toString("utf8");
	}
}

/** What agy says about itself on the way to a failure, whatever its exit code. */
export function failureIn({ stdout, stderr, exitCode }: Answer): AskFailure | undefined {
	const failure = failureInText(`${stderr}\n${stdout}`, { now: systemClock.now(), exitCode });
	if (failure?.kind === "not-signed-in") return { kind: "not-signed-in" };
	return failure?.kind === "no-network" ? { kind: "no-network" } : undefined;
}
