import type { CatalogueSource } from "../../models/catalogue.ts";
import type { CatalogueModel } from "../../models/catalogue-model.ts";
import { formatAge } from "../../words/duration.ts";
import { describeAskFailure } from "../ask-failure-words.ts";
import type { CommandEnvironment } from "../environment.ts";
import { misused, type Reply, type SubCommand, say } from "../sub-command.ts";

const usage = "[refresh]";

export const modelsCommand: SubCommand = {
	name: "models",
	usage,
	summary: "List the models agy offers, or ask agy for them again",
	complete: (words) => (words.length === 0 ? [{ word: "refresh", meaning: "Asks agy for its models again." }] : []),
	async run(words, env, progress) {
		if (words.length === 0) return say(...list(env));
		if (words.length > 1 || words[0] !== "refresh") return misused({ name: "models", usage });
		progress("Asking agy for its models…");
		return refresh(env);
	},
};

async function refresh(env: CommandEnvironment): Promise<Reply> {
	const outcome = await env.catalogue.refresh({ force: true });
	if (outcome.kind === "failed") {
		const { problem, remedy } = describeAskFailure(outcome.failure);
		return { level: "error", lines: [`${problem} ${remedy}`, "The list stays as it was:", ...list(env)] };
	}
	await env.publishModels();
	const changes = outcome.kind === "updated" ? outcome : { added: [], removed: [] };
	const news = [
		...(changes.added.length > 0 ? [`New: ${changes.added.join(", ")}`] : []),
		...(changes.removed.length > 0 ? [`Gone: ${changes.removed.join(", ")}`] : []),
	];
	return say(...(news.length > 0 ? news : ["Nothing changed."]), ...list(env));
}

function list(env: CommandEnvironment): string[] {
	const models = env.catalogue.entries();
	const width = Math.max(...models.map((model) => model.id.length));
	return [
		`${models.length} ${models.length === 1 ? "model" : "models"}, ${describeSource(env.catalogue.source(), env.clock.now())}:`,
		...models.map((model) => `  ${model.id.padEnd(width)}  ${model.name}${tiersOf(model)}`),
	];
}

function tiersOf(model: CatalogueModel): string {
	return model.tiers.length === 0 ? "" : ` (thinking: ${model.tiers.map((tier) => tier.effort).join(", ")})`;
}

/** Where the list is from and how old it is, in words that follow "models, ". */
export function describeSource({ from, at, agyVersion }: CatalogueSource, now: number): string {
	if (from === "built-in" || at === undefined) return "built in (agy has not listed its own yet)";
	const version = agyVersion === undefined ? "agy" : `agy ${agyVersion}`;
	return `as ${version} listed them ${formatAge(now - at)}`;
}
