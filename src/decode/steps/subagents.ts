import { isJsonObject, parseJson } from "../../engine/json.ts";
import type { ToolBody } from "../step-types.ts";
import type { ToolFacts } from "../tool-facts.ts";
import type { Message } from "../wire.ts";
import { argsOf } from "./args.ts";

type Subagent = ToolBody["subagents"][number];

/**
 * CortexStepInvokeSubagent {1 subagent_name, 2 prompt, 5 conversation_id, 9 subagents {1 type_name, 2 role, 3 initial_prompt},
 * 10 results {1 conversation_id}}. `results` belong to `subagents` by position; an older form has one subagent, in 1, 2 and 5.
 */
export function invokeSubagent(body: Message): ToolFacts {
	return {
		kind: "subagent",
		get args() {
			return argsOf({ Role: roles(body).join(", "), Prompt: body.text(2) || (body.messages(9)[0]?.text(3) ?? "") });
		},
		get subagents() {
			const names = roles(body);
			const started = body.messages(10).map((result, index) => subagent(result.text(1), names[index]));
			const all = body.has(5) ? [...started, subagent(body.text(5), names[0])] : started;
			return all.filter(({ conversationId }) => conversationId !== "");
		},
	};
}

/** Subagents in the result text of a generic step, which tells them as a line of words and then JSON. */
export function subagentsInText(text: string): Subagent[] {
	const start = text.search(/[[{]/);
	if (start < 0) return [];
	const value = parseJson(text.slice(start));
	return (Array.isArray(value) ? value : [value]).filter(isJsonObject).flatMap((entry) => {
		const id = entry.conversationId ?? entry.conversation_id ?? entry.ConversationId;
		const role = entry.role ?? entry.Role ?? entry.name;
		return typeof id === "string" && id !== "" ? [subagent(id, typeof role === "string" ? role : undefined)] : [];
	});
}

function roles(body: Message): string[] {
	const specs = body.messages(9).map((spec) => spec.text(2) || spec.text(1));
	return specs.length > 0 ? specs : [body.text(1)].filter(Boolean);
}

function subagent(conversationId: string, role: string | undefined): Subagent {
	return { conversationId, role: role || undefined };
}
