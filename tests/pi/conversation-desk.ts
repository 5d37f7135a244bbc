import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Settings } from "../../src/config/schema.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { type Finished, type PiEvent, type PiHome, PiRpc, piHome, runPi } from "../support/pi.ts";
import { type FakeHome, fakeHome, type InvocationRecord, type Scenario } from "../support/scenario.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const HELPER = fileURLToPath(new URL("./conversation-extension.ts", import.meta.url));

/** Says in each turn of a conversation the how-manieth it is there. */
const COUNTS: Scenario = {
	turns: ["First", "Second", "Third", "Fourth"].map((word) => [{ say: `${word} answer.` }]),
};

/** A turn as it reached the stand-in. Conversations are called c1, c2 … in the order in which they began. */
export interface Told {
	/** What `--conversation` asked for. */
	readonly asked: string | undefined;
	/** The conversation that answered. */
	readonly by: string;
	readonly prompt: string;
}

/** A person's machine: real pi with the whole extension, and the stand-in for agy. Both share a home. */
export class Desk {
	readonly agy: FakeHome;
	/** Where the next pi starts. */
	home: PiHome;
	readonly #withContextFiles: boolean;

	constructor(
		t: Pick<TestContext, "after">,
		options: {
			readonly scenario?: Scenario | string;
			readonly version?: string;
			readonly env?: Record<string, string>;
			/** pi's own settings. */
			readonly settings?: object;
			/** Lets pi read AGENTS.md and its like. */
			readonly contextFiles?: boolean;
			/** The working directory, below the one of the stand-in's home. */
			readonly folder?: string;
		} = {},
	) {
		const { scenario = COUNTS, version, env, settings, contextFiles = false, folder = "." } = options;
		// pi first: it has to be gone before the folders go.
		const home = piHome(t, { settings: { retry: { baseDelayMs: 1 }, ...settings } });
		this.agy = fakeHome(t, scenario, version);
		const cwd = join(this.agy.cwd, folder);
		mkdirSync(cwd, { recursive: true });
		// The scenario of the stand-in can change while pi runs: its file is the same.
		this.home = { ...home, cwd, env: { ...home.env, ...this.agy.env, ...env } };
		this.#withContextFiles = contextFiles;
	}

	/** Sets variables for the pi that are started from now on. */
	withEnv(env: Record<string, string>): this {
		this.home = { ...this.home, env: { ...this.home.env, ...env } };
		return this;
	}

	/** Writes our settings, which count from the next turn on. */
	configure(settings: Partial<Settings>): void {
		const folder = join(this.home.agentDir, "antigravity");
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "config.json"), JSON.stringify(settings));
	}

	/** pi's arguments with our model picked. */
	args(...more: string[]): string[] {
		const context = this.#withContextFiles ? [] : ["-nc"];
		return ["-ne", ...context, "-e", ROOT, "-e", HELPER, "--model", "antigravity/gemini-3.8-flash", ...more];
	}

	/** One prompt in print mode. */
	print(...args: string[]): Promise<Finished> {
		return runPi(this.home, this.args("-p", ...args));
	}

	open(...args: string[]): PiAtDesk {
		return new PiAtDesk(this, new PiRpc(this.home, this.args(...args)));
	}

	/** All invocations that brought a prompt. */
	invocations(): InvocationRecord[] {
		return this.agy.invocations().filter(({ prompt }) => prompt !== null);
	}

	/** The turns of sessions, in order. */
	turns(): Told[] {
		const all = this.invocations();
		const ids = [...new Set(all.filter(isTurn).map(({ conversation }) => conversation))];
		const name = (id: string | null | undefined) => (id ? `c${ids.indexOf(id) + 1}` : "none");
		return all.filter(isTurn).map((invocation) => {
			const asked = flag(invocation, "--conversation");
			return { asked: asked && name(asked), by: name(invocation.conversation), prompt: invocation.prompt ?? "" };
		});
	}

	/** Resolves when so many turns have reached the stand-in. */
	async hasTold(count: number): Promise<void> {
		const deadline = Date.now() + PATIENCE_MS;
		while (this.turns().length < count) {
			if (Date.now() > deadline) throw new Error(`agy was told ${this.turns().length} times, not ${count}`);
			await sleep(20);
		}
	}

	/** The calls that only want words: never resumed, never with permissions. */
	wordsOnly(): InvocationRecord[] {
		return this.invocations().filter((invocation) => !isTurn(invocation));
	}

	/** The record of each pi session, as it is stored. */
	records(): unknown[] {
		const folder = join(this.home.agentDir, "antigravity", "sessions");
		return readdirSync(folder)
			.filter((name) => name.endsWith(".json"))
			.map((name): unknown => JSON.parse(readFileSync(join(folder, name), "utf8")));
	}
}

function isTurn({ argv }: InvocationRecord): boolean {
	return argv.includes("--dangerously-skip-permissions");
}

/** The value of a flag that stands as a word of its own. */
export function flag({ argv }: InvocationRecord, name: string): string | undefined {
	const at = argv.indexOf(name);
	return at < 0 ? undefined : argv[at + 1];
}

/** A pi in RPC mode. */
export class PiAtDesk {
	readonly rpc: PiRpc;
	/** Kills it, as a crash would. */
	readonly kill: () => Promise<unknown>;
	readonly #desk: Desk;

	constructor(desk: Desk, rpc: PiRpc) {
		this.#desk = desk;
		this.rpc = rpc;
		this.kill = desk.home.closers.at(-1) ?? assert.fail();
	}

	/** Prompts and returns what reached the stand-in. */
	async say(message: string): Promise<Told> {
		const before = this.#desk.turns().length;
		await this.rpc.prompt(message);
		const told = this.#desk.turns().slice(before);
		assert.equal(told.length, 1, `agy was told ${told.length} times: ${JSON.stringify(told)}`);
		return told[0] ?? assert.fail();
	}

	/** Runs a command of an extension. */
	async command(line: string): Promise<void> {
		const from = this.rpc.events.length;
		await this.rpc.request({ type: "prompt", message: line });
		const failed = this.rpc.events.slice(from).find((event) => event.type === "extension_error");
		assert.equal(failed, undefined, JSON.stringify(failed));
	}

	/** Resolves when what came of the last turn is on the disk: this command is answered from there. */
	async recorded(): Promise<void> {
		const from = this.rpc.events.length;
		await this.command("/agy conversation");
		await this.rpc.next((event) => event.type === "extension_ui_request" && event.method === "notify", from);
	}

	async lastAnswer(): Promise<unknown> {
		return (await this.rpc.request({ type: "get_last_assistant_text" })).text;
	}

	async sessionFile(): Promise<string> {
		return String((await this.rpc.request({ type: "get_state" })).sessionFile);
	}

	/** The entry at which the branch ends. */
	async leaf(): Promise<string> {
		return String((await this.rpc.request({ type: "get_entries" })).leafId);
	}

	/** The entry of a message of the user's. */
	async entryOf(text: string): Promise<string> {
		const { messages } = await this.rpc.request({ type: "get_fork_messages" });
		const found = (messages as { entryId: string; text: string }[]).find((message) => message.text === text);
		return found?.entryId ?? assert.fail(`nothing says ${text}`);
	}

	async pick(provider: string, modelId: string): Promise<void> {
		await this.rpc.request({ type: "set_model", provider, modelId });
	}

	pickOurs(): Promise<void> {
		return this.pick("antigravity", "gemini-3.8-flash");
	}

	/** Lets another model answer one prompt. */
	async sayToOther(message: string): Promise<void> {
		await this.pick("faux", "other");
		await this.rpc.prompt(message);
		await this.pickOurs();
	}

	/** Ends pi in an orderly way. */
	async quit(): Promise<void> {
		assert.equal(await this.rpc.close(), 0);
	}
}

/** The last error that a turn ended with. */
export function lastError(events: readonly PiEvent[]): string | undefined {
	const ends = events.flatMap((event) => (event.type === "message_end" ? [event.message] : []));
	return (ends as { errorMessage?: string }[]).findLast((message) => message.errorMessage)?.errorMessage;
}
