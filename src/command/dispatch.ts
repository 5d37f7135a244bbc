import { messageOf } from "../engine/thrown.ts";
import { suggest } from "../models/suggest.ts";
import type { CommandEnvironment } from "./environment.ts";
import { type Reply, refuse, type SubCommand, type Suggestion } from "./sub-command.ts";
import { subCommands } from "./table.ts";

/** Runs `/agy <line>`. Never rejects: whatever goes wrong is a reply. */
export async function dispatch(
	line: string,
	env: CommandEnvironment,
	progress: (text: string) => void = () => {},
): Promise<Reply> {
	const [name = "status", ...words] = split(line);
	const command = find(name);
	if (command === undefined) return unknownWord(name);
	try {
		return await command.run(words, env, progress);
	} catch (error) {
		return refuse(`/agy ${name} failed: ${messageOf(error)}.`, "`/agy doctor` may tell why.");
	}
}

function unknownWord(name: string): Reply {
	const names = subCommands.map((command) => command.name);
	const [best] = suggest(name, names);
	const hint = best === undefined ? `It can do: ${names.join(", ")}.` : `Did you mean /agy ${best}?`;
	return refuse(`/agy does not know "${name}". ${hint}`);
}

/** One completion of `/agy`: `value` replaces everything behind `/agy `. */
export interface Completion {
	readonly value: string;
	readonly label: string;
	readonly description: string;
}

/**
 * What may follow `/agy <prefix>`; null when nothing fits, as pi wants it. A whole word has no completions either: pi's Enter
 * would choose one of them instead of running the command. Where more may follow, a space is completed as well: pi sets none
 * behind an argument.
 */
export async function complete(prefix: string, env: CommandEnvironment): Promise<Completion[] | null> {
	const words = split(prefix);
	const started = prefix === "" || prefix.endsWith(" ") ? "" : (words.pop() ?? "");
	const [name, ...before] = words;
	const suggestions = name === undefined ? commandNames() : await find(name)?.complete?.(before, env);
	const fitting = suggestions?.filter(({ word }) => word.startsWith(started)) ?? [];
	if (fitting.length === 0 || fitting.some(({ word }) => word === started)) return null;
	return fitting.map(({ word, meaning, goesOn = false }) => ({
		value: [...words, goesOn ? `${word} ` : word].join(" "),
		label: word,
		description: meaning,
	}));
}

function commandNames(): Suggestion[] {
	return subCommands.map(({ name, usage, summary }) => ({
		word: name,
		meaning: usage === "" ? summary : `${usage}  ${summary}`,
		goesOn: usage !== "",
	}));
}

function find(name: string): SubCommand | undefined {
	return subCommands.find((command) => command.name === name);
}

function split(line: string): string[] {
	return line.split(/\s+/).filter((word) => word !== "");
}
