import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { ModelCatalogue } from "../models/catalogue.ts";
import { PROVIDER_ID } from "../models/catalogue-model.ts";

/** Lets pi look at the catalogue again. Never rejects: a session that has ended needs no models. */
export async function publishModels(ctx: Pick<ExtensionContext, "modelRegistry">): Promise<void> {
	try {
		await ctx.modelRegistry.refresh({ allowNetwork: false, providers: [PROVIDER_ID] });
	} catch {
		// The next question of pi's finds the list.
	}
}

/** The family of a model that pi has selected; undefined for a model that is not agy's. */
export function familyOf(
	model: ExtensionContext["model"],
	catalogue: Pick<ModelCatalogue, "resolve">,
): string | undefined {
	if (model?.provider !== PROVIDER_ID) return undefined;
	const found = catalogue.resolve(model.id, undefined);
	return "unknown" in found ? undefined : found.family;
}
