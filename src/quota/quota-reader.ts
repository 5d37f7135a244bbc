import type { Clock } from "../engine/clock.ts";
import type { LocateAgy } from "../models/catalogue.ts";
import { featuresOf, parseVersion, SINCE } from "../run/agy/agy-features.ts";
import { type AskFailure, askAgy, failureIn } from "../run/agy/ask-agy.ts";
import { parseUsage, type QuotaPool } from "./usage.ts";

export type QuotaAnswer =
	| { readonly ok: true; readonly pools: readonly QuotaPool[]; readonly askedAt: number }
	| { readonly ok: false; readonly failure: AskFailure };

/** Asks agy how much is left. Only ever called because the user asked: never from a timer, never in the background. */
export interface QuotaReader {
	/** The answer of the last five minutes, else a new one; `onAsk` is called when agy is asked for it. Never rejects. */
	read(onAsk?: () => void): Promise<QuotaAnswer>;
}

/** The last answer that was one. Several readers may share it: the quota is the account's. */
export interface QuotaMemory {
	last?: QuotaAnswer & { readonly ok: true };
}

const KEPT_MS = 5 * 60 * 1000;

/** A reader for one session. Sessions that are given the same `memory` ask agy once for all. */
export function createQuotaReader(locateAgy: LocateAgy, clock: Clock, memory: QuotaMemory = {}): QuotaReader {
	async function ask(): Promise<QuotaAnswer> {
		const located = await locateAgy();
		if (!located.ok) return located;
		const { version } = located;
		if (!featuresOf(parseVersion(version ?? "")).usage) {
			const failure = { kind: "too-old", needs: SINCE.usage, version: version ?? "an unknown version" } as const;
			return { ok: false, failure };
		}
		const answer = await askAgy(located.command, ["-p", "/usage", "--output-format", "json"]);
		if (!answer.ok) return answer;
		const pools = answer.exitCode === 0 ? parseUsage(answer.stdout) : [];
		if (pools.length > 0) return { ok: true, pools, askedAt: clock.now() };
		const plain: AskFailure =
			answer.exitCode === 0 ? { kind: "not-understood" } : { kind: "exit", code: answer.exitCode };
		return { ok: false, failure: failureIn(answer) ?? plain };
	}

	return {
		async read(onAsk) {
			const { last } = memory;
			if (last !== undefined && clock.now() - last.askedAt < KEPT_MS) return last;
			onAsk?.();
			const answer = await ask();
			if (answer.ok) memory.last = answer;
			return answer;
		},
	};
}
