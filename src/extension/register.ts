import { type ExtensionAPI, type ExtensionContext, parseArgs } from "@earendil-works/pi-coding-agent";
import { LoopGuard } from "../bridge/loop-guard.ts";
import type { SessionBridgeOptions } from "../bridge/session-bridge.ts";
import type { Settings } from "../config/schema.ts";
import { systemClock } from "../engine/clock.ts";
import type { Failure } from "../engine/failure.ts";
import type { Log } from "../engine/log.ts";
import type { ModelCatalogue } from "../models/catalogue.ts";
import { PROVIDER_ID } from "../models/catalogue-model.ts";
import { failureText } from "../provider/failure-text.ts";
import { createAntigravityProvider } from "../provider/provider.ts";
import { SessionRuns } from "../provider/session-runs.ts";
import { CARD_TOOL } from "../provider/step-card.ts";
import type { TurnCall, TurnParts } from "../provider/turn.ts";
import { OutputFiles } from "../tools/agy-step/output-files.ts";
import { createStepTool } from "../tools/agy-step/tool.ts";
import { afterStart } from "./after-start.ts";
import { late, lateBridge } from "./late.ts";
import { PiSession } from "./pi-session.ts";

export interface AntigravityParts extends TurnParts {
	readonly catalogue: Pick<ModelCatalogue, "learn" | "models" | "resolve" | "restore" | "refresh">;
	readonly log: Log;
	settings(): Settings;
	/** Why agy cannot be used at all: cheap to ask, undefined when its binary is there. */
	findAgyProblem(): Failure | undefined;
	/** Imports what a turn takes, so that the first one finds it there. Never rejects. */
	loadTurn(): Promise<void>;
	/** Where outputs too long for a card are kept. */
	readonly outputsDirectory: string;
}

/**
 * The sessions of this process by their id, each with its own parts. Sessions that share a model runtime share the provider
 * that was registered last, so a call has to find its session by the id it carries.
 */
const sessions = new Map<string, { readonly session: PiSession; readonly parts: TurnParts }>();

/** How a call of pi is answered. */
const turns = late(() => import("../provider/turn.ts"));

/** One server offers pi's tools to agy, and what runs on agy's behalf is counted in one place. */
const bridgeServer = late(async () => {
	const { BridgeServer } = await import("../bridge/server.ts");
	return new BridgeServer(systemClock);
});
const server: SessionBridgeOptions["server"] = {
	open: async (handler) => (await bridgeServer.get()).open(handler),
};
const loopGuard = new LoopGuard(process.env);

/** The session of this process that has this id, while it lives. */
export function sessionOf(id: string): PiSession | undefined {
	return sessions.get(id)?.session;
}

/** Brings the provider and the card tool into one pi session. Called once for each; all state lives in the closure. */
export function registerAntigravity(pi: ExtensionAPI, parts: AntigravityParts): void {
	const { clock, planner } = parts;
	const files = new OutputFiles(parts.outputsDirectory);
	const orphanRuns = new SessionRuns();
	let session: PiSession | undefined;
	let hidesWithoutAgy = startsWithInterface();

	pi.registerProvider(
		createAntigravityProvider({
			catalogue: parts.catalogue,
			findAgyProblem: () => parts.findAgyProblem(),
			hidesWithoutAgy: () => hidesWithoutAgy,
			unexpected: (error) =>
				parts.log.info("turn.unexpected", { cause: error instanceof Error ? error.stack : `${error}` }),
			now: () => clock.now(),
			run: (call) => runCall(parts, call, session ?? { cwd: process.cwd(), runs: orphanRuns }),
		}),
	);
	pi.registerTool(
		createStepTool({
			card: (id) => session?.runs.card(id),
			recorded: (id) => session?.recordedDetails(id),
			cwd: () => session?.cwd ?? process.cwd(),
			permissions: () => parts.settings().permissions,
			files,
			clock,
		}),
	);

	pi.on("session_start", async (_event, ctx) => {
		const settings = () => parts.settings();
		const activeTools = () => pi.getActiveTools();
		const { log } = parts;
		const bridge = late(async () => {
			const { SessionBridge } = await import("../bridge/session-bridge.ts");
			return new SessionBridge({ server, guard: loopGuard, settings, clock, log, activeTools });
		});
		session = new PiSession(pi, ctx, settings, clock, lateBridge(bridge));
		sessions.set(session.id, { session, parts });
		hidesWithoutAgy = ctx.hasUI;
		tellWhyModelsAreMissing(parts, ctx);
	});
	const loadTurn = () => Promise.allSettled([turns.get(), session?.bridge.bridge.get(), parts.loadTurn()]);
	afterStart(pi, clock, ({ model }) => {
		if (model?.provider === PROVIDER_ID) void loadTurn();
		void files.prune(clock.now() - parts.settings().sessionDays * DAY_MS);
		void planner.prune();
	});
	pi.on("input", (_event, ctx) => {
		// All that pi itself would say is that an API key is missing.
		if (ctx.model?.provider === PROVIDER_ID) tellWhyModelsAreMissing(parts, ctx);
	});
	pi.on("model_select", ({ model }) => {
		if (model.provider === PROVIDER_ID) void loadTurn();
	});
	pi.on("turn_start", () => session?.turnStarting());
	pi.on("agent_settled", () => session?.settled());
	pi.on("tool_execution_end", (event) => {
		const card = event.toolName === CARD_TOOL ? session?.runs.card(event.toolCallId) : undefined;
		if (card?.executed === false) session?.runs.current?.cancel("veto");
		session?.bridge.toolEnded(event.toolCallId, event.result);
	});
	pi.on("session_before_compact", (event) => {
		// A compaction between a card and its continuation would change the transcript under the running agy.
		if (event.reason === "threshold" && session?.runs.parked) return { cancel: true };
	});
	pi.on("session_shutdown", async () => {
		const ending = session;
		session = undefined;
		if (ending === undefined) return;
		if (sessions.get(ending.id)?.session === ending) sessions.delete(ending.id);
		await Promise.all([ending.close(), orphanRuns.shutDown()]);
		await planner.sessionEnded(ending.id);
		if (sessions.size === 0) await (await bridgeServer.begun)?.close();
	});
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** pi sends its turns with the session's id; summaries and other extensions' questions carry another one or none. */
async function runCall(parts: TurnParts, call: TurnCall, fallback: { cwd: string; runs: SessionRuns }): Promise<void> {
	const { runTurn, runWordsOnly } = await turns.get();
	const owner = call.options.sessionId === undefined ? undefined : sessions.get(call.options.sessionId);
	return owner === undefined ? runWordsOnly(parts, fallback, call) : runTurn(owner.parts, owner.session, call);
}

function tellWhyModelsAreMissing(parts: AntigravityParts, ctx: ExtensionContext): void {
	const problem = ctx.hasUI ? parts.findAgyProblem() : undefined;
	if (problem !== undefined) ctx.ui.notify(failureText(problem, false, parts.clock.now()), "warning");
}

/** Whether pi is going to have an interface, before its first session says so. Follows pi's own choice of mode. */
function startsWithInterface(): boolean {
	const { mode, print } = parseArgs(process.argv.slice(2));
	if (mode !== undefined && mode !== "text") return mode === "rpc";
	return !print && process.stdin.isTTY === true && process.stdout.isTTY === true;
}
