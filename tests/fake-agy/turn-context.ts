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
