import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai";
import {
	type AgentSessionRuntime,
	createAgentSessionFromServices,
	createAgentSessionRuntime,
	createAgentSessionServices,
	type ExtensionFactory,
	ModelRuntime,
	SessionManager,
	SettingsManager,
} from "@earendil-works/pi-coding-agent";
import { defaultSettings } from "../../src/config/schema.ts";
import { createConversationPlanner } from "../../src/conversation/planner.ts";
import { createSessionStore } from "../../src/conversation/session-store.ts";
import { systemClock } from "../../src/engine/clock.ts";
import type { RunRequest } from "../../src/engine/engine.ts";
import { createAntigravityProvider } from "../../src/provider/provider.ts";
import { SessionRuns } from "../../src/provider/session-runs.ts";
import { runTurn, runWordsOnly, type TurnSession } from "../../src/provider/turn.ts";
import { OutputFiles } from "../../src/tools/agy-step/output-files.ts";
import { createStepTool } from "../../src/tools/agy-step/tool.ts";
import { FakeEngine, type FakeRun, generation, text } from "../support/fake-engine.ts";
import { model } from "../support/pi-model.ts";

/** What one run of a turn does; the conversation it writes is given. */
export type Play = (run: FakeRun, conversationId: string) => void;

/** A folder of pi's and all of agy that a test needs, shared by the pi processes it starts. */
export class Place {
	readonly cwd: string;
	readonly agentDir: string;
	/** What reached agy, in order. */
	readonly requests: RunRequest[] = [];
	/** Conversations whose database exists. */
	readonly databases = new Set<string>();
	/** What the next runs of turns do; afterwards each answers "answer N". */
	readonly plays: Play[] = [];
	/** Is awaited before one of pi's own tools runs. */
	beforeTool: (() => Promise<void>) | undefined;
	/** pi reads context files and gets this appended system prompt, when it is set. */
	appendSystemPrompt: string | undefined;
	readonly #pis: Pi[] = [];
	#conversations = 0;
	#answers = 0;

	constructor(t: TestContext) {
		const root = mkdtempSync(join(tmpdir(), "continuity-test-"));
		// One hook: a pi still writes while it quits.
		t.after(async () => {
			for (const pi of this.#pis) await pi.quit();
			rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
		});
		this.cwd = join(root, "work");
		this.agentDir = join(root, "agent");
		for (const folder of [this.cwd, this.agentDir]) mkdirSync(folder);
	}

	/** Starts a pi process of its own, with a new session or on a session file. */
	async startPi(sessionFile?: string): Promise<Pi> {
		const pi = await Pi.start(this, this.#pis.length, sessionFile);
		this.#pis.push(pi);
		return pi;
	}

	/** What agy was asked to continue and told in each turn so far, throw-away calls apart. */
	turns(): { resume: string | undefined; prompt: string }[] {
		return this.requests
			.filter((request) => request.purpose === "turn")
			.map((request) => ({ resume: request.resume?.conversationId, prompt: request.prompt }));
	}

	lastTurn(): { resume: string | undefined; prompt: string } {
		return this.turns().at(-1) ?? assert.fail("agy was not started");
	}

	run(run: FakeRun): void {
		this.requests.push(run.request);
		const asked = run.request.resume?.conversationId;
		const id = asked !== undefined && this.databases.has(asked) ? asked : `c${++this.#conversations}`;
		this.databases.add(id);
		run.emit({ type: "conversation", id });
		const play = run.request.purpose === "turn" ? this.plays.shift() : undefined;
		if (play) play(run, id);
		else answer(run, id, run.request.purpose === "turn" ? `answer ${++this.#answers}` : "Summary by agy.");
	}
}

/** An answer and the end of the run. */
export function answer(run: FakeRun, conversationId: string, words: string): void {
	run.emit(generation(1, "started"), text(1, words), generation(1, "done", []));
	run.end({ kind: "answered" }, { conversationId });
}

/** One pi process: real pi with our provider, planner and cards; only agy is played. */
export class Pi {
	readonly #place: Place;
	readonly #runtime: AgentSessionRuntime;
	readonly #faux: ReturnType<typeof fauxProvider>;
	#quit = false;

	private constructor(place: Place, runtime: AgentSessionRuntime, faux: ReturnType<typeof fauxProvider>) {
		this.#place = place;
		this.#runtime = runtime;
		this.#faux = faux;
	}

	static async start(place: Place, pid: number, sessionFile: string | undefined): Promise<Pi> {
		const { cwd, agentDir } = place;
		const faux = fauxProvider({ provider: "faux", models: [{ id: "faux-1" }] });
		const sessionDir = join(agentDir, "sessions");
		const sessionManager =
			sessionFile === undefined ? SessionManager.create(cwd, sessionDir) : SessionManager.open(sessionFile, sessionDir);
		const runtime = await createAgentSessionRuntime(
			async (options) => {
				const services = await createAgentSessionServices({
					cwd: options.cwd,
					agentDir,
					settingsManager: SettingsManager.inMemory({
						compaction: { keepRecentTokens: 20 },
						retry: { enabled: true, maxRetries: 2, baseDelayMs: 1 },
					}),
					modelRuntime: await ModelRuntime.create({ authPath: join(agentDir, "auth.json"), modelsPath: null }),
					resourceLoaderOptions: {
						extensionFactories: [extension(place, 1_000 + pid, faux)],
						noExtensions: true,
						noSkills: true,
						noContextFiles: place.appendSystemPrompt === undefined,
						...(place.appendSystemPrompt === undefined ? {} : { appendSystemPrompt: [place.appendSystemPrompt] }),
						noPromptTemplates: true,
						noThemes: true,
					},
				});
				const created = await createAgentSessionFromServices({
					services,
					sessionManager: options.sessionManager,
					...(options.sessionStartEvent ? { sessionStartEvent: options.sessionStartEvent } : {}),
				});
				return { ...created, services, diagnostics: services.diagnostics };
			},
			{ cwd, agentDir, sessionManager },
		);
		const pi = new Pi(place, runtime, faux);
		runtime.setRebindSession(() => pi.#bind());
		await pi.#bind();
		return pi;
	}

	get session() {
		return this.#runtime.session;
	}

	get sessionFile(): string {
		return this.session.sessionFile ?? assert.fail("the session has no file");
	}

	/** Prompts the model that is picked and returns what reached agy. */
	async say(words: string): Promise<{ resume: string | undefined; prompt: string }> {
		await this.session.prompt(words);
		return this.#place.lastTurn();
	}

	/** Lets the faux model read a file for a prompt and goes over to ours before it can say what it found. */
	async switchInsideToolLoop(words: string, path: string): Promise<void> {
		this.#faux.setResponses([fauxAssistantMessage([fauxToolCall("read", { path })], { stopReason: "toolUse" })]);
		await this.session.setModel(this.#faux.getModel());
		this.#place.beforeTool = () => this.pickOurs();
		await this.session.prompt(words);
		this.#place.beforeTool = undefined;
	}

	/** Lets the faux model answer one prompt, and goes back to ours. */
	async sayToFaux(words: string, reply: string): Promise<void> {
		this.#faux.setResponses([fauxAssistantMessage(reply)]);
		await this.session.setModel(this.#faux.getModel());
		await this.session.prompt(words);
		await this.pickOurs();
	}

	async pickOurs(): Promise<void> {
		const { modelRuntime } = this.#runtime.services;
		await this.session.setModel(modelRuntime.getModel(model.provider, model.id) ?? assert.fail("our model is missing"));
	}

	/** The id of the entry with this text of the user. */
	entryOf(words: string): string {
		const found = this.session.getUserMessagesForForking().find((entry) => entry.text === words);
		return found?.entryId ?? assert.fail(`no entry says ${words}`);
	}

	leaf(): string {
		return this.session.sessionManager.getLeafId() ?? assert.fail("the session is empty");
	}

	lastAnswer(): string | undefined {
		return this.session.getLastAssistantText();
	}

	async fork(words: string): Promise<void> {
		await this.#runtime.fork(this.entryOf(words));
	}

	async clone(): Promise<void> {
		await this.#runtime.fork(this.leaf(), { position: "at" });
	}

	async newSession(): Promise<void> {
		await this.#runtime.newSession();
	}

	async resume(sessionFile: string): Promise<void> {
		await this.#runtime.switchSession(sessionFile);
	}

	async quit(): Promise<void> {
		if (this.#quit) return;
		this.#quit = true;
		await this.#runtime.dispose();
	}

	async #bind(): Promise<void> {
		await this.session.bindExtensions({});
		await this.pickOurs();
	}
}

function extension(place: Place, pid: number, faux: ReturnType<typeof fauxProvider>): ExtensionFactory {
	return (pi) => {
		const runs = new SessionRuns();
		const planner = createConversationPlanner({
			store: createSessionStore({ folder: join(place.agentDir, "antigravity", "sessions"), clock: systemClock }),
			settings: () => defaultSettings,
			clock: systemClock,
			conversationExists: (id) => place.databases.has(id),
			stagingRoot: place.agentDir,
			pid,
			isAlive: () => true,
		});
		const parts = {
			planner,
			clock: systemClock,
			engine: new FakeEngine((run) => place.run(run)),
			catalogue: { learn: async () => {}, resolve: () => ({ choice: { slug: model.id }, family: "gemini" }) },
		};
		let session: TurnSession | undefined;
		pi.on("session_start", (_event, ctx) => {
			session = {
				id: ctx.sessionManager.getSessionId(),
				cwd: ctx.cwd,
				runs,
				mode: "accept-edits",
				permissions: "skip",
				display: () => "cards",
				activity() {},
				title() {},
				notice() {},
				runStarted() {},
				runEnded() {},
			};
		});
		pi.on("tool_call", async () => {
			await place.beforeTool?.();
		});
		pi.on("session_shutdown", async () => {
			await runs.shutDown();
			if (session) await planner.sessionEnded(session.id);
		});
		pi.registerProvider(faux.provider);
		pi.registerProvider(
			createAntigravityProvider({
				catalogue: {
					models: () => [model],
					restore() {},
					refresh: async () => assert.fail("agy is not asked for its models here"),
				},
				findAgyProblem: () => undefined,
				hidesWithoutAgy: () => false,
				now: () => Date.now(),
				run: (call) => {
					assert.ok(session, "the session has begun");
					return call.options.sessionId === session.id
						? runTurn(parts, session, call)
						: runWordsOnly(parts, session, call);
				},
			}),
		);
		pi.registerTool(
			createStepTool({
				card: (id) => runs.card(id),
				cwd: () => place.cwd,
				permissions: () => "skip",
				recorded: () => undefined,
				files: new OutputFiles(join(place.agentDir, "outputs")),
				clock: systemClock,
			}),
		);
	};
}
