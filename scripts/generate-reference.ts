// Writes docs/reference.md from the code: `node scripts/generate-reference.ts`. A test holds the file against this.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { subCommands } from "../src/command/table.ts";
import { settingDescription, settingKind } from "../src/config/choices.ts";
import { environmentName } from "../src/config/environment.ts";
import { defaultSettings, type SettingName, settingNames } from "../src/config/schema.ts";

export const REFERENCE_PATH = fileURLToPath(new URL("../docs/reference.md", import.meta.url));

/** Everything this extension writes. */
const FILES: readonly (readonly [string, string])[] = [
	[
		"`antigravity/config.json`",
		"The settings above. Written by `/agy`; may be edited at any time, also while pi runs.",
	],
	["`antigravity/config.json.invalid`", "A settings file that was no JSON object when a setting had to be saved."],
	["`antigravity/models.json`", "agy's models as last asked for, with the time and agy's version. May be deleted."],
	[
		"`antigravity/logs/agy-<day>.log`",
		"One JSON object a line. Put aside as `….1.log` beyond 5 MiB; removed after a week. Tokens, keys and the name of the home folder are taken out.",
	],
	["`antigravity/sessions/<session>.json`", "Which agy conversations a pi session used. Removed after `sessionDays`."],
	["`antigravity/delegations/`", "Which conversations AskAntigravity can continue. Removed after `sessionDays`."],
	[
		"`antigravity/outputs/`",
		"Outputs of agy's tools, and answers to AskAntigravity, that are too long for a card. Removed after `sessionDays`.",
	],
	[
		"`antigravity/mcp-registrations.json`",
		"Where each version of agy reads the registration of pi's tools. May be deleted.",
	],
	[
		"`antigravity/locks/`, `antigravity/runs/`, `antigravity/mcp-entries/`",
		"Which agy processes run now and what stands in agy's shared MCP file, so that a crash leaves nothing behind.",
	],
	[
		"`pi-antigravity-<process>-…` among the system's temporary files",
		"What one run needs: long prompts, images, the registration of pi's tools. Removed with the run, after a crash by the next pi.",
	],
	[
		"`~/.gemini/config/mcp_config.json`, agy's own",
		"One entry while agy runs, and only with `bridgeGlobalConfig`; the rest of the file stays as it is.",
	],
];

/** Variables that are not settings. */
const VARIABLES: readonly (readonly [string, string])[] = [
	["`PI_CODING_AGENT_DIR`", "pi's own: where its agent folder is, and so the files above."],
	["`PI_OFFLINE`", "pi's own: models are not refreshed by themselves. `/agy models refresh` still asks agy."],
	["`AGY_CLI_DISABLE_AUTO_UPDATE`", "agy's own; set to `true` for every agy that is started here."],
	["`AGY_GATEWAY_URL`, `CLOUD_CODE_URL`", "agy's own: send prompts to another host. `/agy doctor` warns of them."],
	["`AGY_CLI_*`, `AGY_ADC_AUTH`, `AGY_ENABLE_HUB`", "agy's own; not read here."],
	[
		"`PI_ANTIGRAVITY_RUN`, `PI_ANTIGRAVITY_BRIDGED_CALL`, `PI_ANTIGRAVITY_TOOLS`",
		"Set by this extension for what it starts: whose process it is, that agy must not call agy, where pi's tools are.",
	],
];

/** The whole of docs/reference.md. */
export function renderReference(): string {
	return `${[
		"# Reference",
		"<!-- Made by `node scripts/generate-reference.ts` from the code; do not edit. -->",
		"## Commands",
		"`/agy` alone opens the settings in pi's interface; in `pi -p`, JSON and RPC mode it is `/agy status`. The sub-commands work in every mode: " +
			"in `pi -p` they print to stdout, in JSON mode they are an `entry_appended` event, in RPC mode a `notify` request. Changes take effect on the next turn.",
		table(
			["command", "what it does"],
			subCommands.map(({ name, usage, summary }) => [`\`${`/agy ${name} ${usage}`.trimEnd()}\``, `${summary}.`]),
		),
		"`/agy quota` is the only thing that asks Google for the quota, and only when it is typed: people report that Google objects to programs " +
			"that poll it. An answer is kept for five minutes. It needs agy 1.1.11.",
		"The first antigravity turn or delegation in pi's interface asks once what agy may do without asking, and saves the answer as `permissions`; " +
			"left without an answer, it starts no agy. The other modes never ask; the setting holds there.",
		"`/agy bridge test` and `/agy doctor --verbose` start agy to see whether it connects to pi's tools. It is ended as soon as it does; where it does " +
			"not, it answers one word with the smallest model. Nothing else of `/agy` asks a model anything.",
		"## Models",
		"pi lists one model for each of agy's that differ only by effort; its thinking levels are the tiers that exist. Claude and GPT-OSS have no " +
			"levels. An exact slug of agy (`gemini-3.8-flash-high`) is accepted as a model id as well; pi then warns that it is not found and used as a " +
			"custom model id, and it works. The context window shown is at most 200,000 tokens, " +
			"because agy folds a conversation at about 150,000 itself; `modelOverrides` in pi's `models.json` can change it.",
		"`defaultModel` and AskAntigravity also take names: `flash`, `pro`, `gemini`, `sonnet`, `opus`, `gpt-oss`, with a version and a tier if you " +
			"like (`flash high`, `3.7 flash`). Without a version the newest one is meant.",
		"## Settings",
		"In `antigravity/config.json` below pi's agent folder, as one JSON object. A variable wins over the file. What cannot be used is left out and " +
			"named by `/agy doctor`; the rest counts, also the rest of a list. In a variable, switches are `on` or `off` (also `1`, `true`, `yes`), lists are separated by commas.",
		table(["setting", "values", "default", "variable", "meaning"], settingNames.map(settingRow)),
		"## Other variables",
		table(["variable", "meaning"], VARIABLES),
		"## Files",
		"`antigravity/` lies in pi's agent folder (`PI_CODING_AGENT_DIR`, else `~/.pi/agent`); everything is readable by the user alone. agy keeps its own files " +
			"under `~/.gemini`; of those this extension reads conversations, `settings.json` and `hooks.json`, never a token.",
		table(["file", "content"], FILES),
	].join("\n\n")}\n`;
}

function settingRow(name: SettingName): string[] {
	const special = name === "permissions" ? " As a variable also a switch: `on` is `skip`, `off` is `deny`." : "";
	return [
		`\`${name}\``,
		valuesOf(name),
		defaultOf(name),
		`\`${environmentName(name)}\``,
		`${settingDescription(name)}${special}`,
	];
}

function valuesOf(name: SettingName): string {
	const taken = settingKind(name);
	if (taken.kind === "choice") return taken.values.map((value) => `\`${value}\``).join(", ");
	return taken.kind === "switch" ? "`true`, `false`" : taken.kind;
}

function defaultOf(name: SettingName): string {
	const value = defaultSettings[name];
	return value === undefined ? "" : `\`${JSON.stringify(value)}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
	return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) writeFileSync(REFERENCE_PATH, renderReference());
