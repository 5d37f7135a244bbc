import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Cleanup } from "../support/cleanup.ts";
import { only, type PiHome, PiRpc, piHome } from "../support/pi.ts";
import { type FakeHome, fakeHome, type InvocationRecord, type Scenario } from "../support/scenario.ts";

/** The whole extension, as pi loads it. */
export const EXTENSION = fileURLToPath(new URL("../../extensions/index.ts", import.meta.url));
export const MODEL = ["--model", "antigravity/gemini-3.8-flash"];

/** Real pi with our whole extension, beside the stand-in for agy. */
export interface AgyHome {
	readonly pi: PiHome;
	readonly agy: FakeHome;
	/** A pi in RPC mode. */
	rpc(): PiRpc;
	/** Plays a scenario, or the one of that name, from the next run of agy on. */
	play(scenario: Scenario | string): void;
	/** The agy runs that got a prompt. */
	runs(): InvocationRecord[];
}

export function agyHome(
	t: Cleanup,
	scenario: Scenario | string,
	options: { version?: string; env?: Record<string, string> } = {},
): AgyHome {
	const agy = fakeHome(t, read(scenario), options.version);
	const pi = piHome(t, { cwd: agy.cwd, env: { ...agy.env, ...options.env } });
	return {
		pi,
		agy,
		rpc: () => new PiRpc(pi, [...only(EXTENSION), ...MODEL]),
		play: (next) => agy.play(read(next)),
		runs: () => agy.invocations().filter((run) => run.prompt !== null),
	};
}

/** pi keeps the environment it was started with, so a later scenario has to come in the same file. */
function read(scenario: Scenario | string): Scenario {
	if (typeof scenario !== "string") return scenario;
	return JSON.parse(readFileSync(new URL(`../fake-agy/scenarios/${scenario}.json`, import.meta.url), "utf8"));
}

/** What `/agy` replied. */
export interface Said {
	readonly message: string;
	readonly level: string;
}

/** Types a line that is no prompt, and gives what comes back. */
export async function say(rpc: PiRpc, line: string): Promise<Said> {
	const from = rpc.events.length;
	await rpc.request({ type: "prompt", message: line });
	const reply = await rpc.next((event) => event.type === "extension_ui_request" && event.method === "notify", from);
	return { message: String(reply.message), level: String(reply.notifyType) };
}
