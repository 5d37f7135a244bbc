import { type ChildProcess, spawn } from "node:child_process";

/** How agy is started for a short question. */
export interface AgyCommand {
	/** Absolute path of the binary. */
	readonly path: string;
	/** Arguments before the question's own, for instance `--gemini_dir=…`. */
	readonly leadingArgs?: readonly string[];
	/** The whole environment of the child. */
	readonly env: NodeJS.ProcessEnv;
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

/**
 * Runs agy for something that is not a turn. Its stdin is closed, because agy waited for ever on an open one up to 1.1.23, and
 * what is left of its process group when the time is up is killed. Never rejects.
 */
export function askAgy(
	agy: AgyCommand,
	args: readonly string[],
	limits: AskLimits = ASK_LIMITS,
): Promise<Answer | { readonly ok: false; readonly failure: AskFailure }> {
	return new Promise((resolve) => {
		if (limits.signal?.aborted) {
			resolve({ ok: false, failure: { kind: "cancelled" } });
			return;
		}
		const cannotStart = (error: unknown): AskFailure => {
			const code = error instanceof Error && "code" in error ? String(error.code) : "it failed";
			if (code === "ENOENT") return { kind: "not-installed", searched: [agy.path] };
			return { kind: "cannot-start", path: agy.path, cause: code };
		};
		let child: ChildProcess;
		try {
			child = spawn(agy.path, [...(agy.leadingArgs ?? []), ...args], {
				stdio: ["ignore", "pipe", "pipe"],
				env: { ...agy.env, AGY_CLI_DISABLE_AUTO_UPDATE: "true" },
				detached: process.platform !== "win32",
				windowsHide: true,
			});
		} catch (error) {
			resolve({ ok: false, failure: cannotStart(error) });
			return;
		}
		const stdout = collect(limits.maxBytes, () => finish({ kind: "too-much-output" }));
		const stderr = collect(limits.maxBytes, () => {});
		child.stdout?.on("data", stdout.add);
		child.stderr?.on("data", (chunk: Buffer) => {
			stderr.add(chunk);
			// With stdin closed nobody can answer; agy would wait a minute for the code of a sign-in page.
			if (WAITS_FOR_SIGN_IN.test(chunk.toString())) finish({ kind: "not-signed-in" });
		});
		const timer = setTimeout(() => finish({ kind: "timed-out", seconds: limits.timeoutMs / 1000 }), limits.timeoutMs);
		const onAbort = () => finish({ kind: "cancelled" });
		limits.signal?.addEventListener("abort", onAbort, { once: true });
		let drain: NodeJS.Timeout | undefined;
		let finished = false;

		function finish(result: AskFailure | number): void {
			if (finished) return;
			finished = true;
			clearTimeout(timer);
			clearTimeout(drain);
			limits.signal?.removeEventListener("abort", onAbort);
			killGroup(child);
			child.stdout?.destroy();
			child.stderr?.destroy();
			child.unref();
			if (typeof result !== "number") resolve({ ok: false, failure: result });
			else resolve({ ok: true, exitCode: result, stdout: stdout.text(), stderr: stderr.text() });
		}
		child.once("error", (error) => finish(cannotStart(error)));
		child.once("exit", (code) => {
			// A grandchild may hold the pipe open long after agy is gone: what agy wrote is there within a moment.
			drain = setTimeout(() => finish(code ?? -1), DRAIN_MS);
		});
		child.once("close", (code) => finish(code ?? -1));
	});
}

const DRAIN_MS = 250;
const WAITS_FOR_SIGN_IN = /Waiting for authentication|paste the authorization code/;

function collect(maxBytes: number, onFull: () => void) {
	const chunks: Buffer[] = [];
	let bytes = 0;
	return {
		add(chunk: Buffer): void {
			bytes += chunk.length;
			if (bytes > maxBytes) onFull();
			else chunks.push(chunk);
		},
		text: () => Buffer.concat(chunks).toString("utf8"),
	};
}

function killGroup(child: ChildProcess): void {
	if (child.pid === undefined) return;
	try {
		if (process.platform === "win32") child.kill("SIGKILL");
		else process.kill(-child.pid, "SIGKILL");
	} catch {
		// Nothing of the group is left.
	}
}

/** What agy says about itself on the way to a failure, whatever its exit code. */
export function failureIn(answer: Answer): AskFailure | undefined {
	const said = `${answer.stdout}\n${answer.stderr}`;
	if (/please sign in|authentication (?:required|expired)|not (?:signed|logged) in/i.test(said)) {
		return { kind: "not-signed-in" };
	}
	if (/no such host|network is unreachable|connection refused|dial tcp|getaddrinfo/i.test(said)) {
		return { kind: "no-network" };
	}
	return undefined;
}

/** A failure in one sentence for people, and what to do about it. */
export function describeAskFailure(failure: AskFailure): { readonly problem: string; readonly remedy: string } {
	switch (failure.kind) {
		case "not-installed":
			return {
				problem: `agy was not found (looked at: ${failure.searched.join(", ")}).`,
				remedy: "Install the Antigravity CLI, or set AGY_BIN to its path.",
			};
		case "cannot-start":
			return {
				problem: `agy could not be started: ${failure.path} (${failure.cause}).`,
				remedy: "Check that the file is executable and made for this machine.",
			};
		case "not-signed-in":
			return { problem: "agy is not signed in.", remedy: "Run `agy` in a terminal once and sign in." };
		case "no-network":
			return { problem: "agy could not reach Google.", remedy: "Check the network and the proxy." };
		case "timed-out":
			return {
				problem: `agy gave no answer within ${failure.seconds} seconds.`,
				remedy: "Run `agy` in a terminal: it may be waiting for you to sign in.",
			};
		case "too-much-output":
			return { problem: "agy printed far more than an answer.", remedy: "Check that AGY_BIN is really agy." };
		case "cancelled":
			return { problem: "The question was cancelled.", remedy: "Ask again." };
		case "too-old":
			return {
				problem: `This needs agy ${failure.needs} or later; ${failure.version} is installed.`,
				remedy: "Run `agy update`.",
			};
		case "not-understood":
			return {
				problem: "agy's answer could not be understood.",
				remedy: "Run `agy update`; if that does not help, update this extension.",
			};
		case "exit":
			return { problem: `agy ended with exit code ${failure.code}.`, remedy: "Run `/agy doctor`." };
	}
}
