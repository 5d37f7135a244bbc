import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Clock } from "../engine/clock.ts";
import type { Outcome } from "../engine/events.ts";
import { type Pool, QuotaFooter } from "../quota/quota-footer.ts";

/** Keeps pi's footer told of a used-up quota. Nobody is asked: what is known comes from turns that failed on it. */
export interface QuotaStatus {
	/** The family of the selected model; undefined when it is not one of agy's. */
	selected(family: string | undefined): void;
	/** A turn with a model of `family` is over. */
	ended(family: string, outcome: Outcome): void;
	close(): void;
}

const STATUS_KEY = "antigravity-quota";

/** The status of one session. `usedUp` tells when each used-up pool is back, in milliseconds since the epoch; sessions share it. */
export function createQuotaStatus(
	ui: Pick<ExtensionContext["ui"], "setStatus">,
	clock: Clock,
	usedUp: Map<Pool, number>,
): QuotaStatus {
	const footer = new QuotaFooter({ clock, usedUp, show: (text) => ui.setStatus(STATUS_KEY, text) });
	return {
		selected: (family) => footer.selected(family),
		ended(family, outcome) {
			if (outcome.kind === "answered") footer.answered(family);
			if (outcome.kind !== "failed" || outcome.failure.kind !== "quota") return;
			footer.failed(family, outcome.failure.resetAt);
		},
		close: () => footer.close(),
	};
}
