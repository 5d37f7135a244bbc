import type { LastTurn } from "../command/environment.ts";
import { failureText } from "../provider/failure-text.ts";
import type { LastEnd } from "./pi-session.ts";

/** A session's last turn in words; for a failure those of its message. */
export function lastTurn({ end: { outcome, progress }, at }: LastEnd): LastTurn {
	const told = (summary: string): LastTurn => ({ endedAt: at, outcome, summary });
	switch (outcome.kind) {
		case "answered":
			return told("agy answered.");
		case "cancelled":
			return told(`agy was stopped (${outcome.by}).`);
		case "failed":
			return told(failureText(outcome.failure, progress.toolsRan, at));
	}
}
