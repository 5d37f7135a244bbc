import type { Conversation } from "./conversation.ts";
import type { ScenarioStep } from "./scenario.ts";
import type { Stdout } from "./stdout.ts";
import type { Abilities } from "./versions.ts";

/** Everything a row needs to know about the turn it is in. */
export interface TurnContext {
	conversation: Conversation;
	stdout: Stdout;
	abilities: Abilities;
	options: TurnOptions;
	cwd: string;
	/** Actions that were refused because nobody could be asked. */
	denied: { action: string; display_name: string }[];
	/** Waits between two commits, so that signals get their turn. */
	breathe(): Promise<void>;
	play(steps: readonly ScenarioStep[]): Promise<void>;
}

export interface TurnOptions {
	placeholder: "none" | "null" | "empty" | "envelope";
	genericTools: boolean;
	databaseText: boolean;
	stdoutAhead: boolean;
	promptBytes: number;
	/** False: tools that need permission are refused. */
	skipPermissions: boolean;
	version: string;
}

/** Ends the turn from wherever it is. */
export class TurnEnd extends Error {
	readonly outcome: Outcome;

	constructor(outcome: Outcome) {
		super("the turn is over");
		this.outcome = outcome;
	}
}

/** How a turn ends: what `result` says, what stderr says, the exit code and the executor's reason. */
export interface Outcome {
	status: string;
	exitCode: number;
	error?: string;
	stderr?: string;
	/** ExecutorTerminationReason. */
	termination: number;
}
