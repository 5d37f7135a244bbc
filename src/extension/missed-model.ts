import { type ExtensionContext, getAgentDir, parseArgs, SettingsManager } from "@earendil-works/pi-coding-agent";
import { PROVIDER_ID } from "../models/catalogue-model.ts";

interface ModelName {
	readonly provider: string;
	readonly id: string;
}

/** What pi chose a session's model from. */
export interface ModelChoice {
	readonly current: ModelName | undefined;
	/** The model was named on the command line, or belongs to a scope: then it is what the user wants. */
	readonly isFixed: boolean;
	/** The model a resumed session had last. */
	readonly last: ModelName | undefined;
	/** The default in pi's settings. */
	readonly preferred: ModelName | undefined;
	/** The ids of the antigravity models there are. */
	readonly known: readonly string[];
}

/**
 * Pure: what to tell a person whose session began with another model than it should have. While an extension's provider is
 * new, pi takes stock of the models several times at once, waits for one of these rounds, and keeps the result of another
 * (pi 1.6.0; about one start in six): then it chooses as if agy's models were not there. What stands in pi's `auth.json` is
 * exempt from that, hence the remedy. Undefined when nothing was missed.
 */
export function missedModelText({ current, isFixed, last, preferred, known }: ModelChoice): string | undefined {
	if (isFixed || current?.provider === PROVIDER_ID || known.length === 0) return undefined;
	const wanted = last ?? preferred;
	const isMissed = wanted === undefined ? current === undefined : isOurs(wanted, known);
	if (!isMissed) return undefined;
	const began = current === undefined ? "without a model" : `with ${current.provider}/${current.id}`;
	const name = wanted === undefined ? "one" : `${wanted.provider}/${wanted.id}`;
	return `pi began ${began}, because it looked before agy's models were there. Pick ${name} with /model; \`/login antigravity\`, once, keeps this from happening again.`;
}

function isOurs({ provider, id }: ModelName, known: readonly string[]): boolean {
	return provider === PROVIDER_ID && known.includes(id);
}

/** Looks up what pi chose the session's model from. `known` as in `ModelChoice`. */
export function modelChoice(ctx: ExtensionContext, known: readonly string[]): ModelChoice {
	const { model, provider, models } = parseArgs(process.argv.slice(2));
	const settings = SettingsManager.create(ctx.cwd, getAgentDir(), { projectTrusted: ctx.isProjectTrusted() });
	const preferred = named(settings.getDefaultProvider(), settings.getDefaultModel());
	return {
		current: named(ctx.model?.provider, ctx.model?.id),
		isFixed: model !== undefined || provider !== undefined || models !== undefined || ctx.scopedModels.length > 0,
		last: lastModel(ctx),
		preferred,
		known,
	};
}

function named(provider: string | undefined, id: string | undefined): ModelName | undefined {
	return provider === undefined || id === undefined ? undefined : { provider, id };
}

/** By pi's own rule for a session that is resumed: the last choice or answer in it. A session without messages has none. */
function lastModel({ sessionManager }: ExtensionContext): ModelName | undefined {
	const branch = sessionManager.getBranch();
	if (!branch.some((entry) => entry.type === "message")) return undefined;
	for (const entry of branch.toReversed()) {
		if (entry.type === "model_change") return { provider: entry.provider, id: entry.modelId };
		if (entry.type === "message" && entry.message.role === "assistant") {
			return { provider: entry.message.provider, id: entry.message.model };
		}
	}
	return undefined;
}
