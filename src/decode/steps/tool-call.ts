import { isJsonObject, parseJson } from "../../engine/json.ts";
import type { PlannedCall } from "../step-types.ts";
import type { Message } from "../wire.ts";

/** A ChatToolCall {1 id, 2 name, 3 arguments_json}. Arguments that are no JSON object (still growing, or broken) are empty. */
export function plannedCall(call: Message): PlannedCall {
	const text = call.text(3);
	const args = text === "" ? undefined : parseJson(text);
	return { id: call.text(1), name: call.text(2), args: isJsonObject(args) ? args : {} };
}
