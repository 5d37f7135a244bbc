import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { friendly } from "./friendly.ts";

/** Steps that move no row: gates for tests, raw output, and ways to go wrong. */
export interface ControlSteps {
	/** Waits this many milliseconds. */
	pause: number;
	/** Goes on when the file exists; makes `<file>.waiting` first, so that a test knows the stand-in is there. */
	waitFor: string;
	/** Makes the file. */
	touch: string;
	/** Printed as it is, with no newline added. */
	stdout: string;
	stderr: string | { megabytes: number };
	exit: number;
	/** Kills this process. */
	kill: "SIGKILL" | "SIGTERM" | "SIGINT";
	/** Never goes on. */
	hang: true;
	/** Leaves a process that outlives this one; its pid goes into `pidFile`. */
	grandchild: { seconds: number; holdStdout?: boolean; ownGroup?: boolean; pidFile?: string };
	/** Creates the database that `database.kind: "late"` held back. */
	createDatabase: true;
	deleteDatabase: true;
	/** Puts a copy in its place by rename and goes on in the copy. */
	replaceDatabase: true;
	/** Ends by SIGKILL with a transaction open. */
	dieMidTransaction: true;
	/** Prints a quota error and tries again, for ever. */
	retryForever: { message: string; everyMs?: number };
}

/** Any tool of agy's takes these. */
export interface ToolOptions {
	summary?: string;
	action?: string;
	/** Asks for permission on the way (status 9), whatever the flags say. */
	permission?: boolean;
	/** Fails as the tool framework does, with this text. */
	error?: string;
	canceled?: boolean;
	/** A PreToolUse hook of somebody else refuses, with no reason given. */
	hookDenied?: boolean;
	/** Played while the tool runs. */
	during?: ScenarioStep[];
	/** Played instead of the rest of the turn when the tool is denied. */
	onDenied?: ScenarioStep[];
	/** Lets the turn go on while the tool runs; `finish` ends it. */
	background?: string;
}

export interface RunSpec extends ToolOptions {
	command: string;
	cwd?: string;
	/** Chunks; each but the last is committed as a snapshot while the command runs. Gates may stand between them. */
	output?: (string | ControlStep)[];
	/** Repeats the output up to this many bytes, for floods. */
	outputBytes?: number;
	exitCode?: number;
	truncated?: string;
	linesAbove?: number;
}

/** Tools; each becomes a row of its own, called by the planner row before it. */
export interface ToolSteps {
	run: RunSpec;
	edit: ToolOptions & { file: string; before: string; after: string; description?: string };
	newFile: ToolOptions & { file: string; content: string; description?: string };
	delete: ToolOptions & { file: string; content?: string; directory?: boolean };
	view: ToolOptions & { file: string; content?: string; startLine?: number; endLine?: number; lines?: number };
	list: ToolOptions & { directory: string; entries: { name: string; size?: number; directory?: boolean }[] };
	grep: ToolOptions & { query: string; path: string; hits?: { file: string; line: number; text: string }[] };
	find: ToolOptions & { pattern: string; directory: string; found?: string[] };
	mcp: ToolOptions & {
		server: string;
		tool: string;
		args?: Record<string, unknown>;
		progress?: { message: string; done: number; total: number }[];
		result?: string;
	};
	/** Really calls a tool of a server that is connected, `patiently` until it no longer says that it is still running. */
	callMcp: ToolOptions & { tool: string; args?: Record<string, unknown>; server?: string; patiently?: boolean };
	web: ToolOptions & { query: string; summary?: string; hits?: { title: string; url: string }[] };
	url: ToolOptions & { url: string; title?: string; text?: string };
	subagent: ToolOptions & { type?: string; role: string; prompt: string; steps: ScenarioStep[]; report?: string };
	generic: ToolOptions & {
		name: string;
		args?: Record<string, string>;
		result?: string;
		title?: string;
		markdown?: string;
	};
	question: ToolOptions & { question: string; options: string[]; answer?: string; written?: string };
	image: ToolOptions & { prompt: string; name?: string };
	unknown: ToolOptions & { type: number };
}

/** Steps that write or change rows other than tools. */
export interface RowSteps {
	/** Grows the thinking of the open planner row, chunk by chunk. */
	think: string | string[];
	/** Grows its text; `times` says the same chunk again and again, with {{n}} for the number. */
	say: string | string[] | { chunk: string; times: number };
	/** Puts this text in the place of what was said, in the row that is still open. Stdout is told nothing. */
	rewriteText: string;
	/** Numbers for the model call that is open or comes next. */
	usage: { input?: number; cacheRead?: number; output?: number; thinking?: number };
	/** Plays steps again and again, with {{n}} for the number of the round. */
	repeat: { times: number; steps: ScenarioStep[] };
	/** Several tools called by one planner row, running side by side. */
	parallel: ToolStep[];
	/** Ends a tool that was left in the background. */
	finish: string | { task: string; output?: string[]; exitCode?: number; canceled?: boolean };
	checkpoint: string;
	compaction: { summary: string; title?: string };
	systemMessage: string | { text: string; event?: string; sender?: string };
	/** A generation that failed and is tried again: an empty planner row, an error row. */
	retry: { message: string; code?: number; stopReason?: number };
	/** Ends the turn with a model failure. */
	error: { message: string; status?: string; code?: number; retryable?: boolean };
	/** Forgets the rows from this index on; later rows take their places under another trajectory id. */
	rewind: number;
	/** Ends agy's own turn; what follows in here happens before `result` is printed. */
	idle: ScenarioStep[];
	/** Ends the turn with this status and exit code 0. */
	end: { status: "SUCCESS" | "CANCELED" | "ERROR" | "WAITING"; error?: string };
	/** Ends the turn as if `--print-timeout` had passed. */
	printTimeout: true;
}

type OneOf<Verbs> = { [Verb in keyof Verbs]: { [Key in Verb]: Verbs[Verb] } }[keyof Verbs];
export type ControlStep = OneOf<ControlSteps>;
export type ToolStep = OneOf<ToolSteps>;
export type RowStep = OneOf<RowSteps>;
export type ScenarioStep = ControlStep | ToolStep | RowStep;

export interface Scenario {
	/** For the reader. */
	about?: string;
	/** The agy version that is played, unless FAKE_AGY_VERSION says otherwise. */
	version?: string;
	/** What happens in a turn; `turns` has one list per turn of the conversation, the last one is repeated. */
	steps?: ScenarioStep[];
	turns?: ScenarioStep[][];
	/** The first whose pattern is found in the prompt comes before `steps` and `turns`. */
	match?: { prompt: string; steps: ScenarioStep[] }[];
	/** What `agy models` lists, instead of the catalogue of agy 1.3.3. */
	models?: { slug: string; label: string }[];
	/** Played at the very start, before anything is printed or created; by subcommands, too. */
	before?: ControlStep[];
	/** Played after `result`, before the process ends. */
	after?: ControlStep[];
	/** A real database whose turns are played again, commit by commit. */
	replay?: string;
	stdout?: {
		init?: boolean;
		result?: boolean;
		text?: boolean;
		splitUtf8?: boolean;
		/** The line goes out before the commit instead of after it. */
		ahead?: boolean;
	};
	database?: {
		kind?: "normal" | "never" | "late" | "no-steps" | "empty" | "corrupt";
		/** False: the answer is only on stdout. */
		text?: boolean;
		synchronous?: "FULL" | "NORMAL";
		busyTimeout?: number;
		/** What a row holds in its first phase; the default follows the version. */
		placeholder?: "none" | "null" | "empty" | "envelope";
		/** How built-in tools are stored; the default follows the version. */
		tools?: "plain" | "generic";
		/** Size of the prompt that the newest gen_metadata row carries. */
		promptBytes?: number;
		/** Other databases that this process creates and keeps open. */
		alsoOpen?: number;
	};
	/** Answers in another conversation than the one that was asked for, without a word. */
	ignoreConversation?: boolean;
	/** Prompts of this many bytes or more are dropped without a word; 0 for never. */
	promptLimit?: number;
	ignoreSignals?: ("SIGINT" | "SIGTERM")[];
	signedOut?: "error" | "prompt" | "expired";
	/** An administrator's policy: `--dangerously-skip-permissions` counts for nothing. */
	policy?: boolean;
	/** Milliseconds between two commits. */
	pace?: number;
}

const CONTROL = new Set(
	"pause waitFor touch stdout stderr exit kill hang grandchild createDatabase deleteDatabase replaceDatabase dieMidTransaction retryForever".split(
		" ",
	),
);
const TOOLS = new Set(
	"run edit newFile delete view list grep find mcp callMcp web url subagent generic question image unknown".split(" "),
);
const ROWS = new Set(
	"think say rewriteText usage repeat parallel finish checkpoint compaction systemMessage retry error rewind idle end printTimeout".split(
		" ",
	),
);

export function isControl(step: ScenarioStep): step is ControlStep {
	return CONTROL.has(verbOf(step));
}

export function isTool(step: ScenarioStep): step is ToolStep {
	return TOOLS.has(verbOf(step));
}

/** The scenario that FAKE_AGY_SCENARIO names (a path, or a file of `scenarios/`), else the friendly one. */
export function loadScenario(name: string | undefined): Scenario {
	if (name === undefined || name === "") return friendly;
	const beside = join(dirname(fileURLToPath(import.meta.url)), "scenarios", `${name}.json`);
	const file = existsSync(beside) ? beside : name;
	const scenario: Scenario = JSON.parse(readFileSync(file, "utf8"));
	const lists = [scenario.steps, scenario.before, scenario.after, ...(scenario.turns ?? [])];
	for (const list of [...lists, ...(scenario.match ?? []).map((rule) => rule.steps)]) checkSteps(file, list ?? []);
	return scenario;
}

/** What a turn plays: by the first rule that matches the prompt, else by the turn's number in its conversation. */
export function stepsFor(scenario: Scenario, prompt: string, turn: number): ScenarioStep[] {
	const rule = scenario.match?.find((candidate) => new RegExp(candidate.prompt, "u").test(prompt));
	const turns = scenario.turns ?? [scenario.steps ?? []];
	const steps = rule?.steps ?? turns[Math.min(turn, turns.length - 1)] ?? [];
	return fillIn(steps, "{{prompt}}", prompt);
}

/** The steps with a placeholder replaced wherever it stands in a string. */
export function fillIn<Steps>(steps: Steps, placeholder: string, text: string): Steps {
	return JSON.parse(JSON.stringify(steps).replaceAll(placeholder, JSON.stringify(text).slice(1, -1)));
}

function checkSteps(file: string, steps: ScenarioStep[]): void {
	for (const [index, step] of steps.entries()) {
		const verb = verbOf(step);
		if (!CONTROL.has(verb) && !TOOLS.has(verb) && !ROWS.has(verb)) {
			throw new Error(`${file}: step ${index + 1} is not one the stand-in knows: ${JSON.stringify(step).slice(0, 80)}`);
		}
	}
}

function verbOf(step: ScenarioStep): string {
	return Object.keys(step)[0] ?? "";
}
