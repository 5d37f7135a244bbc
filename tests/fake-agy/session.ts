import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { control } from "./control.ts";
import { Conversation, type ConversationOptions } from "./conversation.ts";
import { ConversationDatabase } from "./database.ts";
import { McpServers } from "./mcp-client.ts";
import type { Model } from "./models.ts";
import { type Outcome, timeoutOutcome } from "./outcomes.ts";
import type { Paths } from "./paths.ts";
import { mentionedFiles } from "./prompt.ts";
import type { Recorder } from "./record.ts";
import { type Recording, readRecording } from "./recording.ts";
import { type Scenario, type ScenarioStep, stepsFor } from "./scenario.ts";
import type { Stdout } from "./stdout.ts";
import { LateStore } from "./store.ts";
import { Turn } from "./turn.ts";
import type { TurnOptions } from "./turn-context.ts";
import { type Abilities, compareVersions } from "./versions.ts";

/** Prompts from this size on are dropped without a word (reports by people who drive agy). */
const PROMPT_LIMIT = 25_000;

export interface SessionSetup {
	scenario: Scenario;
	version: string;
	abilities: Abilities;
	stdout: Stdout;
	recorder: Recorder;
	paths: Paths;
	conversationId: string | undefined;
	continueLast: boolean;
	model: Model;
	modelAsked: boolean;
	/** Absolute paths given with `--add-dir`. */
	workspaces: string[];
	skipPermissions: boolean;
	sandbox: boolean;
	/** `/command`, `!command` and `@file` mean something in a prompt. */
	expand: boolean;
	jsonSchema: string | undefined;
	printTimeout: { text: string; ms: number } | undefined;
	exit(code: number): never;
}

/** One conversation in one process, for one prompt or for several that arrive on stdin. */
export class Session {
	readonly #setup: SessionSetup;
	readonly #recording: Recording | undefined;
	#conversation: Conversation | undefined;
	#mcp: Promise<McpServers> | undefined;

	constructor(setup: SessionSetup) {
		this.#setup = setup;
		const { replay } = setup.scenario;
		this.#recording = replay === undefined ? undefined : readRecording(replay);
	}

	/** Opens the conversation and announces it; does nothing the second time. */
	open(): Conversation {
		if (this.#conversation !== undefined) return this.#conversation;
		const { recorder, stdout, model, modelAsked, skipPermissions, sandbox } = this.#setup;
		const conversation = this.#find() ?? Conversation.create(this.#conversationOptions());
		this.#conversation = conversation;
		recorder.set({ conversation: conversation.id, resumed: conversation.turns > 0 });
		recorder.write();
		this.#openOthers();
		stdout.init(conversation.id, {
			...(modelAsked ? { model: model.label } : {}),
			cwd: process.cwd(),
			permissionMode: skipPermissions ? "always-proceed" : sandbox ? "proceed-in-sandbox" : "request-review",
		});
		return conversation;
	}

	/** Answers one prompt; resolves with the exit code when the result is printed. */
	async turn(prompt: string): Promise<number> {
		const { scenario, stdout } = this.#setup;
		const conversation = this.open();
		this.#setup.recorder.write();
		stdout.startTurn();
		this.#mcp ??= McpServers.connect({ gemini: dirname(this.#setup.paths.root), workspaces: this.#setup.workspaces });
		const turn = new Turn({
			...this.#setup,
			conversation,
			options: this.#turnOptions(),
			cwd: process.cwd(),
			pace: Number(process.env.FAKE_AGY_PACE ?? scenario.pace ?? 0),
			mcp: await this.#mcp,
		});
		const signals = this.#signals();
		const playing = this.#play(turn, conversation, prompt);
		const outcome = await Promise.race([playing, this.#timeout(), signals.outcome]);
		turn.close(outcome);
		if (conversation.store instanceof LateStore) conversation.store.open();
		if (outcome.stderr !== undefined) process.stderr.write(outcome.stderr);
		conversation.turns++;
		stdout.result({
			status: outcome.status,
			turns: conversation.turns,
			usage: conversation.usage,
			...(outcome.error === undefined ? {} : { error: outcome.error }),
			...this.#structured(turn),
			...(this.#setup.abilities.deniedActions && turn.denied.length > 0 ? { deniedActions: turn.denied } : {}),
		});
		signals.release();
		for (const step of scenario.after ?? []) await control(step, { ...this.#setup, conversation });
		return outcome.exitCode;
	}

	async #play(turn: Turn, conversation: Conversation, prompt: string): Promise<Outcome> {
		const { scenario, expand } = this.#setup;
		const limit = scenario.promptLimit ?? PROMPT_LIMIT;
		if (conversation.dead || (limit > 0 && Buffer.byteLength(prompt) >= limit)) {
			conversation.dead = true;
			return { status: "SUCCESS", exitCode: 0, termination: 4 };
		}
		if (this.#recording !== undefined) return turn.replay(this.#recording, conversation.turns);
		await turn.prompt(prompt, expand ? mentionedFiles(prompt, process.cwd()) : []);
		return turn.run(this.#steps(prompt, conversation.turns));
	}

	#steps(prompt: string, turns: number): ScenarioStep[] {
		const { scenario, expand } = this.#setup;
		if (expand && /^!\S/.test(prompt)) {
			return [{ run: { command: prompt.slice(1), output: ["(the stand-in runs nothing)\n"] } }];
		}
		return stepsFor(scenario, prompt, turns);
	}

	#find(): Conversation | undefined {
		const { scenario, continueLast, paths } = this.#setup;
		if (scenario.ignoreConversation) return undefined;
		const id = this.#setup.conversationId ?? (continueLast ? lastConversation(paths) : undefined);
		if (id === undefined) return undefined;
		const found = Conversation.resume(id, this.#conversationOptions());
		if (found === undefined) process.stderr.write(`warning: conversation "${id}" not found\n`);
		return found;
	}

	#openOthers(): void {
		const { scenario, paths } = this.#setup;
		for (let i = 0; i < (scenario.database?.alsoOpen ?? 0); i++) {
			const other = new ConversationDatabase(paths.database(randomUUID()), this.#conversationOptions());
			other.setTrajectory(randomUUID(), randomUUID(), 17);
		}
	}

	#conversationOptions(): ConversationOptions {
		const { scenario, paths, model, workspaces, abilities } = this.#setup;
		const { kind = "normal", synchronous = "FULL", busyTimeout = 0 } = scenario.database ?? {};
		const commitLog = process.env.FAKE_AGY_COMMIT_LOG;
		const sync = process.env.FAKE_AGY_SYNCHRONOUS === "NORMAL" ? "NORMAL" : synchronous;
		const recorded = this.#recording;
		const cancelZombies = abilities.recordsCanceled;
		return {
			paths,
			kind,
			model: model.number,
			workspaces,
			synchronous: sync,
			busyTimeout,
			commitLog,
			recorded,
			cancelZombies,
		};
	}

	#turnOptions(): TurnOptions {
		const { scenario, abilities, version, skipPermissions } = this.#setup;
		const { placeholder, tools, text = true, promptBytes = 20_000 } = scenario.database ?? {};
		return {
			placeholder: placeholder ?? (abilities.twoPhaseRows ? "null" : "none"),
			genericTools: tools === undefined ? abilities.genericTools : tools === "generic",
			databaseText: text,
			stdoutAhead: scenario.stdout?.ahead ?? false,
			promptBytes,
			skipPermissions,
			version,
		};
	}

	#structured(turn: Turn): { structuredOutput?: unknown } {
		if (this.#setup.jsonSchema === undefined || turn.denied.length > 0) return {};
		return { structuredOutput: { answer: turn.stdout.response } };
	}

	#timeout(): Promise<Outcome> {
		const { abilities, version } = this.#setup;
		const standard = compareVersions(version, "1.2.6") < 0 ? { text: "5m0s", ms: 300_000 } : undefined;
		const limit = this.#setup.printTimeout ?? standard;
		return new Promise((resolve) => {
			if (limit !== undefined)
				setTimeout(() => resolve(timeoutOutcome(abilities, version, limit.text)), limit.ms).unref();
		});
	}

	/** An interrupt is the user's; a termination is the context's. After the turn, signals kill as they do anywhere. */
	#signals(): { outcome: Promise<Outcome>; release(): void } {
		const endings: [NodeJS.Signals, Outcome][] = [
			["SIGINT", { status: "CANCELED", exitCode: 0, termination: 2 }],
			["SIGTERM", { status: "ERROR", exitCode: 1, termination: 2, error: "context canceled" }],
		];
		const ignored: string[] = this.#setup.scenario.ignoreSignals ?? [];
		const { promise, resolve } = Promise.withResolvers<Outcome>();
		const listeners = endings
			.filter(([signal]) => !ignored.includes(signal))
			.map(([signal, outcome]) => ({ signal, listener: () => resolve(outcome) }));
		for (const { signal, listener } of listeners) process.on(signal, listener);
		return {
			outcome: promise,
			release: () => {
				for (const { signal, listener } of listeners) process.off(signal, listener);
			},
		};
	}
}

function lastConversation(paths: Paths): string | undefined {
	try {
		const cache: Record<string, string> = JSON.parse(
			readFileSync(join(paths.root, "cache", "last_conversations.json"), "utf8"),
		);
		return cache[process.cwd()];
	} catch {
		return undefined;
	}
}
