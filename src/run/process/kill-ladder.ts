import { execFile } from "node:child_process";
import type { Clock } from "../../engine/clock.ts";
import { keepNodeAlive } from "./keep-alive.ts";
import type { ProcessInfo } from "./process-table.ts";

export interface Rung {
	readonly signal: NodeJS.Signals;
	/** How long what was asked to go may take before the next rung. */
	readonly waitMs: number;
}

/** SIGINT lets agy write its last row and record its commands as cancelled; SIGKILL is for an agy that spins. */
export const defaultRungs: readonly Rung[] = [
	{ signal: "SIGINT", waitMs: 2_000 },
	{ signal: "SIGTERM", waitMs: 1_000 },
	{ signal: "SIGKILL", waitMs: 2_000 },
];

export interface KillLadderOptions {
	/** Looks which of the tree live now; asked before every signal, so that a reused number is never hit. */
	readonly living: () => Promise<readonly ProcessInfo[]>;
	readonly clock: Clock;
	readonly rungs?: readonly Rung[];
	/** Sends a signal; a negative number means a group. Failures (already gone) are ignored by the ladder. */
	readonly send?: (pid: number, signal: NodeJS.Signals) => void;
}

/** How soon a rung looks again whether all are gone, in milliseconds; each look reads the whole process table. */
const LOOK_AFTER_MS = [10, 25, 50, 100, 200] as const;

/**
 * Ends a whole process tree. Resolves when nothing of it lives, or, after the last rung's wait, with what could not be
 * ended (a process in an uninterruptible system call). Never rejects.
 */
export async function endTree(options: KillLadderOptions): Promise<readonly ProcessInfo[]> {
	const letGo = keepNodeAlive();
	try {
		return await climb(options);
	} finally {
		letGo();
	}
}

async function climb(options: KillLadderOptions): Promise<readonly ProcessInfo[]> {
	const { living, clock, rungs = defaultRungs, send = sendSignal } = options;
	let left = await living();
	for (const rung of rungs) {
		const rungEnds = clock.now() + rung.waitMs;
		const asked = new Set<string>();
		for (let look = 0; ; look++) {
			const fresh = left.filter((info) => !asked.has(`${info.pid} ${info.startTime}`));
			for (const target of signalTargets(fresh)) trySend(send, target, rung.signal);
			for (const info of fresh) asked.add(`${info.pid} ${info.startTime}`);
			if (left.length === 0) return left;
			if (clock.now() >= rungEnds) break;
			await new Promise<void>((resolve) => clock.after(LOOK_AFTER_MS[look] ?? 200, resolve));
			left = await living();
		}
	}
	return left;
}

/**
 * Pure: the fewest targets that reach all of `processes`: the group (as a negative number) where its leader is one of
 * them, since a group cannot fork its way out between two signals; the process itself otherwise.
 */
export function signalTargets(processes: readonly ProcessInfo[]): number[] {
	const leaders = new Set(processes.filter((info) => info.pid === info.group && info.pid > 1).map((info) => info.pid));
	const loners = processes.filter((info) => !leaders.has(info.group) && info.pid > 1);
	return [...[...leaders].map((pid) => -pid), ...loners.map((info) => info.pid)];
}

/** Windows has no gentle way: the whole tree below `pid` is ended at once. Never rejects. */
export function endWindowsTree(pid: number): Promise<void> {
	return new Promise((resolve) => {
		execFile("taskkill", ["/PID", String(pid), "/T", "/F"], { windowsHide: true }, () => resolve());
	});
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
	process.kill(pid, signal);
}

function trySend(send: (pid: number, signal: NodeJS.Signals) => void, pid: number, signal: NodeJS.Signals): void {
	try {
		send(pid, signal);
	} catch {
		// It went away by itself between the look and the signal.
	}
}
