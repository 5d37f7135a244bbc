import {
	buildSessionContext,
	convertToLlm,
	type ExtensionAPI,
	type ExtensionContext,
	VERSION,
} from "@earendil-works/pi-coding-agent";
import type { CommandEnvironment } from "../command/environment.ts";
import { createQuotaReader } from "../quota/quota-reader.ts";
import type { IdleParts } from "../run/binding/idle-conversation.ts";
import { systemOpenFiles } from "../run/process/open-files.ts";
import { runFolders } from "../run/run-context.ts";
import { delegationsFolder, EarlierDelegations } from "../tools/ask-antigravity/earlier.ts";
import { createConversationControl } from "./conversation-control.ts";
import { lastTurn } from "./last-turn.ts";
import type { RealParts } from "./parts.ts";
import { familyOf, publishModels } from "./pi-models.ts";
import { createProbes } from "./probes.ts";
import type { SharedState } from "./shared-state.ts";

/** An agy that has answered is mostly gone by then, in milliseconds. */
const EXIT_MS = 2_000;

/** What `/agy` works on in one session of pi. */
export async function createCommandEnvironment(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	parts: RealParts,
	shared: SharedState,
): Promise<CommandEnvironment> {
	const { catalogue, clock, engine, log, paths, settingsSource, table } = parts;
	const store = await parts.store.get();
	const agy = await parts.agy.get();
	const { locks } = runFolders(parts.agentDir);
	const idle = (): IdleParts => ({
		folder: agy.folders().conversations,
		locks,
		table,
		openFiles: systemOpenFiles(),
		clock,
		waitMs: EXIT_MS,
	});
	const id = ctx.sessionManager.getSessionId();
	const session = () => shared.sessions.get(id)?.session;
	const bridge = await session()?.bridge.load();
	return {
		settings: settingsSource,
		catalogue,
		publishModels: () => publishModels(ctx),
		quota: createQuotaReader(agy.command, clock, shared.quotaMemory),
		conversation: createConversationControl(
			{
				id,
				cwd: ctx.cwd,
				isWorking: () => session()?.isWorking ?? false,
				messages() {
					const { sessionManager } = ctx;
					return convertToLlm(buildSessionContext(sessionManager.getEntries(), sessionManager.getLeafId()).messages);
				},
				family: () => familyOf(ctx.model, catalogue) ?? "",
			},
			{ store, delegations: new EarlierDelegations(delegationsFolder(paths.root)), clock, idle },
		),
		probes: createProbes(pi, ctx, { ...parts, agy, idle, bridge }),
		clock,
		logPath: () => log.path(),
		dataDirectory: paths.root,
		piVersion: VERSION,
		engineName: engine.name,
		lastTurn() {
			const end = session()?.lastEnd;
			return end && lastTurn(end);
		},
		bridgeStatus: () =>
			bridge?.report() ?? {
				state: "No session has started.",
				tools: [],
				leftOut: [],
				contact: "no turn yet",
			},
	};
}
