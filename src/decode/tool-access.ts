import type { ToolKind, ToolWait } from "../engine/events.ts";
import { pathOf } from "./steps/file-uri.ts";
import { firstQuestion } from "./steps/questions.ts";
import type { Message } from "./wire.ts";

/** What a tool needs permission for, in the terms of agy's permission rules: `command(npm test)` is action and target. */
export interface Access {
	readonly action: string;
	readonly target: string;
	readonly description?: string;
}

/** What is known about a tool apart from the interaction it asked for. */
export interface AccessContext {
	readonly kind: ToolKind;
	readonly name: string;
	readonly summary: string;
	readonly restrictedPath: string | undefined;
}

/** The fields of RequestedInteraction; CascadeUserInteraction, the response, has the same. */
const FILE_PERMISSION = 19;
const ELICITATION = 20;
const PERMISSION = 21;
const ASK_QUESTION = 22;

/**
 * What a waiting step waits for: the answer to an ElicitationInteractionSpec {3 message} or to questions, else a permission.
 * `requested` stays in the row after the answer, so only the status says that it waits.
 */
export function waitOf(requested: Message, context: AccessContext): ToolWait {
	const question = requested.has(ELICITATION)
		? requested.message(ELICITATION).text(3)
		: firstQuestion(requested.message(ASK_QUESTION).messages(1));
	const wantsAnswer = requested.has(ELICITATION) || requested.has(ASK_QUESTION) || context.kind === "question";
	if (wantsAnswer) return { for: "answer", question: question || context.summary };
	return { for: "permission", ...requestedAccess(requested, context) };
}

/**
 * What permission was asked for. Only PermissionInteractionSpec {1 resource {1 action, 2 target}, 4 reason, 5 action_description}
 * spells it out; for other requests the tool itself tells.
 */
export function requestedAccess(requested: Message, context: AccessContext): Access {
	if (!requested.has(PERMISSION)) {
		const file = pathOf(requested.message(FILE_PERMISSION).text(1));
		return { action: actionOf(context), target: file || context.restrictedPath || context.summary };
	}
	const permission = requested.message(PERMISSION);
	const resource = permission.message(1);
	const description = permission.text(5) || permission.text(4);
	return {
		action: resource.text(1) || actionOf(context),
		target: resource.text(2) || context.summary,
		...(description === "" ? {} : { description }),
	};
}

/**
 * Whether the last CompletedInteraction {2 response {24 timed_out}} of a step refused it. Both kinds of permission have `allow` as
 * their field 1. Proto3 leaves out what is false, so an empty response is a refusal. A question without an answer is none.
 */
export function wasRefused(completed: readonly Message[]): boolean {
	const response = completed.at(-1)?.message(2);
	if (response === undefined) return false;
	const asked = [PERMISSION, FILE_PERMISSION].find((field) => response.has(field));
	return asked === undefined ? response.flag(24) && !response.has(ASK_QUESTION) : !response.message(asked).flag(1);
}

/** The action by which agy's permission rules know a tool, or its name where it needs none. */
export function actionOf({ kind, name }: Pick<AccessContext, "kind" | "name">): string {
	switch (kind) {
		case "command":
			return "command";
		case "edit":
			return "write_file";
		case "read":
		case "list":
		case "grep":
		case "find":
			return "read_file";
		case "mcp":
			return "mcp";
		case "url":
			return "read_url";
		case "web":
		case "subagent":
		case "question":
		case "image":
		case "other":
			return name;
		default:
			return kind satisfies never;
	}
}
