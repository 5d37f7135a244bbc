import type { AgyEvent } from "../engine/events.ts";
import type { StreamResult, StreamUsage } from "../stdout/stream-message.ts";
import { GenerationTrack } from "./generation-track.ts";
import * as notices from "./notices.ts";
import type { ClosedObservation } from "./observation.ts";
import { missingFromShown } from "./recovered-text.ts";
import type { StepEntries, StepEntry } from "./step-entries.ts";
import { addedUsage, type UsageBook } from "./usage-book.ts";

export interface Closing {
	readonly entries: StepEntries;
	readonly usage: UsageBook;
	/** `result.usage` before this turn; absent where unknown. */
	readonly usageBefore: StreamUsage | undefined;
	readonly result: StreamResult | undefined;
	readonly observation: ClosedObservation;
	/** What was shown of steps that agy then rewound. */
	readonly abandonedTexts: readonly string[];
	readonly closeTool: (entry: StepEntry, because: string) => AgyEvent[];
}

/** Both sources have ended: every text gets its final form, every model call and every tool its end. */
export function closeSteps(closing: Closing): AgyEvent[] {
	const { entries, observation, result } = closing;
	const steps = entries.all;
	const events = steps.flatMap((entry) => entry.generation?.settleTexts() ?? []);
	const fromStdoutOnly = steps.some((entry) => entry.generation?.text.exceedsRow);
	const recovered = recoverText(closing);
	events.push(...recovered);

	const because = observation.agyLives
		? "The turn ended while this was still running; agy may finish it or end it."
		: "agy ended before this finished.";
	const complete = isSuccess(result);
	for (const entry of entries.all) {
		if (entry.generation) events.push(...entry.generation.settle(complete));
		events.push(...closing.closeTool(entry, because));
	}
	events.push(...usageOfResult(closing));
	if (fromStdoutOnly || recovered.length > 0) events.push(notices.recoveredText(observation.databaseProblem));
	return events;
}

/** agy's words for a turn that ended well; SUCCESS since 1.1.22, OK before. */
export function isSuccess(result: StreamResult | undefined): boolean {
	return result?.status === "SUCCESS" || result?.status === "OK";
}

/** What the final response has and neither source showed: goes on in the last model call while it is open, else after it. */
function recoverText({ entries, usage, result, abandonedTexts }: Closing): AgyEvent[] {
	if (result === undefined) return [];
	const generations = entries.all.flatMap((entry) => entry.generation ?? []);
	const shown = generations.map((generation) => generation.text.shown);
	const missing = missingFromShown(result.response, [...abandonedTexts, ...shown]);
	if (missing.length === 0) return [];
	const last = generations.at(-1);
	const continues = missing.length === 1 && missing[0]?.continuesLast === true;
	const canGoOn = last?.state === "open" && (continues || last.text.shown === "");
	if (last && canGoOn) return last.recover(missing.map(({ text }) => (continues ? text : text.trim())).join("\n\n"));
	const entry = entries.beyond();
	entry.generation = new GenerationTrack(entry.ref, usage);
	return entry.generation.recover(missing.map(({ text }) => text.trim()).join("\n\n"));
}

/** Only where no model call told its own usage. A sum over several calls says nothing about the context. */
function usageOfResult({ entries, usage, usageBefore, result }: Closing): AgyEvent[] {
	if (usage.answers > 0 || result?.usage === undefined || usageBefore === undefined) return [];
	const generations = entries.all.flatMap((entry) => entry.generation ?? []);
	const last = generations.at(-1);
	const added = addedUsage(result.usage, usageBefore);
	if (last === undefined || added.input + added.output + added.cacheRead === 0) return [];
	return [usage.fromStdout(last.ref, added, generations.length === 1)];
}
