import type { Failure } from "../../engine/failure.ts";
import { availableModels, codeIn, goDurationMs, oneLine, quotaPool, unquote, words } from "./sentence-parts.ts";

/** What is known about the run beside the text. */
export interface ErrorContext {
	/** When the text came, in milliseconds since the epoch: "resets in" counts from there. */
	readonly now: number;
	/** The model that was asked for, and the conversation that was to be continued. */
	readonly model?: string | undefined;
	readonly resume?: string | undefined;
	readonly exitCode?: number | undefined;
}

export interface Sentence {
	readonly pattern: RegExp;
	readonly failure: (match: RegExpExecArray, context: ErrorContext) => Failure;
}

/** "Individual quota reached": the pool of this model is empty until a time that is told (seen with agy 1.1.14). */
const QUOTA: Sentence = {
	pattern: /individual quota reached|quota (?:has been )?(?:reached|exceeded|exhausted)/i,
	failure({ input }, { now, model }) {
		const pool = quotaPool(model);
		const resetsIn = goDurationMs(/resets in ((?:[\d.]+(?:ms|[dhms]))+)/i.exec(input)?.[1]);
		return {
			kind: "quota",
			...(pool === undefined ? {} : { pool }),
			...(resetsIn === undefined ? {} : { resetAt: now + resetsIn }),
			adminManaged: /contact your administrator/i.test(input),
		};
	},
};

/** A 429 that says nothing of a reset is over soon (reported for agy 1.2). */
const RATE_LIMIT: Sentence = {
	pattern: /RESOURCE_EXHAUSTED|resource has been exhausted|too many requests|rate.?limit|\bcode[ :=]*429\b/i,
	failure: () => ({ kind: "rate-limit" }),
};

const SIGN_IN: readonly Sentence[] = [
	{
		pattern: /authentication expired|session (?:has )?expired|token (?:has )?expired|invalid_grant/i,
		failure: () => ({ kind: "not-signed-in", expired: true }),
	},
	{
		// "Verifying your account…" without an end was reported for agy 1.1.22 on servers.
		pattern:
			/authentication required|please sign in|verifying your account|waiting for authentication|not (?:logged|signed) in/i,
		failure: () => ({ kind: "not-signed-in", expired: false }),
	},
	{
		pattern: /UNAUTHENTICATED|\bcode[ :=]*401\b/,
		failure: () => ({ kind: "not-signed-in", expired: true }),
	},
];

/** An effort that the model does not have or, from agy 1.3.0 on, needs. */
const EFFORT: readonly Sentence[] = [
	{
		pattern: /--model (\S+) requires --effort \(available: ([^)]*)\)/,
		failure: ([, model = "", available = ""]) => ({
			kind: "bad-effort",
			model: unquote(model),
			available: words(available),
		}),
	},
	{
		pattern: /--model[= ](\S+).*conflicts with --effort/,
		failure: ([, model = ""]) => ({ kind: "bad-effort", model: unquote(model), available: [] }),
	},
	{
		pattern: /--effort is not supported for model (.+?)[.)]?$/m,
		failure: ([, model = ""]) => ({ kind: "bad-effort", model: unquote(model), available: [] }),
	},
];

/** An error since agy 1.1.2, with the list of what there is. */
const MODEL: Sentence = {
	pattern: /invalid model selection \(--model "([^"]*)"|model ([^:]+?) is not recognized/,
	failure: ({ input, 1: asked, 2: model }) => ({
		kind: "unknown-model",
		model: unquote(asked ?? model ?? ""),
		available: availableModels(input),
	}),
};

/** In the words of Go's flag package and of pflag. */
const FLAGS: readonly Sentence[] = [
	{
		pattern:
			/flag needs an argument: (-\S+)|flags? provided but not defined: (-\S+)|invalid value .* for flag (-[^\s:]+)/,
		failure: ({ 1: needs, 2: unknown, 3: value }) => ({ kind: "flag-rejected", flag: needs ?? unknown ?? value ?? "" }),
	},
	{
		pattern: /unknown (?:shorthand )?flag:? '?(-\S+?)'?(?:\s|$)|unexpected argument:? "?([^"\n]+)/i,
		failure: ({ 1: flag, 2: argument }) => ({ kind: "flag-rejected", flag: flag ?? argument ?? "" }),
	},
];

const CONTEXT_LENGTH: Sentence = {
	pattern:
		/context.?length.?exceeded|input token count.*exceeds|exceeds the maximum number of (?:input )?tokens|prompt is too long|exceeds .*context window/i,
	failure: () => ({ kind: "context-too-long" }),
};

/** Nobody could be asked (agy 1.1.3 and later), a rule said no, or a hook did: one without a reason printed `{}`. */
const REFUSALS: readonly Sentence[] = [
	{
		pattern: /a tool required the "([^"]+)" permission/,
		failure: ([, action = ""]) => ({ kind: "permission-denied", action }),
	},
	{
		pattern: /user denied permission to run command: ?(.*)/i,
		failure: ([, target = ""]) => ({
			kind: "permission-denied",
			action: "command",
			...(target.trim() === "" ? {} : { target: oneLine(target) }),
		}),
	},
	{
		pattern: /tool call denied by (?:jsonhook__(.+?)_PreToolUse_\d+_\d+|pre-tool hook):?(.*)/i,
		failure: ({ 1: hook, 2: reason = "" }) => ({
			kind: "hook-denied",
			...(hook === undefined ? {} : { hook }),
			...(reason.trim() === "" ? {} : { reason: oneLine(reason) }),
		}),
	},
];

/** Three wordings: agy 1.0, 1.1.1 to 1.1.27, and since then. */
const PRINT_TIMEOUT: Sentence = {
	pattern: /timed out waiting for response|timeout waiting for response|print timeout after/i,
	failure: () => ({ kind: "print-timeout" }),
};

const NETWORK: Sentence = {
	pattern:
		/no such host|network is unreachable|connection (?:refused|reset)|dial tcp|getaddrinfo|TLS handshake timeout|no route to host/i,
	failure: () => ({ kind: "no-network" }),
};

const OVERLOADED: Sentence = {
	pattern: /UNAVAILABLE|overloaded|high demand|\bcode[ :=]*(503|529)\b/i,
	failure: ({ input }) => ({ kind: "overloaded", ...codeIn(input) }),
};

const CRASHES: readonly Sentence[] = [
	{
		// agy took the run for a terminal session.
		pattern: /could not open TTY|bubbletea/,
		failure: (_match, { exitCode = 1 }) => ({ kind: "crashed", exitCode, hint: "it wanted a terminal" }),
	},
	{
		pattern: /language server.*(?:fail|exited|could not|not start)|(?:fail|could not).*language server/i,
		failure: (_match, { exitCode = 1 }) => ({ kind: "crashed", exitCode, hint: "its language server did not start" }),
	},
	{
		// Go's own last words; seen after a database could not be opened (agy 1.2.2).
		pattern: /panic: |nil pointer dereference|fatal error: /,
		failure: (_match, { exitCode = 2 }) => ({ kind: "crashed", exitCode, hint: "it failed inside" }),
	},
];

/** What agy 1.2.16 says of a conversation that a rewind left unusable. */
const UNUSABLE_CONVERSATION: Sentence = {
	pattern: /plan model not specified/i,
	failure: (_match, { resume }) =>
		resume === undefined
			? { kind: "model-error", message: "plan model not specified" }
			: { kind: "conversation-lost", id: resume },
};

const EMPTY_PROMPT: Sentence = {
	pattern: /empty prompt/,
	failure: () => ({ kind: "bad-request", problem: "The prompt is empty.", remedy: "Write something for agy to do." }),
};

/** In the result of an agy that got a SIGTERM in its turn (seen with 1.2.14). */
const CANCELLED: Sentence = { pattern: /context cancell?ed/i, failure: () => ({ kind: "cancelled-by-agy" }) };

/** A status of gRPC that has no meaning of its own above. */
const OTHER_STATUS: Sentence = {
	pattern:
		/\b(INTERNAL|DEADLINE_EXCEEDED|INVALID_ARGUMENT|PERMISSION_DENIED|NOT_FOUND|ABORTED|UNKNOWN|FAILED_PRECONDITION|MALFORMED_FUNCTION_CALL)\b/,
	failure: ({ input, 1: status = "" }) => ({
		kind: "model-error",
		...codeIn(input),
		status,
		message: oneLine(input),
	}),
};

/**
 * What agy and the services behind it were seen to say on stderr, in results and in error steps. The first that matches counts.
 * For the sentences that are known, order matters twice only: a quota that is used up is told with the status of a rate limit,
 * and a wrong effort with the opening words of a wrong model. For a text that holds several, causes stand before symptoms:
 * anything may end in a panic, a cancelled context or a status.
 */
export const AGY_SENTENCES: readonly Sentence[] = [
	QUOTA,
	RATE_LIMIT,
	...SIGN_IN,
	...EFFORT,
	MODEL,
	...FLAGS,
	CONTEXT_LENGTH,
	...REFUSALS,
	PRINT_TIMEOUT,
	NETWORK,
	OVERLOADED,
	...CRASHES,
	UNUSABLE_CONVERSATION,
	EMPTY_PROMPT,
	CANCELLED,
	OTHER_STATUS,
];
