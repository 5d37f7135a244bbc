import type { SettingName } from "../config/schema.ts";
import { describeProblem, problemsOf } from "../config/setting-problems.ts";
import { showValue } from "../config/setting-words.ts";
import type { SettingsSource } from "../config/settings-source.ts";

/**
 * What counts for a setting and who decided it, and below it what was given for it and could not be used. `meaning` stands behind
 * the value.
 */
export function settingNow(settings: SettingsSource, name: SettingName, meaning = ""): string[] {
	const problems = problemsOf(name, settings.problems());
	const origin = settings.origin(name);
	// What stands in for a value that cannot be used need not be the default, and is nobody's choice.
	const from = origin === "default" && problems.length > 0 ? "" : ` (from: ${origin})`;
	return [
		`${name} is ${showValue(settings.current()[name])}${meaning}${from}.`,
		...problems.map((problem) => `! ${describeProblem(problem, settings.path)}.`),
	];
}
