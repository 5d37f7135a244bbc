import { z } from "zod/v3";
import type { JsonObject, JsonValue } from "./events.ts";

/** Any JSON value. */
export const jsonValueSchema: z.ZodType<JsonValue> = z.lazy(() =>
	z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(jsonValueSchema), z.record(jsonValueSchema)]),
);

/** A JSON object with any members. */
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(jsonValueSchema);

/** The first JSON object in what a program printed, whatever stands around it; undefined when there is none. */
export function parseJsonAmid(text: string): JsonValue | undefined {
	return parseJson(text.slice(text.search(/^\s*\{/m), text.lastIndexOf("}") + 1));
}

/** Whether a JSON value is an object, and no list. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Far deeper than what any tool is called with. Much deeper still, and a value cannot be compared or written any more. */
const MAX_DEPTH = 200;

/** What `text` says as JSON; undefined when it is no JSON, or is nested beyond use. */
export function parseJson(text: string): JsonValue | undefined {
	try {
		const value: JsonValue = JSON.parse(text);
		return isTooDeep(value) ? undefined : value;
	} catch {
		return undefined;
	}
}

/** Level by level: a recursion would be what it guards against. */
function isTooDeep(value: JsonValue): boolean {
	let level: JsonValue[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > MAX_DEPTH) return true;
		level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
	}
	return false;
}
