import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { AskDetails } from "../../src/tools/ask-antigravity/details.ts";
import { only, type PiEvent, type PiHome, parseEvents, piHome, runPi } from "../support/pi.ts";
import { type FakeHome, fakeHome, type InvocationRecord, type Scenario } from "../support/scenario.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CALLER = fileURLToPath(new URL("./ask-caller.ts", import.meta.url));
export const OTHER_TOOL = fileURLToPath(new URL("./ask-other-tool.ts", import.meta.url));

/** One tool call of the scripted model; without a name it is one of AskAntigravity. */
export interface ScriptedCall {
	readonly name?: string;
	readonly args: object;
}

/** The result of one tool call as pi keeps it. */
export interface KeptResult {
	readonly toolName: string;
	readonly isError: boolean;
	readonly text: string;
	readonly details: AskDetails | undefined;
	readonly usage: { readonly input: number; readonly output: number } | undefined;
}

/** Real pi with our whole extension, a scripted model of another provider, and the stand-in for agy. */
export interface AskHome {
	readonly pi: PiHome;
	readonly agy: FakeHome;
	/** Where staged files appear. */
	readonly tmp: string;
	args(...more: string[]): string[];
	/** The agy runs that got a prompt. */
	runs(): InvocationRecord[];
	/** The contents of the files that are staged right now, with their paths. */
	staged(): { path: string; text: string }[];
	/** Runs pi in JSON mode on one script. */
	play(...batches: ScriptedCall[][]): Promise<{ events: PiEvent[]; results: KeptResult[] }>;
}

export interface AskOptions {
	readonly env?: Record<string, string>;
	/** Loaded before, and after, ours. */
	readonly before?: string[];
	readonly after?: string[];
}

/** `scenario` may need the stand-in's home, for its gates. */
export function askHome(
	t: TestContext,
	scenario: Scenario | string | ((agy: FakeHome) => Scenario),
	options: AskOptions = {},
): AskHome {
	const agy = fakeHome(t);
	agy.play(typeof scenario === "function" ? scenario(agy) : scenario);
	const tmp = join(agy.dir, "tmp");
	mkdirSync(tmp);
	shareCompiled(tmp);
	const pi = piHome(t, { cwd: agy.cwd, env: { ...agy.env, TMPDIR: tmp, ...options.env } });
	const extensions = [...(options.before ?? []), ROOT, CALLER, ...(options.after ?? [])];
	const args = (...more: string[]) => [...only(...extensions), "--model", "faux/caller", ...more];
	return {
		pi,
		agy,
		tmp,
		args,
		runs: () => agy.invocations().filter(({ prompt }) => prompt !== null),
		staged: () =>
			readdirSync(tmp, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile() && entry.parentPath.includes("pi-antigravity-"))
				.map((entry) => join(entry.parentPath, entry.name))
				.map((path) => ({ path, text: readFileSync(path, "utf8") })),
		async play(...batches) {
			const { stdout } = await runPi(pi, args("--mode", "json", script(...batches)));
			const events = parseEvents(stdout);
			return { events, results: resultsIn(events) };
		},
	};
}

/** Lets pi find in `tmp` what it and Node have compiled before: it would take seconds to start without. */
function shareCompiled(tmp: string): void {
	for (const cache of ["jiti", "node-compile-cache"]) {
		const shared = join(tmpdir(), cache);
		mkdirSync(shared, { recursive: true });
		symlinkSync(shared, join(tmp, cache));
	}
}

/** The prompt that makes the scripted model do this. */
export function script(...batches: ScriptedCall[][]): string {
	return JSON.stringify(batches);
}

export function ask(prompt: string, more: object = {}): ScriptedCall {
	return { args: { prompt, ...more } };
}

/** The tool results among pi's events, in the transcript's order. */
export function resultsIn(events: readonly PiEvent[]): KeptResult[] {
	return events.flatMap((event) => {
		const message = event.message as
			| (Omit<KeptResult, "text"> & { role: string; content: { text?: string }[] })
			| undefined;
		if (event.type !== "message_end" || message?.role !== "toolResult") return [];
		const { toolName, isError, details, usage, content } = message;
		return [{ toolName, isError, details, usage, text: content.map((part) => part.text ?? "").join("") }];
	});
}
