import { getCurrentTools, type Tool, type TranscriptContext } from "@earendil-works/pi-ai";
import { z } from "zod/v3";
import type { Settings } from "../config/schema.ts";
import type { Clock } from "../engine/clock.ts";
import type { Engine, RunRequest } from "../engine/engine.ts";
import { jsonValueSchema } from "../engine/json.ts";
import type { Log } from "../engine/log.ts";
import { messageOf } from "../engine/thrown.ts";
import { withLateResults } from "./late-results.ts";
import type { LoopGuard } from "./loop-guard.ts";
import type { PiCall } from "./parked-calls.ts";
import { RunTools } from "./run-tools.ts";
import { runSelfTest, type SelfTestResult, type SelfTestRun } from "./self-test.ts";
import type { BridgeServer, ToolEndpoint } from "./server.ts";
import { type LeftOut, selectTools } from "./tool-list.ts";

export interface SessionBridgeOptions {
	readonly server: Pick<BridgeServer, "open">;
	readonly guard: LoopGuard;
	readonly settings: () => Settings;
	readonly clock: Clock;
	readonly log: Log;
	/** The names of pi's active tools, as they are at the moment. */
	readonly activeTools: () => readonly string[];
}

/** A run, ready to be started. */
export interface PreparedRun {
	readonly request: RunRequest;
	/** Absent when agy is offered none. */
	readonly tools?: RunTools;
}

/** What a run of agy was given. */
interface BridgedRun {
	readonly tools: RunTools;
	readonly endpoint: ToolEndpoint;
}

export interface BridgeReport {
	/** One or two sentences: what is offered, and whether agy connected. */
	readonly state: string;
	readonly tools: readonly string[];
	readonly leftOut: readonly LeftOut[];
	/** Whether agy connected in the session's last turn. */
	readonly contact: "no turn yet" | "connected" | "not connected";
}

/** Offers the tools of one pi session to the runs of its turns. */
export class SessionBridge {
	readonly #options: SessionBridgeOptions;
	/** Whose calls may still get results. */
	readonly #runs = new Set<BridgedRun>();
	#last: ToolEndpoint | undefined;
	#saidNotConnected = false;

	constructor(options: SessionBridgeOptions) {
		this.#options = options;
	}

	/**
	 * Adds to a turn's request what agy needs to call pi's tools, and what it missed of earlier calls. Never rejects: without a
	 * bridge the turn goes on.
	 */
	async prepareRun(request: RunRequest, { messages }: TranscriptContext): Promise<PreparedRun> {
		const { guard, log } = this.#options;
		const settings = this.#options.settings();
		const missed = this.#takeMissed();
		const prepared: RunRequest = {
			...request,
			prompt: withLateResults(request.prompt, missed, messages),
			...(settings.toolsRunIn === "pi" && { ownTools: "off" as const }),
		};
		const { offered } = selectTools(getCurrentTools(messages), settings);
		if (offered.length === 0 || guard.forbids) return { request: prepared };
		try {
			const { tools, endpoint } = await this.#openRun(offered);
			return { request: { ...prepared, toolServer: endpoint }, tools };
		} catch (error) {
			log.info("bridge.failed", { cause: messageOf(error) });
			return { request: prepared };
		}
	}

	/** A tool of pi has ended; `result` is pi's own result of it. */
	toolEnded(id: string, result: unknown): void {
		const parsed = resultSchema.safeParse(result);
		const structuredContent = parsed.success ? parsed.data.structuredContent : undefined;
		for (const { tools } of this.#runs) tools.toolEnded(id, structuredContent);
	}

	/** What is offered now, for people. */
	report(): BridgeReport {
		const { activeTools, guard, settings } = this.#options;
		const active = activeTools().map((name) => ({ name }));
		const { offered, leftOut } = selectTools(active, settings());
		const tools = guard.forbids ? [] : offered.map(({ name }) => name);
		return { state: this.#state(tools.length), tools, leftOut, contact: this.#contact() };
	}

	/**
	 * Whether agy, started with `run`, connects; undefined when it would be offered no tools, and nothing is started then.
	 * Rejects as `runSelfTest`.
	 */
	async selfTest(engine: Engine, run: SelfTestRun): Promise<SelfTestResult | undefined> {
		if (this.report().tools.length === 0) return undefined;
		const { server, clock } = this.#options;
		return runSelfTest({ server, engine, clock, ...run });
	}

	/** The session is over. */
	close(): void {
		for (const { tools, endpoint } of this.#runs) {
			tools.close();
			void endpoint.close();
		}
		this.#runs.clear();
	}

	async #openRun(offered: readonly Tool[]): Promise<BridgedRun> {
		const { server, guard, settings, clock, activeTools } = this.#options;
		const tools = new RunTools({
			tools: offered,
			clock,
			answerAfterMs: settings().bridgeAnswerSeconds * 1000,
			guard,
			isActive: (name) => activeTools().includes(name),
			notConnectedNotice: () => this.#notConnectedNotice(),
		});
		const run = { tools, endpoint: await server.open(tools) };
		this.#last = run.endpoint;
		this.#runs.add(run);
		return run;
	}

	/** Calls whose results came too late for the run that had asked for them. Each is handed over once. */
	#takeMissed(): readonly PiCall[] {
		const calls = [...this.#runs].flatMap(({ tools }) => tools.undelivered());
		this.close();
		return calls;
	}

	#notConnectedNotice(): string | undefined {
		if (this.#saidNotConnected) return undefined;
		this.#saidNotConnected = true;
		const { bridgeGlobalConfig } = this.#options.settings();
		const remedy = bridgeGlobalConfig ? "" : " The setting bridgeGlobalConfig allows another way.";
		return `agy did not connect to pi's tools in this turn and worked without them.${remedy} /agy bridge shows what is offered.`;
	}

	#state(offered: number): string {
		const { guard, settings } = this.#options;
		if (guard.forbids) return "Nothing is offered: this pi was started by agy, or pi runs a tool for agy.";
		const own = settings().toolsRunIn === "pi" ? " agy's own tools are switched off." : "";
		if (offered === 0) return `agy is offered none of pi's tools.${own}`;
		const denied =
			settings().permissions === "deny" ? " With the setting permissions on deny, agy refuses to call them." : "";
		return `agy is offered ${offered} of pi's tools. ${this.#contactWords()}${own}${denied}`;
	}

	#contact(): BridgeReport["contact"] {
		if (this.#last === undefined) return "no turn yet";
		return this.#last.connectedBy === undefined ? "not connected" : "connected";
	}

	#contactWords(): string {
		switch (this.#contact()) {
			case "no turn yet":
				return "It has had no turn yet.";
			case "not connected":
				return "In its last turn it did not connect to them.";
			case "connected":
				return `In its last turn it connected to them (${this.#last?.connectedBy}).`;
		}
	}
}

const resultSchema = z.object({ structuredContent: jsonValueSchema.optional() });
