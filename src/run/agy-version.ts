import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import type { Failure } from "../engine/failure.ts";
import { type AgyFeatures, featuresOf, parseVersion } from "./agy-features.ts";
import { shimCommand } from "./windows-shim.ts";

export type VersionResult =
	| { readonly kind: "read"; readonly features: AgyFeatures }
	/** The file is gone, or cannot be executed at all. */
	| { readonly kind: "failed"; readonly failure: Failure };

/** What `agy --version` said, or why it could not be asked. */
export type AskVersion = (
	path: string,
	env: Readonly<Record<string, string>>,
) => Promise<
	{ readonly kind: "said"; readonly text: string } | { readonly kind: "refused"; readonly failure: Failure }
>;

/** `agy --version` uses no network; one that takes longer than this hangs. */
const LIMIT_MS = 10_000;

/**
 * Knows what the installed agy can do. agy updates itself while it runs, so the file is looked at before every start
 * and asked again when it changed; otherwise the answer comes from memory.
 */
export class VersionReader {
	readonly #ask: AskVersion;
	readonly #cache = new Map<string, { readonly print: string; readonly result: Promise<VersionResult> }>();

	constructor(ask: AskVersion = askAgy) {
		this.#ask = ask;
	}

	/** `env`: the environment agy will run in. Never rejects. */
	async read(path: string, env: Readonly<Record<string, string>>): Promise<VersionResult> {
		const print = await fingerprint(path);
		if (print === undefined) return { kind: "failed", failure: { kind: "not-installed", searched: [path] } };
		const cached = this.#cache.get(path);
		if (cached?.print === print) return cached.result;
		const result = this.#readFresh(path, env);
		this.#cache.set(path, { print, result });
		// A failure may pass (the updater was replacing the file); it is not remembered. Nor is a silent answer.
		const { kind, ...answer } = await result;
		const known = kind === "read" && "features" in answer && answer.features.version !== undefined;
		if (!known && this.#cache.get(path)?.result === result) this.#cache.delete(path);
		return result;
	}

	async #readFresh(path: string, env: Readonly<Record<string, string>>): Promise<VersionResult> {
		const answer = await this.#ask(path, env);
		if (answer.kind === "refused") return { kind: "failed", failure: answer.failure };
		return { kind: "read", features: featuresOf(parseVersion(answer.text)) };
	}
}

async function fingerprint(path: string): Promise<string | undefined> {
	const found = await stat(path, { bigint: true }).catch(() => undefined);
	return found && `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
}

const askAgy: AskVersion = (path, env) =>
	new Promise((resolve) => {
		const shim = process.platform === "win32" ? shimCommand(path, ["--version"], env) : undefined;
		const options = {
			env,
			timeout: LIMIT_MS,
			killSignal: "SIGKILL" as const,
			windowsHide: true,
			windowsVerbatimArguments: shim !== undefined,
		};
		const child = execFile(
			shim?.file ?? path,
			shim ? [...shim.args] : ["--version"],
			options,
			(error, stdout, stderr) => {
				// Numbers are exit codes: it ran, and what it said is judged. Words are the system's refusal to start it.
				if (error !== null && typeof error.code === "string") {
					resolve({ kind: "refused", failure: { kind: "cannot-start", path, cause: describe(error.code) } });
				} else {
					resolve({ kind: "said", text: stdout.trim() || stderr });
				}
			},
		);
		child.stdin?.end();
	});

function describe(code: string): string {
	if (code === "EACCES" || code === "EPERM") return "it is not allowed to be executed";
	if (code === "ENOENT") return "the program that should interpret it is missing";
	if (code === "ENOEXEC" || code === "UNKNOWN") return "it is not a program for this machine";
	return `the system refused (${code})`;
}
