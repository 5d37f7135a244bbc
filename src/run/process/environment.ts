import type { ProcessIdentity } from "./process-table.ts";

/** Names every process of a run: the pi process that owns it (number and start time), and the run. */
export const MARKER = "PI_ANTIGRAVITY_RUN";

/**
 * Tells the relay of our own agy where to go. Every agy of the user starts the relay; only one that has this variable, with the
 * entry's name in it, gets tools from it.
 */
export const RELAY_VARIABLE = "PI_ANTIGRAVITY_TOOLS";

export interface RunMark {
	readonly owner: ProcessIdentity;
	readonly runId: string;
}

export interface EnvironmentOptions {
	/** pi's own environment. */
	readonly parent: Readonly<Record<string, string | undefined>>;
	readonly mark: RunMark;
	/** Additions of this run; they win over everything but the mark. */
	readonly extra?: Readonly<Record<string, string>>;
}

/**
 * Keys of model providers that agy cannot use, as pi knows them. They are pi's secrets and stay with pi: agy's commands
 * run unasked and print what they like. Everything a command may need (GITHUB_TOKEN, AWS_*, SSH_AUTH_SOCK, proxies) and
 * everything Google's own (GEMINI_API_KEY, GOOGLE_*) is passed on.
 */
const PROVIDER_SECRETS = new Set([
	"AI_GATEWAY_API_KEY",
	"ANTHROPIC_API_KEY",
	"ANTHROPIC_AUTH_TOKEN",
	"ANTHROPIC_OAUTH_TOKEN",
	"ANT_LING_API_KEY",
	"AWS_BEARER_TOKEN_BEDROCK",
	"AZURE_OPENAI_API_KEY",
	"BASETEN_API_KEY",
	"CEREBRAS_API_KEY",
	"COPILOT_GITHUB_TOKEN",
	"DEEPSEEK_API_KEY",
	"FIREWORKS_API_KEY",
	"GROQ_API_KEY",
	"KIMI_API_KEY",
	"META_API_KEY",
	"MINIMAX_API_KEY",
	"MINIMAX_CN_API_KEY",
	"MISTRAL_API_KEY",
	"MOONSHOT_API_KEY",
	"NVIDIA_API_KEY",
	"OPENAI_API_KEY",
	"OPENCODE_API_KEY",
	"OPENROUTER_API_KEY",
	"RADIUS_API_KEY",
	"TOGETHER_API_KEY",
	"TYPESAFE_API_KEY",
	"XAI_API_KEY",
	"ZAI_API_KEY",
	"ZAI_CODING_CN_API_KEY",
]);

/** The plans of these providers have a variable per region. */
const PROVIDER_SECRET_FAMILIES = /^(QWEN_TOKEN_PLAN|XIAOMI)(_[A-Z]+)*_API_KEY$/;

/**
 * What must not be inherited: agy's variables for its own children (an agy that started this pi would be taken for the
 * new one's session), the address of the tools of the pi that started that agy, and pi's statement about who runs a command, which is
 * agy from here on.
 */
const NOT_INHERITED = new Set([
	"ANTIGRAVITY_CONVERSATION_ID",
	"ANTIGRAVITY_CSRF_TOKEN",
	"ANTIGRAVITY_LS_ADDRESS",
	"AI_AGENT",
	"PI_CODING_AGENT",
	MARKER,
	RELAY_VARIABLE,
]);

/** Pure: the whole environment of an agy process. */
export function childEnvironment({ parent, mark, extra = {} }: EnvironmentOptions): Record<string, string> {
	const env: Record<string, string> = {};
	for (const [name, value] of Object.entries(parent)) {
		if (value !== undefined && isPassedOn(name)) env[name] = value;
	}
	// Only the word `true` works; `1` is ignored (seen with agy 1.2.6).
	env.AGY_CLI_DISABLE_AUTO_UPDATE = "true";
	return { ...env, ...extra, [MARKER]: formatMark(mark) };
}

function isPassedOn(name: string): boolean {
	// Names are not case-sensitive on Windows.
	const upper = name.toUpperCase();
	return !NOT_INHERITED.has(upper) && !PROVIDER_SECRETS.has(upper) && !PROVIDER_SECRET_FAMILIES.test(upper);
}

/** `NAME=value` as it stands in the environment of every process of the run. */
export function markerVariable(mark: RunMark): string {
	return `${MARKER}=${formatMark(mark)}`;
}

/** The beginning of the marker of every run of one pi process. */
export function ownerPrefix(owner: ProcessIdentity): string {
	return `${MARKER}=${owner.pid}:${owner.startTime}:`;
}

/** The run in whose tree the owner of this environment lives: set when pi was started by one of agy's commands. */
export function markIn(env: Readonly<Record<string, string | undefined>>): RunMark | undefined {
	return parseMark(env[MARKER] ?? "");
}

/** Whether the owner of this environment was started by agy: one of a run, or any other, which names its conversation. */
export function isInsideAgy(env: Readonly<Record<string, string | undefined>>): boolean {
	return markIn(env) !== undefined || Boolean(env.ANTIGRAVITY_CONVERSATION_ID);
}

/** Reads the value of the marker; undefined for anything else. */
export function parseMark(value: string): RunMark | undefined {
	const [, pid, startTime, runId] = /^(\d{1,10}):([^:]*(?::[^:]*)*):([\w-]+)$/.exec(value) ?? [];
	if (startTime === undefined || runId === undefined) return undefined;
	return { owner: { pid: Number(pid), startTime }, runId };
}

function formatMark({ owner, runId }: RunMark): string {
	return `${owner.pid}:${owner.startTime}:${runId}`;
}
