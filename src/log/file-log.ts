import { appendFile, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../engine/clock.ts";
import type { JsonValue } from "../engine/events.ts";
import type { Log } from "../engine/log.ts";
import { redactFacts } from "./redact.ts";

export interface FileLogOptions {
	readonly directory: string;
	/** Asked for every line, so that a change counts at once. */
	readonly level: () => "off" | "info" | "debug";
	readonly clock: Clock;
	readonly home?: string;
	/** A file that grew beyond this is put aside as `….1.log`, over an older one. */
	readonly maxFileBytes?: number;
}

export interface FileLog extends Log {
	/** Where a line written now would go. */
	path(): string;
	/** Resolves when all lines so far are on disk, or could not be. Never rejects. */
	flush(): Promise<void>;
}

const KEPT_DAYS = 7;
const MAX_FILE_BYTES = 5 * 1024 * 1024;
/** Lines that wait for the disk; what comes beyond is dropped and counted. */
const MAX_WAITING = 2_000;
const MAX_TEXT = { info: 2_000, debug: 64_000 };
const FILE_NAME = /^agy-(\d{4}-\d{2}-\d{2})(?:\.1)?\.log$/;

/** One JSON object a line, one file a day (UTC), readable by the user alone. Processes share the file. */
export function createFileLog(options: FileLogOptions): FileLog {
	const { directory, level, clock, home = homedir(), maxFileBytes = MAX_FILE_BYTES } = options;
	let waiting: string[] = [];
	let dropped = 0;
	let writing: Promise<void> = Promise.resolve();
	let cleanedFor: string | undefined;

	const today = () => new Date(clock.now()).toISOString().slice(0, 10);
	const path = () => join(directory, `agy-${today()}.log`);

	function write(kind: "info" | "debug", event: string, facts: Readonly<Record<string, JsonValue | undefined>>): void {
		try {
			const wanted = level();
			if (wanted === "off" || (kind === "debug" && wanted !== "debug")) return;
			if (waiting.length >= MAX_WAITING) {
				dropped++;
				return;
			}
			const head = { at: new Date(clock.now()).toISOString(), pid: process.pid, event };
			waiting.push(`${JSON.stringify({ ...head, ...redactFacts(facts, home, MAX_TEXT[kind]) })}\n`);
			if (waiting.length === 1) writing = writing.then(writeOut);
		} catch {
			// A log never gets in the way of what it tells about.
		}
	}

	async function writeOut(): Promise<void> {
		const lines = waiting;
		waiting = [];
		if (dropped > 0) lines.push(`${JSON.stringify({ at: new Date(clock.now()).toISOString(), dropped })}\n`);
		dropped = 0;
		try {
			const file = path();
			await mkdir(directory, { recursive: true, mode: 0o700 });
			await rotate(file);
			await appendFile(file, lines.join(""), { mode: 0o600 });
			await cleanUp();
		} catch {
			// A full disk or a folder without leave to write: the lines are lost, the turn is not.
		}
	}

	async function rotate(file: string): Promise<void> {
		const size = await stat(file).then(
			(found) => found.size,
			() => 0,
		);
		if (size >= maxFileBytes) await rename(file, file.replace(/\.log$/, ".1.log"));
	}

	async function cleanUp(): Promise<void> {
		const day = today();
		if (cleanedFor === day) return;
		cleanedFor = day;
		const oldest = new Date(clock.now() - KEPT_DAYS * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
		for (const name of await readdir(directory)) {
			const date = FILE_NAME.exec(name)?.[1];
			if (date !== undefined && date < oldest) await rm(join(directory, name), { force: true });
		}
	}

	return {
		path,
		info: (event, facts = {}) => write("info", event, facts),
		debug: (event, facts = {}) => write("debug", event, facts),
		flush: () => writing,
	};
}
