import {
	buildSessionContext,
	convertToLlm,
	type ExtensionAPI,
	type ExtensionContext,
	VERSION,
} from "@earendil-works/pi-coding-agent";
import type { CommandEnvironment } from "../command/environment.ts";
import type { ModelCatalogue } from "../models/catalogue.ts";
import { PROVIDER_ID } from "../models/catalogue-model.ts";
import { createQuotaReader } from "../quota/quota-reader.ts";
import { createConversationControl } from "./conversation-control.ts";
import type { RealParts } from "./parts.ts";
import { createProbes } from "./probes.ts";
import { sessionOf } from "./register.ts";

/** What `/agy` works on in one session of pi. */
export function createCommandEnvironment(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	parts: RealParts,
): CommandEnvironment {
	const { agy, catalogue, clock, engine, log, paths, settingsSource } = parts;
	const id = ctx.sessionManager.getSessionId();
	const session = () => sessionOf(id);
	return {
		settings: settingsSource,
		catalogue,
		publishModels: () => publishModels(ctx),
		quota: createQuotaReader(agy.command, clock),
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
			parts,
		),
		probes: createProbes(pi, ctx, parts),
		clock,
		logPath: () => log.path(),
		dataDirectory: paths.root,
		piVersion: VERSION,
		engineName: engine.name,
		lastTurn: () => session()?.lastTurn,
		bridgeStatus: () => session()?.bridge.report() ?? { state: "No session has started.", tools: [], leftOut: [] },
	};
}

/** Lets pi look at the catalogue again. Never rejects: a session that has ended needs no models. */
export async function publishModels(ctx: Pick<ExtensionContext, "modelRegistry">): Promise<void> {
	try {
		await ctx.modelRegistry.refresh({ allowNetwork: false, providers: [PROVIDER_ID] });
	} catch {
		// The next question of pi's finds the list.
	}
}

/** The family of a model that pi has selected; undefined for a model that is not agy's. */
export function familyOf(
	model: ExtensionContext["model"],
	catalogue: Pick<ModelCatalogue, "resolve">,
): string | undefined {
	if (model?.provider !== PROVIDER_ID) return undefined;
	const found = catalogue.resolve(model.id, undefined);
	return "unknown" in found ? undefined : found.family;
}
