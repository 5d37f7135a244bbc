import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { MARKER } from "../../src/run/process/environment.ts";
import { type ProcessIdentity, systemProcesses } from "../../src/run/process/process-table.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import type { FakeHome } from "../support/scenario.ts";

/** What lives of all runs in this home: agy, and everything it has started. Linux only. */
export async function agyProcesses(home: FakeHome): Promise<ProcessIdentity[]> {
	const found = await systemProcesses().withEnvironment(`HOME=${home.dir}\0`);
	return found
		.filter(({ environment }) => environment.includes(`${MARKER}=`))
		.map(({ pid, startTime }) => ({ pid, startTime }));
}

/** Resolves when nothing of any run lives any more; fails when that takes longer than `limitMs`. */
export async function nothingLeft(home: FakeHome, limitMs = PATIENCE_MS): Promise<void> {
	const deadline = Date.now() + limitMs;
	for (;;) {
		const left = await agyProcesses(home);
		if (left.length === 0) return;
		if (Date.now() > deadline) throw new Error(`still alive: ${left.map(({ pid }) => pid).join(", ")}`);
		await sleep(20);
	}
}

/** Ends agy as somebody else would: by its number. */
export async function killAgy(home: FakeHome, signal: NodeJS.Signals): Promise<void> {
	const [agy] = await agyProcesses(home);
	try {
		if (agy !== undefined) process.kill(agy.pid, signal);
	} catch {
		// It was quicker.
	}
}

/** The guardians of a pi process, by the marker they were given. Linux only. */
export function guardians(pi: number): number[] {
	return readdirSync("/proc").flatMap((name) => {
		if (!/^\d+$/.test(name)) return [];
		const command = commandOf(name);
		return command.includes("guardian.sh") && command.includes(`${MARKER}=${pi}:`) ? [Number(name)] : [];
	});
}

function commandOf(pid: string): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8");
	} catch {
		return "";
	}
}
