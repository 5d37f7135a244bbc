import type { StepError } from "../decode/step-types.ts";
import type { NoticeEvent, StepRef, ToolEvent } from "../engine/events.ts";
import { permittedAction } from "../words/permission.ts";
import { printable } from "../words/printable.ts";
import type { DeniedAction } from "./facts.ts";

/** Texts of agy's own system messages are shortened to this many characters. */
const SYSTEM_MESSAGE_LENGTH = 500;

/** A model call failed and another one followed. `error` is what agy recorded in between, if anything. */
export function modelRetry(stopReason: number, error: StepError | undefined): NoticeEvent {
	const words = error && (error.userMessage || error.short || error.modelMessage).trim().replace(/\.$/, "");
	const code = error !== undefined && error.code > 0 ? `HTTP ${error.code}` : "";
	const why = [words || stopName(stopReason), code].filter(Boolean).join(", ");
	return notice("info", "model-retry", `A model call failed (${why}); agy repeated it.`);
}

/** The model ran out of tokens in the middle of its answer. */
export function cutShort(): NoticeEvent {
	return notice("warning", "cut-short", "The model ran out of output tokens: the answer is cut short.");
}

/** agy replaced what it remembers by a summary. */
export function compaction(): NoticeEvent {
	return notice("info", "compaction", "── agy compacted its context ──");
}

/** agy, or a background task, spoke into the conversation. */
export function systemMessage(text: string): NoticeEvent {
	return notice("info", "system-message", shortened(text));
}

/** A subagent came to its end with these words. */
export function subagentReport(role: string | undefined, text: string): NoticeEvent {
	return notice("info", "system-message", `${role ?? "A subagent"} reported: ${shortened(text)}`);
}

/** agy has nobody to ask here, so it answers its own questions. `step`: where it asked. */
export function selfAnswered(question: string, answers: readonly string[], step: StepRef): NoticeEvent {
	const answer = answers.length > 0 ? answers.join(", ") : "nothing";
	const text = `agy asked "${question}" and, having nobody to ask, answered itself: ${answer}`;
	return { ...notice("info", "self-answered-question", text), step };
}

/** `step`: the one that was refused, where it is known. */
export function denied(action: DeniedAction, step?: StepRef): NoticeEvent {
	return { ...notice("warning", "denied-action", deniedText(action)), ...(step !== undefined && { step }) };
}

function deniedText({ by, action, target, reason }: DeniedAction): string {
	if (by === "permission") return `agy had no permission ${permittedAction(action, target)}.`;
	const what = target ? `${action} (${target})` : action;
	return `Denied by a PreToolUse hook: ${what}${reason ? `: ${reason}` : ""}`;
}

/** The answer is there, and these tools go on. */
export function backgroundTasks(tools: readonly ToolEvent[]): NoticeEvent {
	const names = tools.map((tool) => tool.summary || tool.name).join("; ");
	const text = `The answer is complete; still running in the background: ${names}`;
	return notice("info", "background-tasks", text);
}

/** agy ended commands at its exit, after their time was over. */
export function endedInBackground(tasks: number): NoticeEvent {
	const text = `agy ended ${tasks} background task(s) that were still running; what they should have done is not done.`;
	return notice("warning", "background-tasks", text);
}

/** Plan mode was asked for, and agy works without it. */
export function planModeLost(): NoticeEvent {
	return notice("warning", "other", "agy dropped plan mode and works directly.");
}

/** agy was told to skip permissions and says that it runs in another mode. */
export function permissionsOverruled(mode: string): NoticeEvent {
	const text = `A policy overrules \`permissions: skip\`: agy works in its mode ${mode} and refuses what it would have to ask for.`;
	return notice("warning", "other", text);
}

/** What was asked for and cannot be had from this agy, as a sentence. */
export function cannotHave(text: string): NoticeEvent {
	return notice("warning", "other", text);
}

/** The database lacked a part of the answer. `databaseProblem`: why, where it is known. */
export function recoveredText(databaseProblem: string | undefined): NoticeEvent {
	const why = databaseProblem ?? "agy's database did not show all of it";
	return notice("warning", "recovered-text", `Part of the answer was taken from agy's output: ${why}`);
}

function notice(level: NoticeEvent["level"], code: NoticeEvent["code"], text: string): NoticeEvent {
	return { type: "notice", level, code, text: printable(text) };
}

function shortened(text: string): string {
	return text.length > SYSTEM_MESSAGE_LENGTH ? `${text.slice(0, SYSTEM_MESSAGE_LENGTH)}…` : text;
}

/** common.StopReason, from agy's own descriptors. */
function stopName(stopReason: number): string {
	switch (stopReason) {
		case 16:
			return "cancelled";
		case 17:
			return "unreadable tool call";
		case 18:
			return "stream error";
		case 19:
			return "it went in circles";
		default:
			return `stop reason ${stopReason}`;
	}
}
