import { appendFileSync, fstatSync } from "node:fs";
import { isatty } from "node:tty";

/** One line of the file that FAKE_AGY_RECORD names: what reached this invocation. */
export interface InvocationRecord {
	argv: string[];
	pid: number;
	parentPid: number;
	cwd: string;
	version: string;
	/** What the prompt was when it arrived, by which way; null when there was none. */
	prompt: string | null;
	promptVia: "flag" | "stdin" | "stream-json" | null;
	/** The conversation that answers; null when the invocation never got that far. */
	conversation: string | null;
	resumed: boolean;
	stdin: "null" | "pipe" | "file" | "tty" | "closed";
	/** All variables that could steer agy or leak into it. */
	env: Record<string, string>;
	/** The names of all others. */
	otherEnv: string[];
}

/** Collects the record and writes it once, at the latest moment before it would be lost. */
export class Recorder {
	readonly #record: InvocationRecord;
	#written = 0;

	constructor(argv: string[], version: string) {
		const names = Object.keys(process.env).sort();
		const steers = (name: string) => /^(AGY|GEMINI|ANTIGRAVITY|PI|FAKE_AGY|GOOGLE|SSH)(_|$)|^HOME$|^PATH$/.test(name);
		this.#record = {
			argv,
			pid: process.pid,
			parentPid: process.ppid,
			cwd: process.cwd(),
			version,
			prompt: null,
			promptVia: null,
			conversation: null,
			resumed: false,
			stdin: stdinKind(),
			env: Object.fromEntries(names.filter(steers).map((name) => [name, process.env[name] ?? ""])),
			otherEnv: names.filter((name) => !steers(name)),
		};
	}

	set(part: Partial<InvocationRecord>): void {
		Object.assign(this.#record, part);
	}

	/** The next prompt of the same process gets a line of its own. */
	next(part: Partial<InvocationRecord>): void {
		this.#written = 0;
		this.set(part);
	}

	/** Writes the line, unless it was written already. */
	write(): void {
		if (this.#written++ > 0) return;
		const file = process.env.FAKE_AGY_RECORD;
		if (file) appendFileSync(file, `${JSON.stringify(this.#record)}\n`);
	}
}

function stdinKind(): InvocationRecord["stdin"] {
	try {
		const stat = fstatSync(0);
		if (isatty(0)) return "tty";
		if (stat.isCharacterDevice()) return "null";
		return stat.isFile() ? "file" : "pipe";
	} catch {
		return "closed";
	}
}
