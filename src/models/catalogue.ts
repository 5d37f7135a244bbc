import type { Clock } from "../engine/clock.ts";
import type { Effort } from "../engine/engine.ts";
import type { Log } from "../engine/log.ts";
import { messageOf } from "../engine/thrown.ts";
import { fileStamp } from "../files/file-stamp.ts";
import type { AgyCommand, AskFailure } from "../run/agy/ask-agy.ts";
import { resolveAlias } from "./alias.ts";
import { builtInModels } from "./built-in.ts";
import { modelCacheText, readModelCache } from "./cache.ts";
import { type AntigravityModel, type CatalogueModel, collapse, toPiModel } from "./catalogue-model.ts";
import { type Resolution, resolveModel } from "./resolve.ts";
import type { ListedModel } from "./slug.ts";

/** Where the list comes from and how old it is. `at` is in milliseconds since the epoch. */
export interface CatalogueSource {
	/** `agy`: asked in this process. `cache`: from an earlier one. `built-in`: agy was never asked. */
	readonly from: "agy" | "cache" | "built-in";
	readonly at?: number;
	readonly agyVersion?: string;
}

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
	/**
	 * Asks agy for its list if it was never asked and `name` (an id, a slug or a word of people's) fits none of the built-in models,
	 * so that a mistyped name is not sent to agy. Where agy cannot be asked, the name is sent and agy decides. Never rejects.
	 */
	learn(name: string, signal?: AbortSignal): Promise<void>;
	/** False while agy was never asked: then the list may lack what it offers. */
	isComplete(): boolean;
	source(): CatalogueSource;
	/** Takes over what another process wrote into the cache since. */
	restore(): void;
	/** Asks agy when that is due. Concurrent calls share one question. Never rejects. */
	refresh(options?: RefreshOptions): Promise<RefreshOutcome>;
	/** Called after agy gave a new list, also when nobody waited for it any more. Returns how to stop. */
	onChange(listener: () => void): () => void;
	/** Ends a question that is under way. */
	close(): void;
}

/** Where agy is right now and which version it says it is; asked for at each refresh, because agy updates itself. */
export type LocateAgy = () => Promise<
	| { readonly ok: true; readonly command: AgyCommand; readonly version?: string }
	| { readonly ok: false; readonly failure: AskFailure }
>;

export interface CatalogueParts {
	readonly cachePath: string;
	readonly locateAgy: LocateAgy;
	readonly clock: Clock;
	readonly log: Log;
}

/** A list older than this is asked for again when pi allows it. */
const FRESH_MS = 24 * 60 * 60 * 1000;
/** After a failure agy is left alone for this long, unless the user asks. */
const RETRY_MS = 5 * 60 * 1000;

/** Reads the cache file, and nothing else, before it returns. */
export function createCatalogue(parts: CatalogueParts): ModelCatalogue {
	const { cachePath, clock, log } = parts;
	const closing = new AbortController();
	const listeners = new Set<() => void>();
	let source: CatalogueSource = { from: "built-in" };
	let entries = collapse(builtInModels);
	let models = entries.map(toPiModel);
	let seenCache: string | undefined;
	let running: Promise<RefreshOutcome> | undefined;
	let lastFailure: { readonly at: number; readonly failure: AskFailure } | undefined;

	function take(listed: readonly ListedModel[], from: CatalogueSource): void {
		source = from;
		entries = collapse(listed);
		models = entries.map(toPiModel);
	}

	function restore(): void {
		const stamp = fileStamp(cachePath);
		if (stamp === seenCache) return;
		seenCache = stamp;
		const cached = readModelCache(cachePath);
		if (cached === undefined || cached.fetchedAt <= (source.at ?? -1)) return;
		const { fetchedAt, agyVersion } = cached;
		take(cached.models, { from: "cache", at: fetchedAt, ...(agyVersion !== undefined && { agyVersion }) });
	}

	async function ask(force: boolean): Promise<RefreshOutcome> {
		const located = await parts.locateAgy();
		if (!located.ok) return { kind: "failed", failure: located.failure };
		if (!force && isFresh(located.version)) return { kind: "not-needed" };
		const { fetchModels } = await import("./fetch.ts");
		const fetched = await fetchModels(located.command, { signal: closing.signal });
		if (!fetched.ok) return { kind: "failed", failure: fetched.failure };
		const before = entries.map((entry) => entry.id);
		const version = located.version === undefined ? {} : { agyVersion: located.version };
		take(fetched.models, { from: "agy", at: clock.now(), ...version });
		await persist(fetched.models);
		for (const listener of listeners) listener();
		const after = entries.map((entry) => entry.id);
		return {
			kind: "updated",
			added: after.filter((id) => !before.includes(id)),
			removed: before.filter((id) => !after.includes(id)),
		};
	}

	function isFresh(agyVersion: string | undefined): boolean {
		if (source.at === undefined || clock.now() - source.at >= FRESH_MS) return false;
		return agyVersion === undefined || agyVersion === source.agyVersion;
	}

	async function persist(listed: readonly ListedModel[]): Promise<void> {
		const { at = clock.now(), agyVersion } = source;
		const version = agyVersion === undefined ? {} : { agyVersion };
		try {
			const { writePrivateFile } = await import("../files/private-file.ts");
			await writePrivateFile(cachePath, modelCacheText({ fetchedAt: at, ...version, models: [...listed] }));
			seenCache = fileStamp(cachePath);
		} catch (error) {
			log.info("models.not-written", { cause: messageOf(error) });
		}
	}

	async function attempt(force: boolean): Promise<RefreshOutcome> {
		restore();
		if (!force && lastFailure !== undefined && clock.now() - lastFailure.at < RETRY_MS) {
			return { kind: "failed", failure: lastFailure.failure };
		}
		const outcome = await ask(force);
		lastFailure = outcome.kind === "failed" ? { at: clock.now(), failure: outcome.failure } : undefined;
		log.info("models.asked", { outcome: outcome.kind, count: entries.length, from: source.from });
		return outcome;
	}

	function refresh({ force = false, signal }: RefreshOptions = {}): Promise<RefreshOutcome> {
		running ??= attempt(force).finally(() => {
			running = undefined;
		});
		return untilAborted(running, signal);
	}

	restore();
	return {
		models: () => models,
		entries: () => entries,
		resolve: (modelId, effort) => resolveModel(entries, modelId, effort, source.from !== "built-in"),
		isComplete: () => source.from !== "built-in",
		source: () => source,
		restore,
		async learn(name, signal) {
			const isKnown = "choice" in resolveAlias(entries, name, undefined, true);
			if (source.from === "built-in" && !isKnown) await refresh(signal && { signal });
		},
		refresh,
		onChange(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		close: () => closing.abort(),
	};
}

function untilAborted(outcome: Promise<RefreshOutcome>, signal: AbortSignal | undefined): Promise<RefreshOutcome> {
	if (signal === undefined) return outcome;
	return new Promise((resolve, reject) => {
		const stop = () => resolve({ kind: "failed", failure: { kind: "cancelled" } });
		if (signal.aborted) stop();
		signal.addEventListener("abort", stop, { once: true });
		outcome.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
	});
}
