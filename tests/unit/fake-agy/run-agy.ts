import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { FakeHome } from "../../support/scenario.ts";
import { FAKE_AGY } from "../../support/scenario.ts";

/** What one invocation of the stand-in printed and how it ended. */
export interface Run {
	code: number | null;
	signal: NodeJS.Signals | null;
	stdout: string;
	stderr: string;
	/** The lines of stdout that are JSON. */
	events: StreamEvent[];
	result: Record<string, unknown> | undefined;
}

export interface StreamEvent {
	event: string;
	conversation_id?: string;
	init?: Record<string, unknown>;
	step_update?: {
		step_index: number;
		step_type: string;
		state: string;
		text_delta?: string;
		[detail: string]: unknown;
	};
	result?: Record<string, unknown>;
}

export interface Commit {
	n: number;
	table: string;
	idx?: number;
	type?: number;
	status?: number;
	bytes?: number;
	deleted?: true;
}

/** Runs the stand-in to its end, with stdin closed unless there is something to say. */
export function runAgy(home: FakeHome, args: string[], env: Record<string, string> = {}, stdin?: string): Promise<Run> {
	return startAgy(home, args, env, stdin).done;
}

/** Starts the stand-in; `exited` resolves when it has ended, `done` when its pipes are closed as well. */
export function startAgy(home: FakeHome, args: string[], env: Record<string, string> = {}, stdin?: string) {
	const child = spawn(FAKE_AGY, args, {
		cwd: home.cwd,
		env: { ...home.env, ...env },
		stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
	});
	const stdout: Buffer[] = [];
	const stderr: Buffer[] = [];
	child.stdout?.on("data", (chunk) => stdout.push(chunk));
	child.stderr?.on("data", (chunk) => stderr.push(chunk));
	// It may be gone before it took everything.
	child.stdin?.on("error", () => {});
	child.stdin?.end(stdin);
	const exited = once(child, "exit");
	const done = once(child, "close").then(([code, signal]): Run => {
		const text = Buffer.concat(stdout).toString("utf8");
		const events = text.split("\n").flatMap(parseEvent);
		const result = events.find((event) => event.event === "result")?.result;
		return { code, signal, stdout: text, stderr: Buffer.concat(stderr).toString("utf8"), events, result };
	});
	return { child, exited, done };
}

/** The commits that an invocation made with FAKE_AGY_COMMIT_LOG set to `file`. */
export function commitLog(file: string): Commit[] {
	const lines = readFileSync(file, "utf8").split("\n");
	return lines.filter((line) => line !== "").map((line): Commit => JSON.parse(line));
}

function parseEvent(line: string): StreamEvent[] {
	try {
		const event: StreamEvent | null = JSON.parse(line);
		return typeof event?.event === "string" ? [event] : [];
	} catch {
		return [];
	}
}
