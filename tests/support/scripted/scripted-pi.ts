import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { only, type PiHome, piHome } from "../pi.ts";

const EXTENSION = fileURLToPath(new URL("./extension.ts", import.meta.url));

/** What the scripted engine noted. */
export interface ScriptNote {
	readonly started?: string;
	readonly purpose?: string;
	readonly ended?: string;
	readonly cancelledBy?: string | null;
}

export interface ScriptedPi {
	readonly home: PiHome;
	/** pi's arguments that load the scripted extension, and further ones before it, and choose its model. */
	args(...more: string[]): string[];
	notes(): ScriptNote[];
	/** Lets the step of the scene `waits_and_ends` end. */
	endStep(): void;
	/** Resolves when agy was started, also when it says nothing. */
	runStarted(): Promise<void>;
}

/** A pi whose agy plays the scenes of `scenes.ts`. `extensions` are loaded before ours. */
export function scriptedPi(
	t: Pick<TestContext, "after">,
	options: { extensions?: string[]; env?: Record<string, string>; settings?: object; agySettings?: object } = {},
): ScriptedPi {
	const { extensions = [], env, settings = {}, agySettings = {} } = options;
	const home = piHome(t, { settings, env: { SCRIPT_SETTINGS: JSON.stringify(agySettings), ...env } });
	const log = join(home.dir, "script.log");
	const gate = join(home.dir, "script.gate");
	const notes = () =>
		existsSync(log)
			? readFileSync(log, "utf8")
					.split("\n")
					.filter((line) => line !== "")
					.map((line): ScriptNote => JSON.parse(line))
			: [];
	return {
		home: { ...home, env: { ...home.env, SCRIPT_LOG: log, SCRIPT_GATE: gate } },
		args: (...more) => [...only(...extensions, EXTENSION), "--model", "antigravity/gemini-3.8-flash", ...more],
		notes,
		endStep: () => writeFileSync(gate, ""),
		async runStarted() {
			while (notes().length === 0) await sleep(20);
		},
	};
}
