import { environmentName } from "./environment.ts";
import { type SettingProblem, WHOLE_FILE } from "./load.ts";
import type { SettingName } from "./schema.ts";

/** Those that have a say in what counts for this setting. */
export function problemsOf(name: SettingName, problems: readonly SettingProblem[]): readonly SettingProblem[] {
	// What cannot be used in bridgeDeny may switch the bridge off.
	const names: SettingName[] = name === "bridge" ? ["bridge", "bridgeDeny"] : [name];
	const places = new Set([WHOLE_FILE, ...names, ...names.map(environmentName)]);
	return problems.filter(({ where }) => places.has(where));
}

/** What is wrong, what counts instead and where it stands, without a full stop. `path`: of the settings file. */
export function describeProblem(problem: SettingProblem, path: string): string {
	return `${problem.where}: ${problem.reason} (${placeOf(problem, path)})`;
}

/** Where to put it right. */
export function placeOf({ where }: SettingProblem, path: string): string {
	return where.startsWith("AGY_") ? "the environment" : path;
}
