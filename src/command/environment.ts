import type { SettingsSource } from "../config/settings-source.ts";
import type { Clock } from "../engine/clock.ts";
import type { Outcome } from "../engine/events.ts";
import type { ModelCatalogue } from "../models/catalogue.ts";
import type { QuotaReader } from "../quota/quota-reader.ts";

/**
 * What `/agy` needs from the rest of the extension; one for each session, put together where the extension is wired up. Every
 * sub-command is written against this, so each can be tried without agy, without pi and without a session.
 */
export interface CommandEnvironment {
	readonly settings: SettingsSource;
	readonly catalogue: ModelCatalogue;
	/** Lets pi look at the catalogue again, so that its pickers show what changed. Never rejects. */
	publishModels(): Promise<void>;
	readonly quota: QuotaReader;
	readonly conversation: ConversationControl;
	readonly probes: Probes;
	readonly clock: Clock;
	/** Where the log of today is; it may not exist. */
	logPath(): string;
	/** The folder of everything this extension writes. */
	readonly dataDirectory: string;
	readonly piVersion: string;
	/** The engine that turns run on, by its name. */
	readonly engineName: string;
	/** How this session's last antigravity turn ended; absent before the first. */
	lastTurn(): LastTurn | undefined;
	/** Whether pi's tools are offered to agy right now. Absent while there is no bridge. */
	bridgeStatus?(): BridgeStatus;
}

export interface LastTurn {
	/** Milliseconds since the epoch. */
	readonly endedAt: number;
	readonly outcome: Outcome;
	/** One or two sentences for people, for failures the one that the turn's message held. */
	readonly summary: string;
}

export interface BridgeStatus {
	/** One sentence: running and how, or why not. */
	readonly state: string;
	/** The names of the tools that agy is offered. */
	readonly tools: readonly string[];
	/** pi's other active tools, each with the reason as the end of a sentence. */
	readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
	/** Whether agy connected in the session's last turn. */
	readonly contact: "no turn yet" | "connected" | "not connected";
}

/** The agy conversation that this pi session continues. Rejects where the session's record cannot be read or written. */
export interface ConversationControl {
	current(): Promise<BoundConversation | undefined>;
	/** Whether something was said in this session that a new conversation will be told. */
	hasHistory(): boolean;
	/** Leaves the current conversation: the next turn starts a new one and tells it what has been said so far. */
	startNew(): Promise<ControlResult<{ /** The id of the one that was left. */ readonly left?: string }>>;
	/** The next turn continues conversation `id`. */
	use(id: string): Promise<ControlResult>;
	/** Forgets the conversations of all the session's branches. agy's own files stay. */
	clear(): Promise<ControlResult<{ /** How many there were. */ readonly forgotten: number }>>;
	/** For completions, newest first; `use` has the last word on them. */
	recent(): Promise<readonly RecentConversation[]>;
}

export interface RecentConversation {
	readonly id: string;
	/** When agy last wrote to it, in milliseconds since the epoch. */
	readonly writtenAt: number;
}

export interface BoundConversation {
	readonly id: string;
	/** agy's database of it. */
	readonly path: string;
}

export type ControlResult<Told = unknown> =
	| ({ readonly ok: true } & Told)
	/** `problem` is a sentence for people: not found, another folder's, in use. */
	| { readonly ok: false; readonly problem: string };

/** Questions about the machine. None rejects; each has its own time limit. */
export interface Probes {
	/** Finds the binary and asks for its version. */
	agy(): Promise<AgyProbe>;
	/** The working folder of the session. */
	readonly cwd: string;
	/** pi's environment, from which agy's is made. */
	readonly env: NodeJS.ProcessEnv;
	/** agy's own folder: `~/.gemini`, or where its flags moved it. */
	readonly geminiDir: string;
	/** Reads the newest conversation agy wrote, as a turn would. */
	decoding(): Promise<DecodingProbe>;
	/** Whether changes of a file in agy's folder are reported, or must be polled for. */
	fileEvents(): Promise<"events" | "polling">;
	/**
	 * Starts agy to see whether it connects to pi's tools, which can cost part of a model request: only for people who asked for
	 * that. Absent while there is no bridge.
	 */
	bridge?(): Promise<BridgeProbe>;
	/** Names of other extensions that claim the provider `antigravity` or the command `/agy`. */
	conflicts(): readonly string[];
}

export type AgyProbe =
	| {
			readonly found: true;
			readonly path: string;
			readonly version: string;
			/** Set when this version is below what the extension needs. */
			readonly tooOldFor?: { readonly floor: string };
	  }
	| { readonly found: false; readonly searched: readonly string[] }
	/** It was started and told no version, as an agy does that writes nothing to a pipe. Turns with it may work. */
	| { readonly found: "unnamed"; readonly path: string }
	/** The file is there and cannot be started. */
	| { readonly found: "broken"; readonly path: string; readonly cause: string };

export type BridgeProbe =
	| { readonly kind: "connected"; readonly by: string; readonly seconds: number }
	| { readonly kind: "not-connected" }
	/** Nothing would be offered, so nothing was tried. */
	| { readonly kind: "not-offered" }
	| { readonly kind: "failed"; readonly cause: string };

export type DecodingProbe =
	| { readonly kind: "decoded"; readonly id: string; readonly steps: number; readonly unknownSteps: number }
	/** There is no conversation yet. */
	| { readonly kind: "none" }
	/** Some agy works on each of the newest, and a reader must not get in its way. */
	| { readonly kind: "in-use" }
	| { readonly kind: "failed"; readonly path: string; readonly cause: string };
