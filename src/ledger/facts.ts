import type { ExecutorRecord, StepError } from "../decode/step-types.ts";
import type { ToolEvent } from "../engine/events.ts";
import type { StreamResult } from "../stdout/stream-message.ts";
import type { GenerationState } from "./generation-track.ts";

/** What the ledger knows at this moment that is not an event: how far the turn came and how it stands. */
export interface LedgerFacts {
	/** agy has written our prompt into the conversation. */
	readonly promptSeen: boolean;
	/** Text of an answer was shown. */
	readonly textSeen: boolean;
	/** A tool began that was not refused: it may have had effects. */
	readonly toolsRan: boolean;
	/** Tools that finished their work. */
	readonly toolsDone: number;
	/** The highest step index of the conversation, -1 when it is empty. */
	readonly lastStep: number;
	/** "" when no row named one. */
	readonly trajectory: string;
	/** A row of this run was read. */
	readonly rowsSeen: boolean;
	/** stdout told of a step of this run. */
	readonly stdoutStepsSeen: boolean;
	/** How the newest model call stands. */
	readonly lastGeneration: GenerationState | "none";
	/** The newest model call ended without asking for a tool, and nothing is open. */
	readonly answerComplete: boolean;
	/** The text of the newest model call, "" when it has none. */
	readonly lastGenerationText: string;
	/** Tools that run or wait in the foreground. */
	readonly openTools: readonly ToolEvent[];
	readonly backgroundTools: readonly ToolEvent[];
	/** agy's record of the end of this turn, unless it went on afterwards. */
	readonly executor: ExecutorRecord | undefined;
	readonly result: StreamResult | undefined;
	/** Model errors since the last model call that succeeded, oldest first. */
	readonly openErrors: readonly StepError[];
	readonly denied: readonly DeniedAction[];
}

export interface DeniedAction {
	readonly by: "permission" | "hook";
	readonly action: string;
	readonly target?: string;
	readonly tool?: string;
	readonly reason?: string;
}
