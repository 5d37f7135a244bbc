import type { Failure } from "../../engine/failure.ts";

/** What is known about the run beside the text. */
export interface ErrorContext {
	/** When the text came, in milliseconds since the epoch: "resets in" counts from there. */
	readonly now: number;
	/** The model that was asked for, and the conversation that was to be continued. */
	readonly model?: string | undefined;
	readonly resume?: string | undefined;
	readonly exitCode?: number | undefined;
}

interface Rule {
	readonly pattern: RegExp;
	readonly failure: (match: RegExpExecArray, context: ErrorContext) => Failure;
}

/**
 * Texts of agy and of the services behind it, as they were seen on stderr, in results and in error steps. The first that
 * matches counts, so the precise ones stand first: quota texts also contain RESOURCE_EXHAUSTED and 429.
 */
const RULES: readonly Rule[] = [
	{
		pattern: /individual quota reached|quota (?:has been )?(?:reached|exceeded|exhausted)/i,
		failure: ({ input }, context) => quotaFailure(input, context),
	},
	{
		pattern: /RESOURCE_EXHAUSTED|resource has been exhausted|too many requests|rate.?limit|\bcode[ :=]*429\b/i,
		failure: () => ({ kind: "rate-limit" }),
	},
	{
		pattern: /authentication expired|session (?:has )?expired|token (?:has )?expired|invalid_grant/i,
		failure: () => ({ kind: "not-signed-in", expired: true }),
	},
	{
		pattern:
			/authentication required|please sign in|verifying your account|waiting for authentication|not (?:logged|signed) in/i,
		failure: () => ({ kind: "not-signed-in", expired: false }),
	},
	{
		pattern: /UNAUTHENTICATED|\bcode[ :=]*401\b/,
		failure: () => ({ kind: "not-signed-in", expired: true }),
	},
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
	{
		pattern: /invalid model selection \(--model "([^"]*)"|model ([^:]+?) is not recognized/,
		failure: ({ input, 1: asked, 2: model }) => ({
			kind: "unknown-model",
			model: unquote(asked ?? model ?? ""),
			available: availableModels(input),
		}),
	},
	{
		pattern:
			/flag needs an argument: (-\S+)|flags? provided but not defined: (-\S+)|invalid value .* for flag (-[^\s:]+)/,
		failure: ({ 1: needs, 2: unknown, 3: value }) => ({ kind: "flag-rejected", flag: needs ?? unknown ?? value ?? "" }),
	},
	{
		pattern: /unknown (?:shorthand )?flag:? '?(-\S+?)'?(?:\s|$)|unexpected argument:? "?([^"\n]+)/i,
		failure: ({ 1: flag, 2: argument }) => ({ kind: "flag-rejected", flag: flag ?? argument ?? "" }),
	},
	{
		pattern:
			/context.?length.?exceeded|input token count.*exceeds|exceeds the maximum number of (?:input )?tokens|prompt is too long|exceeds .*context window/i,
		failure: () => ({ kind: "context-too-long" }),
	},
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
	{
		pattern: /timed out waiting for response|timeout waiting for response|print timeout after/i,
		failure: () => ({ kind: "print-timeout" }),
	},
	{
		pattern:
			/no such host|network is unreachable|connection (?:refused|reset)|dial tcp|getaddrinfo|TLS handshake timeout|no route to host/i,
		failure: () => ({ kind: "no-network" }),
	},
	{
		pattern: /UNAVAILABLE|overloaded|high demand|\bcode[ :=]*(503|529)\b/i,
		failure: ({ input }) => ({ kind: "overloaded", ...codeIn(input) }),
	},
	{
		pattern: /could not open TTY|bubbletea/,
		failure: (_match, { exitCode = 1 }) => ({ kind: "crashed", exitCode, hint: "it wanted a terminal" }),
	},
	{
		pattern: /language server.*(?:fail|exited|could not|not start)|(?:fail|could not).*language server/i,
		failure: (_match, { exitCode = 1 }) => ({ kind: "crashed", exitCode, hint: "its language server did not start" }),
	},
	{
		pattern: /panic: |nil pointer dereference|fatal error: /,
		failure: (_match, { exitCode = 2 }) => ({ kind: "crashed", exitCode, hint: "it failed inside" }),
	},
	{
		pattern: /plan model not specified/i,
		failure: (_match, { resume }) =>
			resume === undefined
				? { kind: "model-error", message: "plan model not specified" }
				: { kind: "conversation-lost", id: resume },
	},
	{
		pattern: /empty prompt/,
		failure: () => ({ kind: "bad-request", problem: "The prompt is empty.", remedy: "Write something for agy to do." }),
	},
	{ pattern: /context cancell?ed/i, failure: () => ({ kind: "cancelled-by-agy" }) },
	{
		pattern:
			/\b(INTERNAL|DEADLINE_EXCEEDED|INVALID_ARGUMENT|PERMISSION_DENIED|NOT_FOUND|ABORTED|UNKNOWN|FAILED_PRECONDITION|MALFORMED_FUNCTION_CALL)\b/,
		failure: ({ input, 1: status = "" }) => ({
			kind: "model-error",
			...codeIn(input),
			status,
			message: oneLine(input),
		}),
	},
];

/** Pure: what a text of agy's says has failed; undefined when it is none of the known ones. */
export function failureInText(text: string, context: ErrorContext): Failure | undefined {
	for (const { pattern, failure } of RULES) {
		const match = pattern.exec(text);
		if (match !== null) return failure(match, context);
	}
	return undefined;
}

/** agy's two pools of quota, as `/usage` names them; undefined for a model of neither. */
export function quotaPool(model: string | undefined): string | undefined {
	if (model === undefined) return undefined;
	if (/gemini/i.test(model)) return "Gemini Models";
	return /claude|gpt/i.test(model) ? "Claude and GPT models" : undefined;
}

function quotaFailure(text: string, { now, model }: ErrorContext): Failure {
	const pool = quotaPool(model);
	const resetsIn = goDurationMs(/resets in ((?:[\d.]+(?:ms|[dhms]))+)/i.exec(text)?.[1]);
	return {
		kind: "quota",
		...(pool === undefined ? {} : { pool }),
		...(resetsIn === undefined ? {} : { resetAt: now + resetsIn }),
		adminManaged: /contact your administrator/i.test(text),
	};
}

const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** A Go duration such as `100h25m46s` in milliseconds. */
export function goDurationMs(text: string | undefined): number | undefined {
	if (text === undefined || !/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/.test(text)) return undefined;
	let sum = 0;
	for (const [, amount, unit = ""] of text.matchAll(/([\d.]+)(ms|[dhms])/g))
		sum += Number(amount) * (UNIT_MS[unit] ?? 0);
	return Math.round(sum);
}

/** The list that follows an unknown model: a slug, or slug and label, on each line. */
function availableModels(text: string): string[] {
	const list = /Available models:(.*)/s.exec(text)?.[1] ?? "";
	return list.split(/[\n,]/).flatMap((line) => {
		const name = line
			.replace(/^[\s*-]+/, "")
			.split(/\t| {2,}/)[0]
			?.trim();
		return name ? [name] : [];
	});
}

function codeIn(text: string): { readonly code?: number } {
	const code = /\bcode[ :="]*(\d{3})\b/i.exec(text)?.[1];
	return code === undefined ? {} : { code: Number(code) };
}

function words(list: string): string[] {
	return list.split(",").flatMap((word) => (word.trim() === "" ? [] : [word.trim()]));
}

function unquote(text: string): string {
	return text.trim().replace(/^["'`]+|["'`,.:;]+$/g, "");
}

/** Short enough for a message, without control characters. */
export function oneLine(text: string): string {
	return text
		.replace(/[\p{Cc}\s]+/gu, " ")
		.trim()
		.slice(0, 300);
}
