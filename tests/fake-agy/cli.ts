import { flushCompileCache } from "node:module";
import { isatty } from "node:tty";
import { control } from "./control.ts";
import { FlagError, type Flags, parseDuration, parseFlags, usage } from "./flags.ts";
import { CATALOGUE, chooseModel, modelListing } from "./models.ts";
import { pathsFor } from "./paths.ts";
import { readAll, userMessages } from "./prompt.ts";
import { Recorder } from "./record.ts";
import { loadScenario, type Scenario } from "./scenario.ts";
import type { Session } from "./session.ts";
import { signIn } from "./sign-in.ts";
import { slashAnswer } from "./slash.ts";
import { type OutputFormat, Stdout } from "./stdout.ts";
import { type Abilities, abilitiesOf } from "./versions.ts";

const DEFAULT_VERSION = "1.3.3";
/** What becomes of the terminal interface where there is no terminal. */
const NO_TTY = "CLI error: bubbletea: could not open TTY: open /dev/tty: no such device or address\n";
/** No exit code of agy's, so that no test takes a mistake in its scenario for an answer. */
const STAND_IN_FAILED = 70;
const NOTHING = { input: 0, cacheRead: 0, output: 0, thinking: 0 };

/** The whole command line, from argv to the exit of the process. */
export async function main(argv: string[]): Promise<void> {
	try {
		await invoke(argv);
	} catch (error) {
		process.stderr.write(`the stand-in itself failed: ${error instanceof Error ? error.stack : String(error)}\n`);
		process.exit(STAND_IN_FAILED);
	}
}

async function invoke(argv: string[]): Promise<void> {
	const scenario = loadScenario(process.env.FAKE_AGY_SCENARIO);
	const version = process.env.FAKE_AGY_VERSION || scenario.version || DEFAULT_VERSION;
	const recorder = new Recorder(argv, version);
	const exit = (code: number): never => {
		recorder.write();
		// Leaves the database as it is: agy does not checkpoint when it goes.
		process.exit(code);
	};
	const abilities = abilitiesOf(version);
	for (const signal of scenario.ignoreSignals ?? []) process.on(signal, () => {});
	try {
		const flags = parseFlags(argv, version, abilities.strictArguments);
		await new Invocation(flags, scenario, version, abilities, recorder, exit).run();
	} catch (error) {
		if (!(error instanceof FlagError)) throw error;
		process.stderr.write(`${error.message}\n${usage(version)}`);
		exit(2);
	}
}

class Invocation {
	readonly #flags: Flags;
	readonly #scenario: Scenario;
	readonly #version: string;
	readonly #abilities: Abilities;
	readonly #recorder: Recorder;
	readonly #exit: (code: number) => never;
	readonly #format: OutputFormat;
	readonly #stdout: Stdout;

	constructor(
		flags: Flags,
		scenario: Scenario,
		version: string,
		abilities: Abilities,
		recorder: Recorder,
		exit: (code: number) => never,
	) {
		this.#flags = flags;
		this.#scenario = scenario;
		this.#version = version;
		this.#abilities = abilities;
		this.#recorder = recorder;
		this.#exit = exit;
		const format = flags.values.get("output-format") ?? "text";
		if (format !== "text" && format !== "json" && format !== "stream-json") {
			throw new FlagError(`invalid value "${format}" for flag -output-format: must be one of text, json, stream-json`);
		}
		this.#format = format;
		const { init = true, result = true, text = true, splitUtf8 = false } = scenario.stdout ?? {};
		const mute = !abilities.pipedStdout && !isatty(1);
		this.#stdout = new Stdout({ format, init, result, text, splitUtf8, mute });
	}

	async run(): Promise<void> {
		if (this.#flags.switches.has("version")) return this.#say(`${this.#version}\n`);
		if (this.#flags.switches.has("help")) {
			process.stderr.write(usage(this.#version));
			this.#exit(0);
		}
		if (this.#scenario.before !== undefined) {
			this.#recorder.write();
			const context = { stdout: this.#stdout, exit: this.#exit };
			for (const step of this.#scenario.before) await control(step, context);
		}
		const command = this.#flags.rest[0];
		if (command !== undefined && this.#flags.prompt === undefined) return this.#subcommand(command);
		if (command !== undefined && this.#abilities.strictArguments) {
			throw new FlagError(`unexpected argument "${command}": the prompt belongs to its flag (-p='your prompt')`);
		}
		if (this.#flags.values.get("input-format") === "stream-json") return this.#streamInput();
		const prompt = await this.#prompt();
		this.#validate();
		await signIn(this.#scenario.signedOut, (text) => this.#refuse(text));
		const answer = this.#flags.switches.has("disable-slash-commands")
			? undefined
			: slashAnswer(prompt, this.#abilities, this.#version);
		if (answer !== undefined) {
			const { name, data, text } = answer;
			this.#stdout.result({ status: "SUCCESS", turns: 0, usage: NOTHING, response: text, command: { name, data } });
			this.#exit(0);
		}
		const session = await this.#session();
		this.#exit(await session.turn(prompt));
	}

	async #subcommand(command: string): Promise<never> {
		const [, ...args] = this.#flags.rest;
		const flag = args.find((argument) => argument.startsWith("-"));
		if (command === "help") {
			process.stderr.write(usage(this.#version));
			this.#exit(0);
		}
		if (flag !== undefined) throw new FlagError(`flags provided but not defined: ${flag.replace(/^--?/, "-")}`);
		if (command === "models") return this.#models();
		if (command === "changelog") return this.#say(`${this.#version}\n* Nothing new in the stand-in.\n`);
		if (command === "update") return this.#say("agy is up to date\n");
		if (["agent", "agents", "plugin", "plugins", "mcp", "install"].includes(command)) return this.#say("");
		process.stderr.write(NO_TTY);
		return this.#exit(1);
	}

	async #models(): Promise<never> {
		if (!this.#abilities.modelsIgnoreStdin) await readAll(process.stdin);
		if (this.#scenario.signedOut !== undefined) {
			process.stderr.write(
				"Error: Please sign in to view available models. Launch the CLI without arguments to sign in.\n",
			);
			this.#exit(this.#version === "1.1.13" ? 0 : 1);
		}
		const offered = this.#scenario.models ?? CATALOGUE;
		const listing = modelListing(this.#abilities, offered);
		if (this.#format === "text") return this.#say(listing);
		const models = offered.map(({ slug, label }) => ({ id: slug, label }));
		const command = { name: "models", data: { models } };
		this.#stdout.result({ status: "SUCCESS", turns: 0, usage: NOTHING, response: listing, command });
		return this.#exit(0);
	}

	/** The prompt from its flag, else from stdin. */
	async #prompt(): Promise<string> {
		const { prompt } = this.#flags;
		if (prompt !== undefined) {
			this.#recorder.set({ prompt: prompt.text, promptVia: "flag" });
			// Old versions read stdin to its end first, whatever the flag says.
			if (!this.#abilities.stdinPrompt) await readAll(process.stdin);
			if (prompt.text === "") this.#refuse("error: empty prompt\n");
			return prompt.text;
		}
		const text = isatty(0) || !this.#abilities.stdinPrompt ? "" : await readAll(process.stdin);
		if (text.trim() === "") {
			process.stderr.write(NO_TTY);
			this.#exit(1);
		}
		this.#recorder.set({ prompt: text, promptVia: "stdin" });
		return text;
	}

	async #streamInput(): Promise<void> {
		if (this.#format !== "stream-json")
			this.#refuse("error: --input-format stream-json requires --output-format stream-json\n");
		if (this.#flags.prompt !== undefined && this.#flags.prompt.text !== "") {
			this.#refuse("error: a prompt cannot be combined with --input-format stream-json\n");
		}
		this.#validate();
		await signIn(this.#scenario.signedOut, (text) => this.#refuse(text));
		const session = await this.#session();
		let code = 0;
		for await (const message of userMessages(process.stdin)) {
			if ("text" in message) {
				this.#recorder.next({ prompt: message.text, promptVia: "stream-json" });
				code = await session.turn(message.text);
				continue;
			}
			session.open();
			if ("unknownEvent" in message) {
				process.stderr.write(`warning: ignoring unknown event "${message.unknownEvent}"\n`);
				continue;
			}
			this.#stdout.result({ status: "ERROR", error: message.malformed, turns: 0, usage: NOTHING });
			this.#exit(1);
		}
		this.#exit(code);
	}

	async #session(): Promise<Session> {
		// Most of a start's time goes into what encodes rows: an agy that is asked for its version does without.
		const { Session } = await import("./session.ts");
		flushCompileCache();
		const { values, switches, addDirs } = this.#flags;
		const chosen = chooseModel(this.#abilities, values.get("model"), values.get("effort"));
		if ("error" in chosen) throw new Error(chosen.error);
		const limit = values.get("print-timeout");
		if (values.get("mode") === "plan" && switches.has("disable-slash-commands")) {
			process.stderr.write("warning: --mode plan has no effect while slash command expansion is disabled.\n");
		}
		return new Session({
			scenario: this.#scenario,
			version: this.#version,
			abilities: this.#abilities,
			stdout: this.#stdout,
			recorder: this.#recorder,
			paths: pathsFor(this.#flags),
			conversationId: values.get("conversation"),
			continueLast: switches.has("continue"),
			model: chosen.model,
			modelAsked: values.has("model"),
			workspaces: addDirs.filter((path) => path.startsWith("/")),
			skipPermissions: switches.has("dangerously-skip-permissions") && !this.#scenario.policy,
			sandbox: switches.has("sandbox"),
			expand: this.#abilities.slashCommands && !switches.has("disable-slash-commands"),
			jsonSchema: values.get("json-schema"),
			printTimeout: limit === undefined ? undefined : { text: limit, ms: parseDuration("print-timeout", limit) },
			exit: this.#exit,
		});
	}

	#validate(): void {
		const chosen = chooseModel(this.#abilities, this.#flags.values.get("model"), this.#flags.values.get("effort"));
		if ("error" in chosen) this.#refuse(chosen.error);
	}

	/** Ends an invocation before it started: no init, only a result; exit code 1. */
	#refuse(text: string): never {
		process.stderr.write(text);
		const error = text.split("\n")[0]?.replace(/^error: /i, "") ?? text;
		this.#stdout.result({
			status: "ERROR",
			error,
			turns: 0,
			usage: NOTHING,
			...(this.#format === "text" ? { response: "" } : {}),
		});
		return this.#exit(1);
	}

	#say(text: string): never {
		this.#stdout.raw(text);
		return this.#exit(0);
	}
}
