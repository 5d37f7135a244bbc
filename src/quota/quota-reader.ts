import type { Clock } from "../engine/clock.ts";
import type { LocateAgy } from "../models/catalogue.ts";
import { ASK_LIMITS, type AskFailure, askAgy, failureIn } from "../run/ask-agy.ts";
import { parseUsage, type QuotaPool } from "./usage.ts";

export type QuotaAnswer =
	| { readonly ok: true; readonly pools: readonly QuotaPool[]; readonly askedAt: number }
	| { readonly ok: false; readonly failure: AskFailure };

/** Asks agy how much is left. Only ever called because the user asked: never from a timer, never in the background. */
export interface QuotaReader {
	/** The answer of the last five minutes, else a new one. Never rejects. */
	read(signal?: AbortSignal): Promise<QuotaAnswer>;
}

const KEPT_MS = 5 * 60 * 1000;
/** The first agy that answers `/usage` itself; an older one would send it to the model as a prompt. */
const NEEDS = "1.1.11";

export function createQuotaReader(locateAgy: LocateAgy, clock: Clock): QuotaReader {
	let kept: (QuotaAnswer & { readonly ok: true }) | undefined;

	async function ask(signal: AbortSignal | undefined): Promise<QuotaAnswer> {
		const located = await locateAgy();
		if (!located.ok) return located;
		const { version } = located;
		if (version === undefined || version.localeCompare(NEEDS, "en", { numeric: true }) < 0) {
			return { ok: false, failure: { kind: "too-old", needs: NEEDS, version: version ?? "an unknown version" } };
		}
		const limits = signal === undefined ? ASK_LIMITS : { ...ASK_LIMITS, signal };
		const answer = await askAgy(located.command, ["-p", "/usage", "--output-format", "json"], limits);
		if (!answer.ok) return answer;
		const pools = answer.exitCode === 0 ? parseUsage(answer.stdout) : [];
		if (pools.length > 0) return { ok: true, pools, askedAt: clock.now() };
		const plain: AskFailure =
			answer.exitCode === 0 ? { kind: "not-understood" } : { kind: "exit", code: answer.exitCode };
		return { ok: false, failure: failureIn(answer) ?? plain };
	}

	return {
		async read(signal) {
			if (kept !== undefined && clock.now() - kept.askedAt < KEPT_MS) return kept;
			const answer = await ask(signal);
			if (answer.ok) kept = answer;
			return answer;
		},
	};
}
