import type { SettingName, Settings } from "../../config/schema.ts";
import { changeSetting } from "../change-setting.ts";
import { settingNow } from "../setting-now.ts";
import { misused, type SubCommand, type Suggestion, say } from "../sub-command.ts";

/** What each value of a setting means, in the order in which people see them. */
type Meanings<Name extends SettingName> = Readonly<Record<Settings[Name] & string, string>>;

/** A sub-command that shows a setting with few values, or changes it. `summary`: what the setting is, after "Show or set". */
function choice<Name extends SettingName>(
	name: string,
	setting: Name,
	summary: string,
	meanings: Meanings<Name>,
): SubCommand {
	const values: Suggestion[] = Object.entries<string>(meanings).map(([word, meaning]) => ({ word, meaning }));
	const usage = `[${values.map(({ word }) => word).join("|")}]`;
	return {
		name,
		usage,
		summary: `Show or set ${summary}`,
		complete: (words) => (words.length === 0 ? values : []),
		async run(words, { settings }) {
			const [value, ...rest] = words;
			if (value === undefined) {
				return say(...settingNow(settings, setting), ...values.map(({ word, meaning }) => `  ${word}: ${meaning}`));
			}
			if (rest.length > 0 || !values.some(({ word }) => word === value)) return misused({ name, usage });
			return changeSetting(settings, setting, value);
		},
	};
}

export const modeCommand = choice("mode", "mode", "agy's mode", {
	plan: "agy makes a plan first. It is not a sandbox: agy can still write.",
	"accept-edits": "agy works straight away.",
});

export const permissionsCommand = choice("permissions", "permissions", "what agy may do without asking", {
	skip: "agy runs commands and edits files without asking, like pi's own tools.",
	deny: "agy refuses what needs permission, and each refusal is shown.",
});

export const displayCommand = choice("display", "display", "how agy's own tools are shown", {
	cards: "each tool as a card of pi.",
	inline: "each tool as a line in a thinking block.",
	off: "not at all.",
});

export const thinkingCommand = choice("thinking", "defaultThinking", "the default thinking level of AskAntigravity", {
	low: "fastest.",
	medium: "the default.",
	high: "most thorough.",
});
