import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export type WriterScript = {
	readonly directory: string;
	readonly synchronous: "FULL" | "NORMAL";
	readonly minGapMs: number;
	readonly maxGapMs: number;
} & (
	| { readonly kind: "versions"; readonly commits: number }
	| { readonly kind: "long-answer"; readonly bytes: number; readonly commits: number }
	| { readonly kind: "many-steps"; readonly steps: number }
);

/** A writer at work. */
export interface WriterRun {
	/** When each commit returned, in milliseconds of the monotonic clock; comes when all are made. */
	readonly commits: Promise<readonly number[]>;
	/** Lets the writer go. */
	end(): void;
}

export function startWriter(script: WriterScript): WriterRun {
	const entry = fileURLToPath(new URL("writer.ts", import.meta.url));
	const child = spawn(process.execPath, [entry, JSON.stringify(script)], { stdio: ["pipe", "pipe", "inherit"] });
	const lines = createInterface({ input: child.stdout });
	const commits = new Promise<readonly number[]>((resolve, reject) => {
		lines.once("line", (line) => resolve((JSON.parse(line) as string[]).map((at) => Number(BigInt(at)) / 1e6)));
		child.once("exit", (code) => reject(new Error(`the writer ended with ${code}`)));
	});
	return { commits, end: () => child.stdin.end("end\n") };
}

/** Now, on the clock of `WriterRun.commits`. */
export function monotonicMs(): number {
	return Number(process.hrtime.bigint()) / 1e6;
}
