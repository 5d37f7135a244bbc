import type { RefreshModelsContext } from "@earendil-works/pi-ai";
import type { ModelCatalogue } from "./catalogue.ts";

/**
 * pi's question for the current models, for a provider's `refreshModels`. Without leave to use the network (start-up, `-p`,
 * `--list-models`, offline) only the cache file is looked at. With it agy is asked if that is due; a failure keeps the list.
 * When pi gives up waiting, agy's answer is still taken over when it comes.
 */
export async function refreshModels(
	catalogue: Pick<ModelCatalogue, "restore" | "refresh">,
	context: RefreshModelsContext,
): Promise<void> {
	await context.publish({ update: () => catalogue.restore() });
	if (!context.allowNetwork || context.signal.aborted) return;
	await catalogue.refresh({ signal: context.signal, ...(context.force !== undefined && { force: context.force }) });
}
