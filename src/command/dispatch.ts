import { messageOf } from "../engine/thrown.ts";
import { suggest } from "../models/suggest.ts";
import type { CommandEnvironment } from "./environment.ts";
import { type Reply, refuse, type SubCommand } from "./sub-command.ts";
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
		return refuse(`/agy ${name} failed: ${messageOf(error)}`);
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
	readonly description?: string;
}

/**
 * What may follow `/agy <prefix>`; null when nothing fits, as pi wants it. A whole word has no completions either: pi's Enter
 * would choose one of them instead of running the command.
 */
export async function complete(prefix: string, env: CommandEnvironment): Promise<Completion[] | null> {
	const words = split(prefix);
	const started = prefix === "" || prefix.endsWith(" ") ? "" : (words.pop() ?? "");
	const [name, ...before] = words;
	const options = name === undefined ? names() : await argumentsOf(find(name), before, env);
	const fitting = options.filter((option) => option.label.startsWith(started));
	return fitting.length === 0 || fitting.some((option) => option.label === started) ? null : fitting;

	async function argumentsOf(
		command: SubCommand | undefined,
		typed: readonly string[],
		on: CommandEnvironment,
	): Promise<Completion[]> {
		const offered = (await command?.complete?.(typed, on)) ?? [];
		return offered.map((word) => ({ value: [...words, word].join(" "), label: word }));
	}
}

function names(): Completion[] {
	return subCommands.map(({ name, usage, summary }) => ({
		value: name,
		label: name,
		description: usage === "" ? summary : `${usage}  ${summary}`,
	}));
}

function find(name: string): SubCommand | undefined {
	return subCommands.find((command) => command.name === name);
}

function split(line: string): string[] {
	return line.split(/\s+/).filter((word) => word !== "");
}
