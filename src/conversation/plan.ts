import type { TranscriptContext } from "@earendil-works/pi-ai";
import type { ModelChoice, RunMode, RunRequest } from "../engine/engine.ts";
import type { EndEvent } from "../engine/events.ts";
import type { Failure } from "../engine/failure.ts";

/** One model turn of a pi session, as pi hands it over. */
export interface TurnInput {
	readonly context: TranscriptContext;
	readonly sessionId: string;
	/** Absolute working directory of the session. */
	readonly cwd: string;
	readonly model: TurnModel;
	readonly mode: RunMode;
	readonly permissions: "skip" | "deny";
}

export interface TurnModel {
	/** pi's model id. */
	readonly id: string;
	/** What agy is asked for; absent: agy's own default. */
	readonly choice?: ModelChoice;
	/** Models of one family can carry on each other's conversations: `gemini`, `claude`, `gpt-oss`. */
	readonly family: string;
}

/** A call that is no turn of a session: a summary, another extension's question. */
export type WordsInput = Pick<TurnInput, "context" | "model">;

export type TurnKind = "fresh" | "continue" | "continue-with-digest" | "rebuild";

/** What to run, and what `finished` needs to remember it. */
export interface TurnPlan {
	readonly request: RunRequest;
	readonly kind: TurnKind;
	/** The conversation that is continued; absent when a new one begins. */
	readonly conversationId?: string;
	/** Short sentences for the person at the screen, mostly none. */
	readonly notices: readonly string[];
	/** For the planner itself. */
	readonly memo: TurnMemo;
}

/** What the store learns when the turn reaches agy. */
export interface TurnMemo {
	readonly sessionId: string;
	readonly cwd: string;
	readonly family: string;
	/** Fingerprints the conversation had seen before this turn. */
	readonly before: readonly string[];
	/** The same after it, without the answer. */
	readonly after: readonly string[];
	/** Hash of the instructions the conversation knows after this turn. */
	readonly instructions: string;
	/** Hash of those it knew before. */
	readonly instructionsBefore: string;
}

export type Planned<Plan> = Plan | { readonly refused: Failure };

/** A throw-away call: its request, and what must be called when nothing of its run is left, whatever happened. */
export interface WordsPlan {
	readonly request: RunRequest;
	readonly discard: () => Promise<void>;
}

/**
 * Decides which agy conversation a turn of a pi session continues and what agy is told, and remembers what came of it.
 * Ask for a plan only when no live run waits for this turn: a tail of our own cards' results with nothing new from the
 * user is refused.
 */
export interface ConversationPlanner {
	plan(input: TurnInput): Promise<Planned<TurnPlan>>;
	/** Call once the run's conversation is known, so that a crash of pi does not lose it. Never rejects. */
	started(plan: TurnPlan, conversationId: string): Promise<void>;
	/**
	 * Call when the run has ended, always, also when it was cancelled. `answer` is every text block of the messages this
	 * run put into pi's transcript, joined in order (all of them, cards or not, without thinking). Never rejects.
	 */
	finished(plan: TurnPlan, end: EndEvent, answer: string): Promise<void>;
	/** A call that is not a turn of the session; it never touches the session's conversation. */
	wordsOnly(input: WordsInput): Promise<Planned<WordsPlan>>;
	/** The session closes in this process: its staged files go. Never rejects. */
	sessionEnded(sessionId: string): Promise<void>;
	/** Removes records of sessions not used for `sessionDays`, and files left by processes that died. Never rejects. */
	prune(): Promise<void>;
}
