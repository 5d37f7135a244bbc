import type { SettingProblem } from "../../config/load.ts";
import { settingNames } from "../../config/schema.ts";
import { placeOf } from "../../config/setting-problems.ts";
import type { RefreshOutcome } from "../../models/catalogue.ts";
import type { Resolution } from "../../models/resolve.ts";
import { suggest } from "../../models/suggest.ts";
import { describeAskFailure } from "../ask-failure-words.ts";
import type { AgyProbe, DecodingProbe } from "../environment.ts";
import { type Check, ok, problem, warning } from "./check.ts";

/** agy lists its models only to who is signed in, so one question answers both. Nothing new about an agy that does not work. */
export function checkModels(agy: AgyProbe, outcome: RefreshOutcome, count: number): Check[] {
	if (outcome.kind !== "failed") return [ok("sign-in", "agy is signed in"), ok("models", `agy lists ${count}`)];
	if (agy.found === false || agy.found === "broken") return [];
	const { problem: text, remedy } = describeAskFailure(outcome.failure);
	switch (outcome.failure.kind) {
		case "not-installed":
		case "cannot-start":
			return [];
		case "not-signed-in":
			return [problem("sign-in", text, remedy)];
		default:
			return [warning("models", `${text} The list of before stays in use.`, remedy)];
	}
}

/** `failure`: why nothing could be written to the folder of our files; undefined when it could. */
export function checkWriteAccess(directory: string, failure: string | undefined): Check {
	if (failure === undefined) return ok("write access", "settings, cache and log can be written", [directory]);
	return problem(
		"write access",
		`${directory} cannot be written (${failure})`,
		"Make the folder writable for your user.",
	);
}

/** Whether what agy writes is understood. */
export function checkDecoding(probe: DecodingProbe): Check {
	const name = "agy's conversations";
	switch (probe.kind) {
		case "none":
			return ok(name, "none yet to try to read");
		case "in-use":
			return ok(name, "the newest are in use, so none was tried");
		case "decoded":
			if (probe.unknownSteps === 0) return ok(name, `read ${probe.steps} steps of the newest`, [probe.id]);
			return warning(
				name,
				`${probe.unknownSteps} of ${probe.steps} steps of the newest are of an unknown kind`,
				"Turns work, and may show less than agy does. Update this extension.",
				[probe.id],
			);
		case "failed":
			return problem(
				name,
				`the newest cannot be read: ${probe.cause}`,
				"Turns fall back to what agy prints. Update this extension, and Node if it is old.",
				[probe.path],
			);
	}
}

/** `wanted`: the setting `fileEvents`. */
export function checkFileEvents(found: "events" | "polling", wanted: boolean): Check {
	if (found === "events") return ok("file events", "changes of agy's database are noticed at once");
	if (!wanted) return ok("file events", "switched off; agy's database is polled");
	const remedy = "Nothing must be done. Answers come a little later and cost a little more CPU.";
	return warning("file events", "the system reports none for agy's folder, so it is polled", remedy);
}

/** `names`: extensions that claim what is ours. */
export function checkConflicts(names: readonly string[]): Check {
	if (names.length === 0) return ok("other extensions", "none claims `antigravity` or `/agy`");
	const remedy = "Remove one of them: `pi list`, then `pi remove <source>`.";
	return problem("other extensions", `also claiming \`antigravity\` or \`/agy\`: ${names.join(", ")}`, remedy);
}

/** One finding for each setting that was given and does not count, or not as it stands. */
export function checkSettings(path: string, problems: readonly SettingProblem[]): Check[] {
	if (problems.length === 0) return [ok("settings", "all usable", [path])];
	return problems.map((found) => {
		const { where, reason, isUnknownKey = false } = found;
		const [meant] = isUnknownKey ? suggest(where, settingNames) : [];
		const place = placeOf(found, path);
		const remedy = meant === undefined ? `Correct it in ${place}.` : `Correct it in ${place}. Was ${meant} meant?`;
		return warning("settings", `${where}: ${reason}`, remedy);
	});
}

/** The model that AskAntigravity takes by default may be gone from agy's list. */
export function checkDefaultModel(name: string, found: Resolution): Check[] {
	if ("choice" in found) return [];
	const remedy = `Choose another with \`/agy model\`: ${found.available.join(", ")}.`;
	return [warning("settings", `defaultModel: agy lists no model "${name}"`, remedy)];
}

/** agy's own variables that send prompts elsewhere, and a folder that agy does not take for a workspace. */
export function checkSurroundings(env: NodeJS.ProcessEnv, cwd: string): Check[] {
	const gateways = ["AGY_GATEWAY_URL", "CLOUD_CODE_URL"].filter((name) => env[name]);
	const hidden = cwd.split(/[/\\]/).find((part) => /^\.[^.]/.test(part));
	return [
		...gateways.map((name) =>
			warning("environment", `${name} is set: agy sends prompts to that host`, "Unset it unless that is meant."),
		),
		...(hidden === undefined
			? []
			: [
					warning(
						"working folder",
						`${cwd} lies below the hidden folder ${hidden}`,
						"Some versions of agy write to a scratch folder then; check where new files are.",
					),
				]),
	];
}
