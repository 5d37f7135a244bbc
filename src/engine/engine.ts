import type { AgyEvent, CancelReason } from "./events.ts";

/** A way to run one agy turn. `agy -p` with its database is the first; others may come without a change above them. */
export interface Engine {
	readonly name: string;
	/** Never throws: whatever goes wrong is the run's `end` event. */
	start(request: RunRequest): Run;
}

export interface Run {
	/** One consumer. Always finishes with exactly one `end` event, whatever agy does. */
	readonly events: AsyncIterable<AgyEvent>;
	/** Idempotent. `end` follows at once with what was shown kept; the process tree is taken down behind it. */
	cancel(reason: CancelReason): void;
	/** Resolves when nothing of this run is left: no process, no handle, no watcher. Never rejects. */
	readonly settled: Promise<void>;
}

/** agy's effort tiers, weakest first. `xhigh` and `max` came with agy 1.2.11; which of them a model has, its slugs say. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";
export type RunMode = "plan" | "accept-edits";

export interface RunRequest {
	/** Exactly what agy is told. */
	readonly prompt: string;
	/** Absolute working directory. */
	readonly cwd: string;
	/** Further absolute directories agy may use (staged files, for instance). `cwd` is always one. */
	readonly addDirs: readonly string[];
	/** Absent: agy's own default. */
	readonly model?: ModelChoice;
	readonly mode: RunMode;
	/** `skip`: agy runs commands and edits without asking. `deny`: what needs permission is refused. */
	readonly permissions: "skip" | "deny";
	/** Continue this conversation. Absent: a new one. */
	readonly resume?: { readonly conversationId: string };
	/**
	 * `words-only` is for summaries: no tools where agy can switch them off, never with permissions skipped. Its `cwd` is a folder
	 * made for it, in which the engine may put what it needs.
	 */
	readonly purpose: "turn" | "delegation" | "words-only";
	/** The prompt contains nothing agy should interpret (leading `/`, `!`): tell agy so where that costs nothing. */
	readonly literalPrompt: boolean;
	/** Overrides of the settings' deadlines, in milliseconds. */
	readonly totalDeadlineMs?: number;
	/** Extra variables for the child's environment. */
	readonly env?: Readonly<Record<string, string>>;
	/** Tools of pi that agy may call in this run. */
	readonly toolServer?: ToolServer;
	/** `off`: agy has the tools of `toolServer` and none of its own; refused where it cannot do that. Absent: both. */
	readonly ownTools?: "off";
}

/** An MCP server of ours (Streamable HTTP), as one run sees it. Naming it in agy's configuration is the engine's matter. */
export interface ToolServer {
	/** Where agy connects. The server may be registered in several places at once; each has an address of its own. */
	url(registration: string): string;
	/** To be sent with every request; they hold the run's secret. */
	readonly headers: Readonly<Record<string, string>>;
	/** The registration by which agy connected; undefined until its `initialize`. */
	readonly connectedBy: string | undefined;
}

/** What agy calls the server of pi's tools; an engine may append to it where several servers could meet. */
export const TOOL_SERVER_NAME = "pi_tools";

/** A plugin with the server. agy puts the plugin's name before the server's since 1.2.2, which gives `TOOL_SERVER_NAME`. */
export const TOOL_PLUGIN = { name: "pi", server: "tools" } as const;

/** A model in the forms agy accepts. */
export interface ModelChoice {
	/** What every agy accepts: a full slug, `gemini-3.8-flash-high`. */
	readonly slug: string;
	/** The slug without its tier, and the tier, where the model has tiers. */
	readonly base?: string;
	readonly effort?: Effort;
}
