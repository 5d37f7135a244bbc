import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { InvocationRecord } from "../fake-agy/record.ts";
import type { Scenario } from "../fake-agy/scenario.ts";
import type { Cleanup } from "./cleanup.ts";
import { PATIENCE_MS } from "./patience.ts";

export type { InvocationRecord } from "../fake-agy/record.ts";
export type { Scenario, ScenarioStep } from "../fake-agy/scenario.ts";

/** The executable that stands in for agy. */
export const FAKE_AGY = fileURLToPath(new URL("../fake-agy/agy", import.meta.url));

/** A home of its own for the stand-in: nothing it does leaves this folder, which is removed after the test. */
export interface FakeHome {
	/** `$HOME`; also a place for a test's own files, such as gates. */
	dir: string;
	/** Where the databases appear. */
	conversations: string;
	/** A working directory. */
	cwd: string;
	/** The environment for a process that starts the stand-in: HOME, PATH, AGY_BIN, the scenario, the record. */
	env: Record<string, string>;
	/** What reached the stand-in so far, one entry per invocation. */
	invocations(): InvocationRecord[];
	/** The path of a gate for `waitFor`. */
	gate(name: string): Gate;
	/** Plays another scenario from the next invocation on. */
	play(scenario: Scenario | string): void;
}

export interface Gate {
	file: string;
	/** Resolves when the stand-in waits here. */
	reached(): Promise<void>;
	/** Lets it go on. */
	open(): void;
}

/** Makes a home in which the stand-in plays `scenario`: an object, the name of one of its files, or nothing for the friendly one. */
export function fakeHome(t: Cleanup, scenario?: Scenario | string, version?: string): FakeHome {
	const dir = mkdtempSync(join(tmpdir(), "fake-agy-"));
	t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
	const cwd = join(dir, "work");
	mkdirSync(cwd);
	const record = join(dir, "record.jsonl");
	const file = join(dir, "scenario.json");
	const env: Record<string, string> = {
		PATH: process.env.PATH ?? "",
		HOME: dir,
		AGY_BIN: FAKE_AGY,
		FAKE_AGY_RECORD: record,
		FAKE_AGY_PACE: "0",
		FAKE_AGY_NODE: process.execPath,
		...(version === undefined ? {} : { FAKE_AGY_VERSION: version }),
	};
	const home: FakeHome = {
		dir,
		conversations: join(dir, ".gemini", "antigravity-cli", "conversations"),
		cwd,
		env,
		invocations: () =>
			existsSync(record)
				? readFileSync(record, "utf8")
						.split("\n")
						.filter((line) => line !== "")
						.map((line): InvocationRecord => JSON.parse(line))
				: [],
		gate: (name) => gate(join(dir, `gate-${name}`)),
		play: (next) => {
			if (typeof next !== "string") writeFileSync(file, JSON.stringify(next));
			env.FAKE_AGY_SCENARIO = typeof next === "string" ? next : file;
		},
	};
	if (scenario !== undefined) home.play(scenario);
	return home;
}

function gate(file: string): Gate {
	return {
		file,
		open: () => writeFileSync(file, ""),
		async reached() {
			const deadline = Date.now() + PATIENCE_MS;
			while (!existsSync(`${file}.waiting`)) {
				if (Date.now() > deadline) throw new Error(`the stand-in never came to ${file}`);
				await sleep(5);
			}
		},
	};
}
