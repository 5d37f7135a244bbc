import type { CommandEnvironment } from "./environment.ts";

/** What a sub-command has to say. */
export interface Reply {
	/** `error`: what was asked for was not done. */
	readonly level: "info" | "warning" | "error";
	/** Plain lines. One line is a remark, several are a report. */
	readonly lines: readonly string[];
}

/** A word that may stand somewhere. */
export interface Suggestion {
	readonly word: string;
	/** A few words, to be shown beside it. */
	readonly meaning: string;
	/** More words may follow it. */
	readonly goesOn?: boolean;
}

export interface SubCommand {
	readonly name: string;
	/** What may follow the name, for instance `[skip|deny]`; empty when nothing may. */
	readonly usage: string;
	/** One sentence without a full stop, for the completions, the help and the reference. */
	readonly summary: string;
	/** What may stand at the place where the cursor is, after the `words` that stand there already. */
	complete?(words: readonly string[], env: CommandEnvironment): readonly Suggestion[] | Promise<readonly Suggestion[]>;
	/** Does not throw for anything the user may type. `progress` is for work that takes more than a moment. */
	run(words: readonly string[], env: CommandEnvironment, progress: (text: string) => void): Promise<Reply>;
}

/** Lines that only tell something. */
export function say(...lines: readonly string[]): Reply {
	return { level: "info", lines };
}

/** Lines that say why nothing was done. */
export function refuse(...lines: readonly string[]): Reply {
	return { level: "error", lines };
}

/** The reply to words that a sub-command does not know. */
export function misused(command: Pick<SubCommand, "name" | "usage">): Reply {
	return refuse(`Usage: /agy ${command.name} ${command.usage}`.trimEnd());
}
