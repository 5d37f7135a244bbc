import { resolveAlias } from "../../models/alias.ts";
import { changeCheckedSetting } from "../change-setting.ts";
import type { CommandEnvironment } from "../environment.ts";
import { settingNow } from "../setting-now.ts";
import { type SubCommand, type Suggestion, say } from "../sub-command.ts";

const NAMES = ["flash", "pro", "sonnet", "opus", "gpt-oss"];

/** The default of AskAntigravity; pi's own `/model` chooses the session's model. */
export const modelCommand: SubCommand = {
	name: "model",
	usage: "[name]",
	summary: "Show or set the default model of AskAntigravity",
	complete: (words, env) => (words.length === 0 ? suggestions(env) : []),
	async run(words, env) {
		const { catalogue, settings } = env;
		if (words.length === 0) {
			const { defaultModel } = settings.current();
			const found = resolveAlias(catalogue.entries(), defaultModel, undefined, catalogue.isComplete());
			const meaning = "choice" in found ? found.choice.slug : "no model that agy lists";
			return say(
				...settingNow(settings, "defaultModel", `, now ${meaning}`),
				"  AskAntigravity uses it; pi's `/model` chooses the model of this session.",
			);
		}
		return changeCheckedSetting(env, "defaultModel", words.join(" "));
	},
};

/** The names people use that mean something now, then agy's own. */
function suggestions({ catalogue }: CommandEnvironment): Suggestion[] {
	const models = catalogue.entries();
	const names = NAMES.flatMap((word): Suggestion[] => {
		const found = resolveAlias(models, word, undefined, catalogue.isComplete());
		return "choice" in found ? [{ word, meaning: `Now ${found.choice.slug}, the newest of this name.` }] : [];
	});
	return [...names, ...models.map(({ id, name }) => ({ word: id, meaning: name }))];
}
