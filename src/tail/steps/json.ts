import type { JsonObject } from "../../engine/events.ts";
import { parseJson } from "../../engine/json.ts";

/** The JSON object in `text`; undefined when it is something else or no JSON. */
export function parseJsonObject(text: string): JsonObject | undefined {
	if (text === "") return undefined;
	const value = parseJson(text);
	return isJsonObject(value) ? value : undefined;
}

/** For values that came out of `parseJson`, whose members are JSON by construction. */
export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
