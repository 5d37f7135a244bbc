import { type AgyCommand, ASK_LIMITS, type AskFailure, type AskLimits, askAgy, failureIn } from "../run/agy/ask-agy.ts";
import { parseListing } from "./listing.ts";
import type { ListedModel } from "./slug.ts";

export type ModelFetch =
	| { readonly ok: true; readonly models: readonly ListedModel[] }
	| { readonly ok: false; readonly failure: AskFailure };

/** The flag stands before the sub-command: behind it agy rejects it (seen up to 1.2.12, although its changelog says otherwise). */
const FORMS: readonly (readonly string[])[] = [["--output-format", "json", "models"], ["models"]];

/**
 * Asks agy which models it offers: as JSON, and where this agy does not know the flag (before 1.1.8), as text. Takes seconds,
 * because agy signs in and looks at the quota first. Never rejects.
 */
export async function fetchModels(agy: AgyCommand, limits: Partial<AskLimits> = {}): Promise<ModelFetch> {
	let failure: AskFailure = { kind: "not-understood" };
	for (const args of FORMS) {
		const answer = await askAgy(agy, args, { ...ASK_LIMITS, ...limits });
		if (!answer.ok) return answer;
		const models = answer.exitCode === 0 ? parseListing(answer.stdout) : [];
		if (models.length > 0) return { ok: true, models };
		const known = failureIn(answer);
		if (known !== undefined) return { ok: false, failure: known };
		failure = answer.exitCode === 0 ? { kind: "not-understood" } : { kind: "exit", code: answer.exitCode };
	}
	return { ok: false, failure };
}
