import {
	type AgyFeature,
	type AgyFeatures,
	FLOOR,
	featuresOf,
	parseVersion,
	SINCE,
} from "../../run/agy/agy-features.ts";
import { INSTALL_AGY } from "../../words/failure-words.ts";
import type { AgyProbe } from "../environment.ts";
import { type Check, ok, problem, warning } from "./check.ts";

const NAME = "agy";

/** What a person misses with an agy that lacks a feature, in the order in which agy learnt them. */
const MISSED: Readonly<Partial<Record<AgyFeature, string>>> = {
	stdinPrompt: "prompts on stdin",
	slugs: "models and thinking levels by slug (it takes labels)",
	streamJson: "stream-json (answers are known from its database and exit alone)",
	usage: "`/agy quota`",
	mode: "`mode: plan`",
	apiKey: "API keys",
	toollessAgents: "`toolsRunIn: pi`, and summaries and other short answers surely without tools",
};

/** Whether agy is there, starts, and is new enough. */
export function checkAgy(probe: AgyProbe): Check {
	switch (probe.found) {
		case true:
			return checkVersion(probe);
		case false:
			return problem(NAME, "not found", INSTALL_AGY, probe.searched);
		case "unnamed":
			return warning(
				NAME,
				`${probe.path} does not say its version: it is older than ${FLOOR}, the oldest that was tried, or no agy; turns use the least that any agy can`,
				"Run `agy update`, or let AGY_BIN name another one.",
			);
		case "broken":
			return problem(
				NAME,
				`${probe.path} does not work: ${probe.cause}`,
				"Run `agy update` or install it again; AGY_BIN can name another one.",
			);
	}
}

function checkVersion({ version, path, tooOldFor }: AgyProbe & { readonly found: true }): Check {
	if (tooOldFor !== undefined) {
		const remedy = `Run \`agy update\`: ${tooOldFor.floor} or later is needed.`;
		return problem(NAME, `${version} is too old`, remedy);
	}
	const missing = missedWith(featuresOf(parseVersion(version)));
	if (missing.length === 0) return ok(NAME, version, [path]);
	return warning(NAME, `${version} works, but lacks ${missing.join("; ")}`, "Run `agy update`.", [path]);
}

/** Each with the version that brought it. */
function missedWith(features: AgyFeatures): string[] {
	return Object.entries(SINCE).flatMap(([name, since]) => {
		const feature = name as AgyFeature;
		const what = MISSED[feature];
		return what === undefined || features[feature] ? [] : [`${what}, since ${since}`];
	});
}
