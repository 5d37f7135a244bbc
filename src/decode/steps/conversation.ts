import type { StepBody, StepStatus } from "../step-types.ts";
import type { Message } from "../wire.ts";
import { errorDetails } from "./error-details.ts";

/** CortexStepUserInput {1 query, 2 user_response, 3 items {1 text}}: the prompt as it was typed. */
export function userInput(body: Message): StepBody {
	const items = () =>
		body
			.messages(3)
			.map((item) => item.text(1))
			.join("");
	return { kind: "user-input", text: body.text(2) || items() || body.text(1) };
}

/** CortexStepErrorMessage {3 error}: a model call failed. */
export function errorMessage(body: Message): StepBody {
	return { kind: "error-message", error: errorDetails(body.message(3)) };
}

/**
 * CortexStepSystemMessage {1 message, 2 render_info {4 hidden}, 4 agent_message {3 sender, 4 content, 11 hide_from_user}}: a background task
 * or a subagent reports to the conversation.
 */
export function systemMessage(body: Message): StepBody {
	const agentMessage = body.message(4);
	return {
		kind: "system-message",
		text: body.text(1) || agentMessage.text(4),
		sender: agentMessage.text(3),
		hidden: agentMessage.flag(11) || body.message(2).flag(4),
	};
}

/**
 * CortexStepCheckpoint {4 user_intent, 9 intent_only, 10 conversation_title}. With `intent_only` agy named the conversation in a side call; without it agy replaced its context
 * by a summary. Until the row is done that flag may not have been written yet.
 */
export function checkpoint(body: Message, status: StepStatus): StepBody {
	const intentOnly = body.flag(9);
	const title = body.text(intentOnly ? 4 : 10).trim();
	const compaction = status === "done" && !intentOnly && !body.isEmpty;
	return { kind: "checkpoint", title: title || undefined, compaction };
}
