import type { Effort, ModelChoice } from "../engine/engine.ts";
import type { AskFailure } from "./ask-agy.ts";
import type { AntigravityModel, CatalogueModel } from "./catalogue-model.ts";

/** Where the list comes from and how old it is. `at` is in milliseconds since the epoch. */
export interface CatalogueSource {
	/** `agy`: asked in this process. `cache`: from an earlier one. `built-in`: agy was never asked. */
	readonly from: "agy" | "cache" | "built-in";
	readonly at?: number;
	readonly agyVersion?: string;
}

export type Resolution =
	| { readonly choice: ModelChoice; readonly family: string }
	/** No such model. `unknown` is what was asked for; the suggestions are ids that exist. */
	| { readonly unknown: string; readonly suggestions: readonly string[] };

export type RefreshOutcome =
	| { readonly kind: "updated"; readonly added: readonly string[]; readonly removed: readonly string[] }
	/** The list is young enough and agy's version has not changed. */
	| { readonly kind: "not-needed" }
	| { readonly kind: "failed"; readonly failure: AskFailure };

export interface RefreshOptions {
	/** Ask agy even when the list is fresh or the last attempt has just failed. */
	readonly force?: boolean;
	/** Stops the waiting, not the asking: another caller may be waiting for the same answer. */
	readonly signal?: AbortSignal;
}

/** The models agy offers, as far as this process knows. Reading never waits. */
export interface ModelCatalogue {
	/** For pi's provider: one entry a model, its thinking levels exactly the tiers that exist. */
	models(): readonly AntigravityModel[];
	/** The same models with what agy accepts for them. */
	entries(): readonly CatalogueModel[];
	/** `modelId` is an id of ours or an exact slug of agy's (whose tier then wins over `effort`). */
	resolve(modelId: string, effort: Effort | undefined): Resolution;
	source(): CatalogueSource;
	/** Takes over what another process wrote into the cache since. */
	restore(): void;
	/** Asks agy when that is due. Concurrent calls share one question. Never rejects. */
	refresh(options?: RefreshOptions): Promise<RefreshOutcome>;
	/** Called after the list changed. Returns how to stop. */
	onChange(listener: () => void): () => void;
	/** Ends a question that is under way. */
	close(): void;
}
