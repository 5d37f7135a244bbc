import { getCurrentTools, type Tool, type TranscriptContext } from "@earendil-works/pi-ai";
import { z } from "zod/v3";
import type { Settings } from "../config/schema.ts";
import type { Clock } from "../engine/clock.ts";
import type { Engine, RunRequest } from "../engine/engine.ts";
import { jsonValueSchema } from "../engine/json.ts";
import type { Log } from "../engine/log.ts";
import { messageOf } from "../engine/thrown.ts";
import { withLateResults } from "./late-results.ts";
import { BridgeLoan } from "./loan.ts";
import type { LoopGuard } from "./loop-guard.ts";
import { type LeftOut, selectTools } from "./offer.ts";
import type { PiCall } from "./parked-calls.ts";
import type { BridgeServer } from "./server.ts";
import { type Trial, type TrialRun, tryBridge } from "./trial.ts";

export interface SessionBridgeOptions {
	readonly server: Pick<BridgeServer, "admit">;
	readonly guard: LoopGuard;
	readonly settings: () => Settings;
	readonly clock: Clock;
	readonly log: Log;
	/** The names of pi's active tools, as they are at the moment. */
	readonly activeTools: () => readonly string[];
}

/** A run's request with what the bridge adds to it. */
export interface EquippedRequest {
	readonly request: RunRequest;
	/** Absent when nothing is lent. */
	readonly loan?: BridgeLoan;
}

export interface BridgeReport {
	/** One or two sentences: what is offered, and whether agy came for it. */
	readonly state: string;
	readonly tools: readonly string[];
	readonly leftOut: readonly LeftOut[];
	/** Whether agy came for the tools in the session's last turn. */
	readonly contact: "no turn yet" | "connected" | "not connected";
}

/** The bridge of one pi session: lends its tools to each run of its turns. */
export class SessionBridge {
	readonly #options: SessionBridgeOptions;
	/** Whose calls may still get results. */
	readonly #loans = new Set<BridgeLoan>();
	#last: BridgeLoan | undefined;
	#saidUnreached = false;

	constructor(options: SessionBridgeOptions) {
		this.#options = options;
	}

	/**
	 * Adds to a turn's request what agy needs to call pi's tools, and what it missed of earlier calls. Never rejects: without a
	 * bridge the turn goes on.
	 */
	async equip(request: RunRequest, { messages }: TranscriptContext): Promise<EquippedRequest> {
		const { settings, log } = this.#options;
		const missed = this.#takeMissed();
		const equipped: RunRequest = {
			...request,
			prompt: withLateResults(request.prompt, missed, messages),
			...(settings().toolsRunIn === "pi" && { ownTools: "off" as const }),
		};
		const { offered } = selectTools(getCurrentTools(messages), settings());
		if (offered.length === 0 || this.#options.guard.forbids) return { request: equipped };
		try {
			return await this.#lend(equipped, offered);
		} catch (error) {
			log.info("bridge.failed", { cause: messageOf(error) });
			return { request: equipped };
		}
	}

	/** A tool of pi has ended; `result` is pi's own result of it. */
	toolEnded(id: string, result: unknown): void {
		const parsed = resultSchema.safeParse(result);
		for (const loan of this.#loans) loan.toolEnded(id, parsed.success ? parsed.data.structuredContent : undefined);
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
	 * Whether agy, started with `run`, comes for the tools; undefined when it would be offered none, and nothing is started
	 * then. Rejects as `tryBridge`.
	 */
	async tryOut(engine: Engine, run: TrialRun): Promise<Trial | undefined> {
		if (this.report().tools.length === 0) return undefined;
		const { server, clock } = this.#options;
		return tryBridge({ server, engine, clock, ...run });
	}

	/** The session is over. */
	close(): void {
		for (const loan of this.#loans) loan.forget();
		this.#loans.clear();
	}

	async #lend(request: RunRequest, tools: readonly Tool[]): Promise<EquippedRequest> {
		const { server, guard, settings, clock, activeTools } = this.#options;
		const loan = new BridgeLoan({
			tools,
			clock,
			answerAfterMs: settings().bridgeAnswerSeconds * 1000,
			guard,
			isActive: (name) => activeTools().includes(name),
			unreachedRemark: () => this.#unreachedRemark(),
		});
		const berth = await server.admit(loan);
		this.#last = loan;
		this.#loans.add(loan);
		return { request: { ...request, toolServer: loan.toolServer(berth) }, loan };
	}

	/** Calls whose results came too late for the run that had asked for them. Each is handed over once. */
	#takeMissed(): readonly PiCall[] {
		const calls = [...this.#loans].flatMap((loan) => loan.unseen());
		this.close();
		return calls;
	}

	#unreachedRemark(): string | undefined {
		if (this.#saidUnreached) return undefined;
		this.#saidUnreached = true;
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
		return this.#last.reached === undefined ? "not connected" : "connected";
	}

	#contactWords(): string {
		switch (this.#contact()) {
			case "no turn yet":
				return "It has had no turn yet.";
			case "not connected":
				return "In its last turn it did not connect to them.";
			case "connected":
				return `In its last turn it connected to them (${this.#last?.reached}).`;
		}
	}
}

const resultSchema = z.object({ structuredContent: jsonValueSchema.optional() });
