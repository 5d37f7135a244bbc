import type { ToolError } from "../engine/events.ts";
import type { StepError, StepStatus } from "./step-types.ts";
import type { Access } from "./tool-access.ts";

/** How agy says that a hook refused a call; the first form names the hook. */
const HOOK_DENIAL = /tool call denied by (?:jsonhook__|pre-tool hook)/i;
const PERMISSION_DENIAL = /permission denied|denied permission|auto-denied/i;
/** The operating system's refusal, as Go words it (`open /x: permission denied`), is an ordinary failure. */
const SYSTEM_REFUSAL =
	/\b(?:open|l?stat|mkdir|unlink|remove|rename|link|chdir|chmod|read|write|exec|fork\/exec|readdirent|scandir) .{0,300}: permission denied/gi;

export interface ToolOutcome {
	readonly status: StepStatus;
	/** CortexErrorDetails of the step; undefined when it has none. */
	readonly details: StepError | undefined;
	/** The tool's own words for what went wrong. */
	readonly problem: string | undefined;
	/** Someone or something refused the call, by the step's own flags or the answer to its request. */
	readonly refused: boolean;
	readonly access: () => Access;
}

/** The failure of a tool, or undefined when it did not fail. A command's exit code is no failure of the tool. */
export function toolError(outcome: ToolOutcome): ToolError | undefined {
	const { details, problem, status } = outcome;
	const texts = details === undefined ? [] : [details.userMessage, details.short, details.modelMessage, details.full];
	const told = [...texts, problem ?? ""].filter(Boolean);
	const denied = denialOf(outcome, told.join("\n"));
	if (told.length === 0 && denied === undefined && status !== "error") return undefined;
	const message = (told[0] ?? messageWithout(denied)).replace(/:\s*$/, "");
	const detail = [details?.full, details?.details].find(
		(text) => text !== undefined && text !== "" && text !== message,
	);
	return { message, ...(detail === undefined ? {} : { detail }), ...(denied === undefined ? {} : { denied }) };
}

function denialOf(outcome: ToolOutcome, told: string): ToolError["denied"] {
	if (HOOK_DENIAL.test(told)) return { by: "hook" };
	if (!outcome.refused && !PERMISSION_DENIAL.test(told.replace(SYSTEM_REFUSAL, ""))) return undefined;
	const { action, target } = outcome.access();
	return { by: "permission", action, target };
}

function messageWithout(denied: ToolError["denied"]): string {
	if (denied === undefined) return "The step failed; agy recorded no reason.";
	return `Permission denied: ${[denied.action, denied.target].filter(Boolean).join(" ")}`;
}
