import { stat } from "node:fs/promises";
import type { Failure } from "../../engine/failure.ts";
import { type AgyFeatures, featuresOf, parseVersion } from "./agy-features.ts";
import type { AskFailure } from "./ask-agy.ts";

export type VersionResult =
	| { readonly kind: "read"; readonly features: AgyFeatures }
	/** The file is gone, or cannot be executed at all. */
	| { readonly kind: "failed"; readonly failure: Failure };

/** What `agy --version` said, or why it could not be asked. */
export type AskVersion = (
	path: string,
	env: Readonly<Record<string, string>>,
	signal: AbortSignal,
) => Promise<
	{ readonly kind: "said"; readonly text: string } | { readonly kind: "refused"; readonly failure: Failure }
>;

/** `agy --version` uses no network; one that takes longer than this hangs. */
const LIMITS = { timeoutMs: 10_000, maxBytes: 64 * 1024 };

/** One question, and who waits for its answer. */
interface Question {
	readonly print: string;
	readonly result: Promise<VersionResult>;
	readonly giveUp: AbortController;
	waiting: number;
}

/**
 * Knows what the installed agy can do. agy updates itself while it runs, so the file is looked at before every start
 * and asked again when it changed; otherwise the answer comes from memory.
 */
export class VersionReader {
	readonly #ask: AskVersion;
	readonly #cache = new Map<string, Question>();

	constructor(ask: AskVersion = askForVersion) {
		this.#ask = ask;
	}

	/**
	 * `env`: the environment agy will run in. `signal` ends an agy that does not answer, unless somebody else waits for it as
	 * well. Never rejects.
	 */
	async read(path: string, env: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<VersionResult> {
		const print = await fingerprint(path);
		if (print === undefined) return { kind: "failed", failure: { kind: "not-installed", searched: [path] } };
		const question = this.#question(path, print, env);
		const leave = () => {
			if (--question.waiting === 0) question.giveUp.abort();
		};
		question.waiting++;
		signal?.addEventListener("abort", leave, { once: true });
		if (signal?.aborted) leave();
		const result = await question.result;
		signal?.removeEventListener("abort", leave);
		// A failure may pass (the updater was replacing the file); it is not remembered. Nor is a silent answer.
		const isKnown = result.kind === "read" && result.features.version !== undefined;
		if (!isKnown && this.#cache.get(path) === question) this.#cache.delete(path);
		return result;
	}

	#question(path: string, print: string, env: Readonly<Record<string, string>>): Question {
		const asked = this.#cache.get(path);
		if (asked?.print === print && !asked.giveUp.signal.aborted) return asked;
		const giveUp = new AbortController();
		const question = { print, giveUp, waiting: 0, result: this.#askFresh(path, env, giveUp.signal) };
		this.#cache.set(path, question);
		return question;
	}

	async #askFresh(path: string, env: Readonly<Record<string, string>>, signal: AbortSignal): Promise<VersionResult> {
		const answer = await this.#ask(path, env, signal);
		if (answer.kind === "refused") return { kind: "failed", failure: answer.failure };
		return { kind: "read", features: featuresOf(parseVersion(answer.text)) };
	}
}

async function fingerprint(path: string): Promise<string | undefined> {
	const found = await stat(path, { bigint: true }).catch(() => undefined);
	return found && `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
}

const askForVersion: AskVersion = async (path, env, signal) => {
	const { askAgy } = await import("./ask-agy.ts");
	const answer = await askAgy({ path, env }, ["--version"], { ...LIMITS, signal });
	// Whatever its exit code, what it said is judged.
	if (answer.ok) return { kind: "said", text: answer.stdout.trim() || answer.stderr };
	const cause = whyNotStarted(answer.failure);
	return cause === undefined
		? { kind: "said", text: "" }
		: { kind: "refused", failure: { kind: "cannot-start", path, cause } };
};

/** Undefined for an agy that was started and told nothing. */
function whyNotStarted(failure: AskFailure): string | undefined {
	if (failure.kind === "cannot-start") return failure.cause;
	// The file was there a moment ago.
	return failure.kind === "not-installed" ? "the program that should interpret it is missing" : undefined;
}
