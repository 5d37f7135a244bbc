import { tmpdir } from "node:os";
import type { TestContext } from "node:test";
import { systemClock } from "../../../src/engine/clock.ts";
import type { AgyProcess, ProcessOptions } from "../../../src/run/process/process.ts";
import { startProcess } from "../../../src/run/process/process.ts";
import { isAlive, type ProcessIdentity, systemProcesses } from "../../../src/run/process/process-table.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

export const table = systemProcesses();

export interface Started {
	readonly process: AgyProcess;
	/** Everything stdout has said so far. */
	stdout(): string;
	/** Resolves as soon as stdout holds `text`. */
	said(text: string): Promise<void>;
	readonly stderr: string[];
}

/** Starts `sh -c script` the way agy is started. Whatever is left of it is killed after the test. */
export async function startShell(t: TestContext, script: string, more: Partial<ProcessOptions> = {}): Promise<Started> {
	return start(t, { executable: "/bin/sh", argv: ["-c", script], ...more });
}

export async function start(
	t: TestContext,
	options: Partial<ProcessOptions> & Pick<ProcessOptions, "executable" | "argv">,
): Promise<Started> {
	let stdout = "";
	const stderr: string[] = [];
	const listeners = new Set<() => void>();
	const result = await startProcess({
		cwd: tmpdir(),
		env: { PATH: process.env.PATH ?? "" },
		onStdout(chunk) {
			stdout += Buffer.from(chunk).toString("latin1");
			for (const listener of listeners) listener();
		},
		onStderrLine: (line) => stderr.push(line),
		table,
		clock: systemClock,
		...options,
	});
	if (result.kind !== "started") throw new Error(`not started: ${JSON.stringify(result.failure)}`);
	t.after(() => result.process.end([{ signal: "SIGKILL", waitMs: PATIENCE_MS }]));
	return {
		process: result.process,
		stderr,
		stdout: () => stdout,
		said: (text) =>
			new Promise((resolve) => {
				const check = () => {
					if (!stdout.includes(text)) return;
					listeners.delete(check);
					resolve();
				};
				listeners.add(check);
				check();
			}),
	};
}

/** The process with this number, as it is now. */
export async function identify(pid: number): Promise<ProcessIdentity> {
	const startTime = await table.startTime(pid);
	if (startTime === undefined) throw new Error(`no process ${pid}`);
	return { pid, startTime };
}

/** Resolves when none of these lives any more. */
export async function allGone(...identities: ProcessIdentity[]): Promise<void> {
	for (const identity of identities) {
		while (await isAlive(table, identity)) await new Promise((resolve) => setTimeout(resolve, 5));
	}
}
