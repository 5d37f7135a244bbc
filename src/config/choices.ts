import { z } from "zod/v3";
import { type SettingName, settingsSchema } from "./schema.ts";

/** What a setting takes, for pickers and the reference. */
export type SettingKind =
	| { readonly kind: "choice"; readonly values: readonly string[] }
	| { readonly kind: "switch" }
	/** `range`: its bounds in words, `from 1 to 64`. */
	| { readonly kind: "number"; readonly isWhole: boolean; readonly range: string }
	| { readonly kind: "text" }
	| { readonly kind: "list" };

/** Read from the schema, so that it cannot differ from what is accepted. */
export function settingKind(name: SettingName): SettingKind {
	const schema = unwrapped(settingsSchema.shape[name]);
	if (schema instanceof z.ZodEnum) return { kind: "choice", values: schema.options.map(String) };
	if (schema instanceof z.ZodBoolean) return { kind: "switch" };
	if (schema instanceof z.ZodNumber) return { kind: "number", isWhole: schema.isInt, range: rangeOf(schema) };
	if (schema instanceof z.ZodArray) return { kind: "list" };
	return { kind: "text" };
}

/** One or two sentences. */
export function settingDescription(name: SettingName): string {
	return settingsSchema.shape[name].description ?? "";
}

function unwrapped(schema: z.ZodTypeAny): z.ZodTypeAny {
	if (schema instanceof z.ZodDefault) return unwrapped(schema.removeDefault());
	return schema instanceof z.ZodOptional ? unwrapped(schema.unwrap()) : schema;
}

/** Every number has both bounds; those that are not whole begin above theirs. */
function rangeOf({ isInt, minValue, maxValue }: z.ZodNumber): string {
	return isInt ? `from ${minValue} to ${maxValue}` : `above ${minValue} and not above ${maxValue}`;
}
