import { parse } from "shell-quote";
import type { Failure } from "../../engine/failure.ts";

export type ExtraArgs =
	| { readonly kind: "ok"; readonly args: readonly string[] }
	| { readonly kind: "refused"; readonly failure: Extract<Failure, { kind: "bad-request" }> };

/** These carry the prompt or choose the conversation or the output; a second one would make agy do something else. */
const OURS = new Set([
	"p",
	"print",
	"prompt",
	"i",
	"prompt-interactive",
	"c",
	"continue",
	"conversation",
	"output-format",
	"input-format",
]);

/** Flags that take no value, so that the word after them is not one. */
const SWITCHES = new Set(["dangerously-skip-permissions", "disable-slash-commands", "new-project", "sandbox", "hub"]);

/** Flags whose value must follow; without it they would swallow the prompt. */
const VALUED = new Set([
	"add-dir",
	"agent",
	"effort",
	"json-schema",
	"log-file",
	"mode",
	"model",
	"print-timeout",
	"project",
	"gemini_dir",
	"app_data_dir",
]);

/** A character no argument has, to keep `$` from being expanded. */
const DOLLAR = "\uE024";

/** Splits the setting `extraArgs` as a shell would, without expanding anything, and refuses what agy would misread. */
export function parseExtraArgs(text: string): ExtraArgs {
	if (/["']/.test(text.replace(/\\.|"(?:\\.|[^"\\])*"|'[^']*'/gs, ""))) return refuse("a quote in it is not closed");
	const args: string[] = [];
	for (const entry of parse(text.replaceAll("$", DOLLAR))) {
		if (typeof entry === "string") args.push(entry.replaceAll(DOLLAR, "$"));
		else if ("comment" in entry) return refuse("it contains an unquoted #");
		else if (entry.op === "glob") args.push(entry.pattern.replaceAll(DOLLAR, "$"));
		else return refuse(`it contains an unquoted ${entry.op}`);
	}
	return problemIn(args) ?? { kind: "ok", args };
}

function problemIn(args: readonly string[]): ExtraArgs | undefined {
	let open: { readonly flag: string; readonly value: "must" | "may" } | undefined;
	for (const arg of args) {
		const [, name, attached] = /^--?([^=-][^=]*)(=)?/.exec(arg) ?? [];
		if (name === undefined) {
			if (open === undefined) return refuse(`"${arg}" belongs to no flag, and agy would stop reading there`);
			open = undefined;
			continue;
		}
		if (open?.value === "must") break;
		const flag = arg.split("=")[0] ?? arg;
		if (OURS.has(name)) return refuse(`${flag} is set by the extension itself`);
		const complete = attached !== undefined || SWITCHES.has(name);
		open = complete ? undefined : { flag, value: VALUED.has(name) ? "must" : "may" };
	}
	return open?.value === "must" ? refuse(`${open.flag} needs a value`) : undefined;
}

function refuse(why: string): ExtraArgs {
	return {
		kind: "refused",
		failure: {
			kind: "bad-request",
			problem: `The extra arguments for agy cannot be used: ${why}.`,
			remedy: "Correct extraArgs (AGY_EXTRA_ARGS); quote it as in a shell.",
		},
	};
}

/** The arguments without these flags and their values. */
export function withoutFlags(args: readonly string[], names: ReadonlySet<string>): readonly string[] {
	let isValue = false;
	return args.filter((arg) => {
		if (isValue) {
			isValue = false;
			return false;
		}
		const [, name, attached] = /^--?([^=-][^=]*)(=)?/.exec(arg) ?? [];
		if (name === undefined || !names.has(name)) return true;
		isValue = attached === undefined && !SWITCHES.has(name);
		return false;
	});
}
