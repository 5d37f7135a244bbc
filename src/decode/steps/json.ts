import type { JsonObject } from "../../engine/events.ts";
import { isJsonObject, parseJson } from "../../engine/json.ts";

/** The JSON object in `text`; undefined when it is something else or no JSON. */
export function parseJsonObject(text: string): JsonObject | undefined {
	if (text === "") return undefined;
	const value = parseJson(text);
	return isJsonObject(value) ? value : undefined;
}
