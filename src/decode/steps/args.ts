import type { JsonObject, JsonValue } from "../../engine/events.ts";

/** An arguments object without what proto3 cannot tell from absent: empty strings and lists, zero and false. */
export function argsOf(values: Record<string, JsonValue>): JsonObject {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => !isDefault(value)));
}

function isDefault(value: JsonValue): boolean {
	return value === "" || value === 0 || value === false || (Array.isArray(value) && value.length === 0);
}
