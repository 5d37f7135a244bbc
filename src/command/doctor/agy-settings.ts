import { z } from "zod/v3";
import { parseJson } from "../../engine/json.ts";
import { type Check, ok, warning } from "./check.ts";

const NAME = "agy's settings";

const rules = z.array(z.string()).catch([]);
const settingsShape = z
	.object({
		permissions: z
			.object({ allow: rules.optional(), ask: rules.optional(), deny: rules.optional() })
			.optional()
			.catch(undefined),
		enableTerminalSandbox: z.unknown().optional(),
	})
	.passthrough();

/** Keys that people put at the top of the file, where agy does not look. */
const MISPLACED = ["allow", "ask", "deny"];

/** Keys that have no effect on `agy -p`, and what to use. */
const POINTLESS: Readonly<Record<string, string>> = {
	autoExecutionPolicy: "it has no effect when agy runs without its own screen; use `/agy permissions`",
	allowAutoRunCommands: "it has no effect when agy runs without its own screen; use `/agy permissions`",
	sandboxAllowNetwork: "agy has no such key",
};

/**
 * Looks for mistakes in agy's `settings.json` that its users report again and again. `text` is undefined where the file does not
 * exist.
 */
export function checkAgySettings(path: string, text: string | undefined, permissions: "skip" | "deny"): Check[] {
	if (text === undefined) return [ok(NAME, "none, so agy's defaults count")];
	const settings = settingsShape.safeParse(parseJson(text)).data;
	if (settings === undefined) return [warning(NAME, `${path} is not a JSON object`, "Correct it, or move it away.")];
	const found = [
		...misplacedRules(settings),
		...pointlessKeys(settings),
		...unreliableRules(settings.permissions?.allow ?? []),
		...sandboxPromise(settings.enableTerminalSandbox === true && permissions === "skip"),
	];
	return found.length === 0
		? [ok(NAME, "no known mistake", [path])]
		: found.map((check) => ({ ...check, details: [path] }));
}

function misplacedRules(settings: Readonly<Record<string, unknown>>): Check[] {
	const keys = MISPLACED.filter((key) => key in settings);
	if (keys.length === 0) return [];
	return [warning(NAME, `${keys.join(", ")} at the top of the file is ignored`, `Move it into "permissions".`)];
}

function pointlessKeys(settings: Readonly<Record<string, unknown>>): Check[] {
	return Object.entries(POINTLESS)
		.filter(([key]) => key in settings)
		.map(([key, why]) => warning(NAME, `${key}: ${why}`, "Remove it."));
}

/** Reports about `command(…)` in this file contradict each other from version to version. */
function unreliableRules(allow: readonly string[]): Check[] {
	const commands = allow.filter((rule) => rule.startsWith("command(") && rule !== "command(*)");
	const globs = allow.filter((rule) => /^write_file\(.*\*.*\)$/.test(rule) && rule !== "write_file(*)");
	return [
		...(commands.length === 0
			? []
			: [
					warning(
						NAME,
						`${commands.join(", ")}: agy often does not honour command rules here`,
						"Put them into globalPermissionGrants.allow of ~/.gemini/config/config.json, for instance `command(regex:git .*)`.",
					),
				]),
		...(globs.length === 0
			? []
			: [warning(NAME, `${globs.join(", ")}: write_file takes a folder, not a pattern`, "Name the folder alone.")]),
	];
}

function sandboxPromise(isHollow: boolean): Check[] {
	if (!isHollow) return [];
	const text = "enableTerminalSandbox is no boundary while permissions are skipped: agy may leave it without asking";
	return [warning(NAME, text, "Use `/agy permissions deny`, or run pi itself in a container.")];
}
