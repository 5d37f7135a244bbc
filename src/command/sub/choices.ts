import type { SettingName } from "../../config/schema.ts";
import { changeSetting, showValue } from "../change-setting.ts";
import { misused, type SubCommand, say } from "../sub-command.ts";

interface ChoiceOptions {
	readonly name: string;
	readonly setting: SettingName;
	readonly values: readonly string[];
	readonly summary: string;
	/** Says what a value means. */
	readonly meaning: Readonly<Record<string, string>>;
}

/** A sub-command that shows a setting with few values, or changes it. */
function choice({ name, setting, values, summary, meaning }: ChoiceOptions): SubCommand {
	const usage = `[${values.join("|")}]`;
	return {
		name,
		usage,
		summary,
		complete: (words) => (words.length === 0 ? values : []),
		async run(words, env) {
			const [value, ...rest] = words;
			if (value === undefined) {
				const current = showValue(env.settings.current()[setting]);
				const lines = values.map((entry) => `  ${entry}: ${meaning[entry] ?? ""}`);
				return say(`${setting} is ${current} (from: ${env.settings.origin(setting)}).`, ...lines);
			}
			if (rest.length > 0 || !values.includes(value)) return misused({ name, usage });
			return changeSetting(env.settings, setting, value);
		},
	};
}

export const modeCommand = choice({
	name: "mode",
	setting: "mode",
	values: ["plan", "accept-edits"],
	summary: "Show or set agy's mode",
	meaning: {
		plan: "agy makes a plan first. It is not a sandbox: agy can still write.",
		"accept-edits": "agy works straight away.",
	},
});

export const permissionsCommand = choice({
	name: "permissions",
	setting: "permissions",
	values: ["skip", "deny"],
	summary: "Show or set what agy may do without asking",
	meaning: {
		skip: "agy runs commands and edits files without asking, like pi's own tools.",
		deny: "agy refuses what needs permission, and each refusal is shown.",
	},
});

export const displayCommand = choice({
	name: "display",
	setting: "display",
	values: ["cards", "inline", "off"],
	summary: "Show or set how agy's own tools are shown",
	meaning: {
		cards: "each tool as a card of pi.",
		inline: "each tool as a line in a thinking block.",
		off: "not at all.",
	},
});

export const thinkingCommand = choice({
	name: "thinking",
	setting: "defaultThinking",
	values: ["low", "medium", "high"],
	summary: "Show or set the default thinking level of AskAntigravity",
	meaning: { low: "fastest.", medium: "the default.", high: "most thorough." },
});
