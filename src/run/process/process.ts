import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "../../engine/clock.ts";
import type { Failure } from "../../engine/failure.ts";
import { codeOf } from "../../engine/thrown.ts";
import { endTree, endWindowsTree, type Rung } from "./kill-ladder.ts";
import { LineTail } from "./output-lines.ts";
import type { ProcessIdentity, ProcessInfo, ProcessTable } from "./process-table.ts";
import { ProcessTree } from "./process-tree.ts";
import { shimCommand } from "./windows-shim.ts";

export interface ProcessOptions {
	/** Absolute path of the agy binary. */
	readonly executable: string;
	readonly argv: readonly string[];
	readonly cwd: string;
	/** The whole environment of the child. */
	readonly env: Readonly<Record<string, string>>;
	/** What is written to agy's stdin before it is closed. Absent: stdin is closed from the start. */
	readonly stdin?: string;
	/** Called with each piece of stdout, as it comes. */
	readonly onStdout: (chunk: Uint8Array) => void;
	/** Called with each line of stderr; very long lines are cut. */
	readonly onStderrLine: (line: string) => void;
	readonly table: ProcessTable;
	/** `NAME=value` of this run's own variable in `env`, by which its processes are recognised. */
	readonly marker?: string;
	readonly clock: Clock;
	readonly platform?: NodeJS.Platform;
}

/** How a process ended. Exactly one of the two is set. */
export interface ProcessExit {
	readonly code: number | undefined;
	readonly signal: NodeJS.Signals | undefined;
}

/** One agy process and what it started. */
export interface AgyProcess {
	/** The process itself; on POSIX also the leader of its own group. */
	readonly identity: ProcessIdentity;
	/**
	 * Resolves when the process is gone and what it had written was read, as far as it can be read at once. Processes that
	 * inherited its pipes do not delay it. Never rejects.
	 */
	readonly exited: Promise<ProcessExit>;
	/** All that descends from it and lives. Called now and then while agy runs, it also finds those that detach later. */
	living(): Promise<readonly ProcessInfo[]>;
	/**
	 * Ends the whole tree, gently first. Also right after the process itself is gone: it ends what was left behind.
	 * Repeated calls share one ladder. Resolves with what could not be ended; if that is nothing, the pipes are closed too.
	 * Never rejects.
	 */
	end(rungs?: readonly Rung[]): Promise<readonly ProcessInfo[]>;
	/** The last of stderr, for the log only. */
	stderrTail(): string;
}

export type StartResult =
	| { readonly kind: "started"; readonly process: AgyProcess }
	| { readonly kind: "failed"; readonly failure: Failure };

/** After the exit, the pipes are read until nothing has come for this long, in milliseconds. */
const DRAIN_QUIET_MS = 30;
/** The longest that this reading may take, in milliseconds. */
const DRAIN_LIMIT_MS = 1_000;
/**
 * How long the exit is waited for when no process of the tree can be seen any more, in milliseconds. It mostly comes at once; but
 * where the system hides processes from us, agy may live on unseen.
 */
const LAST_WAIT_MS = 2 * DRAIN_LIMIT_MS;

/** Starts agy in a process group of its own. Never rejects; what keeps it from starting is the result. */
export async function startProcess(options: ProcessOptions): Promise<StartResult> {
	const platform = options.platform ?? process.platform;
	let child: ChildProcess;
	try {
		child = spawnChild(options, platform);
		await new Promise<void>((resolve, reject) => {
			child.once("spawn", resolve);
			child.once("error", reject);
		});
	} catch (error) {
		return { kind: "failed", failure: spawnFailure(options, error) };
	}
	const pid = child.pid ?? 0;
	const output = readOutput(child, options);
	const exited = waitForExit(child, options.clock, output);
	writeStdin(child, options.stdin);
	// A child that is already dead has no start time any more; its tree is then found by the marker alone.
	const startTime = (await options.table.startTime(pid)) ?? "gone";
	const identity = { pid, startTime };
	const tree = new ProcessTree(options.table, identity, options.marker);
	let ending: Promise<readonly ProcessInfo[]> | undefined;
	return {
		kind: "started",
		process: {
			identity,
			exited,
			living: () => tree.refresh(),
			stderrTail: () => output.stderr.tail,
			end(rungs) {
				ending ??= (platform === "win32" ? endOnWindows(child) : endTree(ladder(tree, options.clock, rungs))).then(
					async (left) => {
						if (left.length === 0) await within(LAST_WAIT_MS, exited, options.clock);
						return left;
					},
				);
				return ending;
			},
		},
	};
}

function within(ms: number, promise: Promise<unknown>, clock: Clock): Promise<void> {
	return new Promise((resolve) => {
		const cancel = clock.after(ms, resolve);
		void promise.then(() => {
			cancel();
			resolve();
		});
	});
}

function ladder(tree: ProcessTree, clock: Clock, rungs: readonly Rung[] | undefined) {
	return { living: () => tree.refresh(), clock, ...(rungs === undefined ? {} : { rungs }) };
}

async function endOnWindows(child: ChildProcess): Promise<readonly ProcessInfo[]> {
	if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await endWindowsTree(child.pid);
	return [];
}

function spawnChild(options: ProcessOptions, platform: NodeJS.Platform): ChildProcess {
	const spawnOptions: SpawnOptions = {
		cwd: options.cwd,
		env: options.env,
		stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
		detached: platform !== "win32",
		windowsHide: true,
	};
	const shim = platform === "win32" ? shimCommand(options.executable, options.argv, options.env) : undefined;
	if (shim === undefined) return spawn(options.executable, [...options.argv], spawnOptions);
	return spawn(shim.file, [...shim.args], { ...spawnOptions, windowsVerbatimArguments: true });
}

function writeStdin(child: ChildProcess, text: string | undefined): void {
	if (text === undefined || child.stdin === null) return;
	// agy may end, or stop reading, before it took everything; its exit tells why.
	child.stdin.on("error", () => {});
	child.stdin.end(text);
}

interface Output {
	readonly stderr: LineTail;
	readonly streams: readonly Readable[];
	/** Set by whoever wants to know when bytes arrive. */
	onBytes: () => void;
}

function readOutput(child: ChildProcess, options: ProcessOptions): Output {
	const stderr = new LineTail(options.onStderrLine);
	const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
	const output: Output = { stderr, streams, onBytes() {} };
	child.stdout?.on("data", (chunk: Uint8Array) => {
		output.onBytes();
		options.onStdout(chunk);
	});
	child.stderr?.on("data", (chunk: Uint8Array) => {
		output.onBytes();
		stderr.push(chunk);
	});
	for (const stream of streams) stream.on("error", () => {});
	return output;
}

function waitForExit(child: ChildProcess, clock: Clock, output: Output): Promise<ProcessExit> {
	return new Promise((resolve) => {
		child.once("exit", async (code, signal) => {
			await drain(output, clock);
			// Others may hold the far ends of the pipes open for ever; ours are closed here.
			for (const stream of output.streams) stream.destroy();
			child.stdin?.destroy();
			output.stderr.end();
			resolve({ code: code ?? undefined, signal: signal ?? undefined });
		});
	});
}

/** Until all pipes ended, or were silent for a moment, or the limit. */
function drain(output: Output, clock: Clock): Promise<void> {
	return new Promise((resolve) => {
		let cancelQuiet = () => {};
		let bytes = 0;
		const cancelLimit = clock.after(DRAIN_LIMIT_MS, finish);
		function finish(): void {
			cancelQuiet();
			cancelLimit();
			output.onBytes = () => {};
			resolve();
		}
		function restart(): void {
			cancelQuiet();
			cancelQuiet = clock.after(DRAIN_QUIET_MS, () => afterOneRead(finishIfSilent));
			const bytesBefore = bytes;
			function finishIfSilent(): void {
				if (bytes === bytesBefore) finish();
			}
		}
		function finishIfEnded(): void {
			if (output.streams.every((stream) => stream.readableEnded || stream.destroyed)) finish();
		}
		output.onBytes = () => {
			bytes++;
			restart();
		};
		for (const stream of output.streams) stream.once("close", finishIfEnded);
		restart();
		finishIfEnded();
	});
}

/** A timer may be late because this process was busy, and what the pipes hold not yet read: one turn of the loop reads it. */
function afterOneRead(fn: () => void): void {
	setImmediate(() => setImmediate(fn));
}

function spawnFailure(options: ProcessOptions, error: unknown): Failure {
	const code = codeOf(error);
	const path = options.executable;
	switch (code) {
		case "ENOENT":
			// Node says the same for a missing working directory; that was checked before the request came here.
			return { kind: "not-installed", searched: [path] };
		case "E2BIG":
		case "ENAMETOOLONG":
			return {
				kind: "bad-request",
				problem: "The prompt is longer than this system allows in a command line.",
				remedy: "Set promptVia to stdin, or send less text.",
			};
		case "EACCES":
		case "EPERM":
			return { kind: "cannot-start", path, cause: "it is not allowed to be executed" };
		case "ENOEXEC":
		case "EBADARCH":
		case "UNKNOWN":
			return { kind: "cannot-start", path, cause: "it is not a program for this machine" };
		default:
			return {
				kind: "cannot-start",
				path,
				cause: code === undefined ? "the system refused" : `the system refused (${code})`,
			};
	}
}
