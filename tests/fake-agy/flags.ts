import { compareVersions } from "./versions.ts";

export interface Flags {
	addDirs: string[];
	switches: Set<string>;
	values: Map<string, string>;
	/** The prompt and the flag that brought it; undefined when no prompt flag was given. */
	prompt: { flag: string; text: string } | undefined;
	/** What is left after the flags: a subcommand and its arguments, or a stray argument. */
	rest: string[];
}

/** agy leaves such a command line with usage on stderr and exit code 2. */
export class FlagError extends Error {}

interface Definition {
	kind: "switch" | "value" | "prompt" | "duration" | "list";
	/** First version that knows the flag. */
	since?: string;
	/** The name its value is stored under, for short forms. */
	as?: string;
}

const DEFINITIONS: Record<string, Definition> = {
	"add-dir": { kind: "list" },
	agent: { kind: "value", since: "1.1.1" },
	c: { kind: "switch", as: "continue" },
	continue: { kind: "switch" },
	conversation: { kind: "value" },
	"dangerously-skip-permissions": { kind: "switch" },
	"disable-slash-commands": { kind: "switch", since: "1.1.9" },
	effort: { kind: "value", since: "1.1.5" },
	h: { kind: "switch", as: "help" },
	help: { kind: "switch" },
	i: { kind: "value", as: "prompt-interactive" },
	"prompt-interactive": { kind: "value" },
	"input-format": { kind: "value", since: "1.1.15" },
	"json-schema": { kind: "value", since: "1.1.8" },
	"log-file": { kind: "value" },
	mode: { kind: "value", since: "1.1.0" },
	model: { kind: "value", since: "1.0.5" },
	"new-project": { kind: "switch", since: "1.0.12" },
	"output-format": { kind: "value", since: "1.1.8" },
	p: { kind: "prompt" },
	print: { kind: "prompt" },
	prompt: { kind: "prompt" },
	"print-timeout": { kind: "duration" },
	project: { kind: "value", since: "1.0.12" },
	"remote-control": { kind: "switch", since: "1.1.19" },
	sandbox: { kind: "switch" },
	version: { kind: "switch" },
	// Hidden from the usage text, but there.
	gemini_dir: { kind: "value" },
	app_data_dir: { kind: "value" },
};
const HIDDEN = new Set(["gemini_dir", "app_data_dir", "c", "h", "i"]);

/**
 * Parses a command line as Go's `flag` package does: one dash or two, `=value` or the next argument, and the first
 * argument that is no flag ends it. Throws a FlagError.
 */
export function parseFlags(argv: string[], version: string, strict: boolean): Flags {
	const flags: Flags = { addDirs: [], switches: new Set(), values: new Map(), prompt: undefined, rest: [] };
	let at = 0;
	for (; at < argv.length; at++) {
		const argument = argv[at] ?? "";
		if (argument === "--") {
			at++;
			break;
		}
		const [, name = "", , inline] = /^--?([^-=][^=]*)(=([\s\S]*))?$/.exec(argument) ?? [];
		if (name === "") break;
		const definition = DEFINITIONS[name];
		if (definition === undefined || (definition.since && compareVersions(version, definition.since) < 0)) {
			throw new FlagError(`flag provided but not defined: -${name}`);
		}
		const target = definition.as ?? name;
		if (definition.kind === "switch") {
			if (inline === "false") flags.switches.delete(target);
			else flags.switches.add(target);
			continue;
		}
		const value = inline ?? argv[++at];
		if (value === undefined) throw new FlagError(`flag needs an argument: -${name}`);
		if (definition.kind === "prompt" && inline === undefined && strict && /^--?[a-z]/.test(value)) {
			throw new FlagError(
				`-${name} took the flag ${value} for its prompt. Attach the prompt to the flag (-p='your prompt')`,
			);
		}
		if (definition.kind === "duration") parseDuration(name, value);
		if (definition.kind === "list") flags.addDirs.push(value);
		else if (definition.kind === "prompt") flags.prompt = { flag: name, text: value };
		else flags.values.set(target, value);
	}
	flags.rest = argv.slice(at);
	return flags;
}

/** Milliseconds of a Go duration such as `1m30s`; throws a FlagError for anything else, a bare number among it. */
export function parseDuration(name: string, value: string): number {
	const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
	const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
	if (value !== "0" && (parts.length === 0 || parts.map((part) => part[0]).join("") !== value)) {
		throw new FlagError(`invalid value "${value}" for flag -${name}: parse error`);
	}
	return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ""] ?? 0), 0);
}

/** The usage text; agy prints it to stderr. */
export function usage(version: string): string {
	const known = Object.entries(DEFINITIONS)
		.filter(([name, { since }]) => !HIDDEN.has(name) && (!since || compareVersions(version, since) >= 0))
		.map(([name]) => `  ${name.length === 1 ? "-" : "--"}${name}`);
	return `Usage of agy:\n${known.join("\n")}\n\nSubcommands: agent(s) changelog help install models plugin(s) update\n`;
}
