import type { AskFailure } from "../models/ask-agy.ts";

/** One allowance of a pool. */
export interface QuotaWindow {
	/** agy's word for its length: `5h`, `weekly`, or what comes later. */
	readonly window: string;
	/** 0 is used up, 1 is untouched. */
	readonly remaining: number;
	/** Milliseconds since the epoch. */
	readonly resetAt?: number;
}

/** The models that share an allowance, in agy's words: `Gemini Models`, `Claude and GPT models`. */
export interface QuotaPool {
	readonly name: string;
	readonly windows: readonly QuotaWindow[];
}

export type QuotaAnswer =
	| { readonly ok: true; readonly pools: readonly QuotaPool[]; readonly askedAt: number }
	| { readonly ok: false; readonly failure: AskFailure };

/** Asks agy how much is left. Only ever called because the user asked: never from a timer, never in the background. */
export interface QuotaReader {
	/** The answer of the last five minutes, else a new one. Never rejects. */
	read(signal?: AbortSignal): Promise<QuotaAnswer>;
}
