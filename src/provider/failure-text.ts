import { type AssistantMessage, isContextOverflow, isRetryableAssistantError } from "@earendil-works/pi-ai";
import type { Failure } from "../engine/failure.ts";
import { type FailureClass, failureWords } from "../words/failure-words.ts";
import { noUsage } from "./pi-usage.ts";

/** Words by which pi recognises what to do. Nothing else in our texts may contain such words. */
const MARKERS: Readonly<Record<Exclude<FailureClass, "final">, string>> = {
	retry: "(service temporarily unavailable)",
	overflow: "(context_length_exceeded)",
};

const AFTER_TOOLS = "agy had already run tools in this turn, so it is not repeated by itself.";

/**
 * The error message of a failed turn. pi decides by its words whether to repeat the prompt, so the text is checked with
 * pi's own functions: once agy has run a tool a repetition could do its work twice, and every failure is final.
 * `now` is in milliseconds since the epoch.
 */
export function failureText(failure: Failure, toolsRan: boolean, now: number): string {
	const words = failureWords(failure, now);
	const wanted: FailureClass = toolsRan ? "final" : words.class;
	const tail = wanted === "final" ? "" : ` ${MARKERS[wanted]}`;
	const afterTools = toolsRan && words.class !== "final" ? ` ${AFTER_TOOLS}` : "";
	const candidates = [
		`${words.cause} ${words.remedy}${afterTools}${tail}`,
		`${words.plainCause} ${words.remedy}${afterTools}${tail}`,
		`${words.plainCause}${afterTools}${tail}`,
	];
	return candidates.find((text) => classify(text) === wanted) ?? LAST_RESORT;
}

const LAST_RESORT = "agy could not finish this turn; the log has the reason.";

/** `text` as a final error: replaced by `plain` where pi would take it for something to repeat. */
export function finalText(text: string, plain: string): string {
	return classify(text) === "final" ? text : plain;
}

/** What pi will do with an error message of this text. Exported for tests. */
export function classify(text: string): FailureClass {
	const message: AssistantMessage = {
		role: "assistant",
		content: [],
		api: "antigravity-cli",
		provider: "antigravity",
		model: "",
		usage: noUsage(),
		stopReason: "error",
		errorMessage: text,
		timestamp: 0,
	};
	if (isContextOverflow(message)) return "overflow";
	return isRetryableAssistantError(message) ? "retry" : "final";
}
