import { z } from "zod/v3";
import type { JsonObject, JsonValue } from "./events.ts";

/** Any JSON value. */
export const jsonValueSchema: z.ZodType<JsonValue> = z.lazy(() =>
	z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(jsonValueSchema), z.record(jsonValueSchema)]),
);

export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(jsonValueSchema);

/** The first JSON object in what a program printed, whatever stands around it; undefined when there is none. */
export function parseJsonAmid(text: string): unknown {
	return parseJson(text.slice(text.search(/^\s*\{/m), text.lastIndexOf("}") + 1));
}

/** What `text` says as JSON; undefined when it is no JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
