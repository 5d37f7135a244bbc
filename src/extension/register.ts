import { type ExtensionAPI, type ExtensionContext, parseArgs } from "@earendil-works/pi-coding-agent";
import type { Settings } from "../config/schema.ts";
import type { Failure } from "../engine/failure.ts";
import type { Log } from "../engine/log.ts";
import type { ModelCatalogue } from "../models/catalogue.ts";
import { PROVIDER_ID } from "../models/catalogue-model.ts";
import { createAntigravityProvider } from "../provider/provider.ts";
import { SessionRuns } from "../provider/session-runs.ts";
import { CARD_TOOL } from "../provider/step-card.ts";
import type { TurnCall, TurnParts } from "../provider/turn.ts";
import { OutputFiles } from "../tools/agy-step/output-files.ts";
import { createStepTool } from "../tools/agy-step/tool.ts";
import { afterStart } from "./after-start.ts";
import { lazy, lazyBridge } from "./lazy.ts";
import { PiSession } from "./pi-session.ts";
import type { SharedState } from "./shared-state.ts";

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

/** One call of the extension by pi: what it registered, and the session that belongs to it. */
interface Registration {
	readonly pi: ExtensionAPI;
	readonly parts: AntigravityParts;
	readonly shared: SharedState;
	readonly outputs: OutputFiles;
	/** The runs of calls that carry no living session's id, while there is no session of this registration either. */
	readonly strayRuns: SessionRuns;
	/** From its start to its shutdown. */
	session: PiSession | undefined;
	/** Whether the models are hidden while agy is missing: a person can be told why in pi's interface. */
	hidesWithoutAgy: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How a call of pi is answered; imported with the first one. */
const turns = lazy(() => import("../provider/turn.ts"));

/** Brings the provider and the card tool into one pi session. Called once for each; `shared` is the same for all. */
export function registerAntigravity(pi: ExtensionAPI, parts: AntigravityParts, shared: SharedState): void {
	const registration: Registration = {
		pi,
		parts,
		shared,
		outputs: new OutputFiles(parts.outputsDirectory),
		strayRuns: new SessionRuns(),
		session: undefined,
		hidesWithoutAgy: startsWithInterface(),
	};
	registerProvider(registration);
	registerCardTool(registration);
	// Before the session is followed: at its shutdown, what was still to be loaded is called off first.
	loadInTime(registration);
	followSession(registration);
	followTurns(registration);
}

function registerProvider(registration: Registration): void {
	const { pi, parts } = registration;
	pi.registerProvider(
		createAntigravityProvider({
			catalogue: parts.catalogue,
			findAgyProblem: () => parts.findAgyProblem(),
			hidesWithoutAgy: () => registration.hidesWithoutAgy,
			unexpected: (error) =>
				parts.log.info("turn.unexpected", { cause: error instanceof Error ? error.stack : `${error}` }),
			now: () => parts.clock.now(),
			run: (call) => runCall(registration, call),
		}),
	);
}

/** pi sends its turns with the session's id; summaries and other extensions' questions carry another one or none. */
async function runCall({ parts, shared, session, strayRuns }: Registration, call: TurnCall): Promise<void> {
	const { runTurn, runWordsOnly } = await turns.get();
	const { sessionId } = call.options;
	const owner = sessionId === undefined ? undefined : shared.sessions.get(sessionId);
	if (owner !== undefined) return runTurn(owner.parts, owner.session, call);
	return runWordsOnly(parts, session ?? { cwd: process.cwd(), runs: strayRuns }, call);
}

function registerCardTool(registration: Registration): void {
	const { pi, parts, outputs } = registration;
	pi.registerTool(
		createStepTool({
			card: (id) => registration.session?.runs.card(id),
			recorded: (id) => registration.session?.recordedDetails(id),
			cwd: () => registration.session?.cwd ?? process.cwd(),
			permissions: () => parts.settings().permissions,
			files: outputs,
			clock: parts.clock,
		}),
	);
}

/** Keeps the session from its start to its shutdown. */
function followSession(registration: Registration): void {
	const { pi, parts, shared, strayRuns } = registration;
	pi.on("session_start", async (_event, ctx) => {
		const session = openSession(registration, ctx);
		registration.session = session;
		shared.sessions.set(session.id, { session, parts });
		registration.hidesWithoutAgy = ctx.hasUI;
		await tellWhyModelsAreMissing(parts, ctx);
	});
	pi.on("session_shutdown", async () => {
		const ending = registration.session;
		registration.session = undefined;
		if (ending === undefined) return;
		if (shared.sessions.get(ending.id)?.session === ending) shared.sessions.delete(ending.id);
		await Promise.all([ending.close(), strayRuns.shutDown()]);
		await parts.planner.sessionEnded(ending.id);
		if (shared.sessions.size === 0) await (await shared.bridgeServer.begun)?.close();
	});
}

function openSession({ pi, parts, shared }: Registration, ctx: ExtensionContext): PiSession {
	const { clock, log } = parts;
	const settings = () => parts.settings();
	const bridge = lazy(async () => {
		const { SessionBridge } = await import("../bridge/session-bridge.ts");
		return new SessionBridge({
			server: { open: async (handler) => (await shared.bridgeServer.get()).open(handler) },
			guard: shared.loopGuard,
			settings,
			clock,
			log,
			activeTools: () => pi.getActiveTools(),
		});
	});
	return new PiSession(pi, ctx, { settings, clock, bridge: lazyBridge(bridge), usedUp: shared.usedUp });
}

/** Tells the session what pi does that concerns its runs. */
function followTurns(registration: Registration): void {
	const { pi, parts } = registration;
	pi.on("input", (_event, ctx) => {
		// All that pi itself would say is that an API key is missing.
		if (ctx.model?.provider === PROVIDER_ID) return tellWhyModelsAreMissing(parts, ctx);
	});
	pi.on("turn_start", () => registration.session?.turnStarting());
	pi.on("agent_settled", () => registration.session?.settled());
	pi.on("tool_execution_end", ({ toolName, toolCallId, result }) => {
		const { session } = registration;
		const card = toolName === CARD_TOOL ? session?.runs.card(toolCallId) : undefined;
		if (card?.executed === false) session?.runs.current?.cancel("veto");
		session?.bridge.toolEnded(toolCallId, result);
	});
	pi.on("session_before_compact", (event) => {
		// A compaction between a card and its continuation would change the transcript under the running agy.
		if (event.reason === "threshold" && registration.session?.runs.parked) return { cancel: true };
	});
}

/** Imports what a turn takes once it is likely to be needed, and clears away what is old, both after pi's own start. */
function loadInTime(registration: Registration): void {
	const { pi, parts, outputs } = registration;
	const loadTurn = () => Promise.allSettled([turns.get(), registration.session?.bridge.load(), parts.loadTurn()]);
	afterStart(pi, parts.clock, async (ctx) => {
		void outputs.prune(parts.clock.now() - parts.settings().sessionDays * DAY_MS);
		void parts.planner.prune();
		if (ctx.model?.provider === PROVIDER_ID) await loadTurn();
		else if (ctx.hasUI) await tellMissedModel(parts, ctx);
	});
	pi.on("model_select", ({ model }) => {
		if (model.provider === PROVIDER_ID) void loadTurn();
	});
}

async function tellWhyModelsAreMissing(parts: AntigravityParts, ctx: ExtensionContext): Promise<void> {
	const problem = ctx.hasUI ? parts.findAgyProblem() : undefined;
	if (problem === undefined) return;
	const { failureText } = await import("../provider/failure-text.ts");
	ctx.ui.notify(failureText(problem, false, parts.clock.now()), "warning");
}

async function tellMissedModel(parts: AntigravityParts, ctx: ExtensionContext): Promise<void> {
	if (parts.findAgyProblem() !== undefined) return;
	const { missedModelText, modelChoice } = await import("./missed-model.ts");
	const known = parts.catalogue.models().map(({ id }) => id);
	const text = missedModelText(modelChoice(ctx, known));
	if (text === undefined) return;
	parts.log.info("model.missed", { current: ctx.model?.provider });
	ctx.ui.notify(text, "warning");
}

/** Whether pi is going to have an interface, before its first session says so. Follows pi's own choice of mode. */
function startsWithInterface(): boolean {
	const { mode, print } = parseArgs(process.argv.slice(2));
	if (mode !== undefined && mode !== "text") return mode === "rpc";
	return !print && process.stdin.isTTY === true && process.stdout.isTTY === true;
}
