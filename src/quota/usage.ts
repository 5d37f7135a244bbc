import { z } from "zod/v3";
import { parseJsonAmid } from "../engine/json.ts";

/** One allowance of a pool. */
export interface QuotaWindow {
	/** agy's word for its length: `5h`, `weekly`, or what comes later. */
	readonly window: string;
	/** 0 is used up, 1 is untouched. Absent where agy did not say. */
	readonly remaining?: number;
	/** Milliseconds since the epoch. */
	readonly resetAt?: number;
}

/** The models that share an allowance, in agy's words: `Gemini Models`, `Claude and GPT models`. */
export interface QuotaPool {
	readonly name: string;
	readonly windows: readonly QuotaWindow[];
}

const text = z.string().trim().min(1).max(100);
const bucketShape = z.object({
	id: text.optional().catch(undefined),
	window: text.optional().catch(undefined),
	remaining_fraction: z.number().min(0).max(1).optional().catch(undefined),
	reset_time: z.string().optional().catch(undefined),
});
const groupShape = z.object({ name: text, buckets: z.array(z.unknown()) });
const envelopeShape = z.object({ command: z.object({ data: z.object({ groups: z.array(z.unknown()) }) }) });

/**
 * Reads agy's answer to `/usage` in JSON. Pools and windows that are new are kept with the names agy gives them; what has
 * another shape is left out. Empty when nothing is left.
 */
export function parseUsage(stdout: string): QuotaPool[] {
	const envelope = envelopeShape.safeParse(parseJsonAmid(stdout)).data;
	return (envelope?.command.data.groups ?? []).flatMap((entry) => {
		const group = groupShape.safeParse(entry).data;
		const windows = group?.buckets.flatMap(toWindow) ?? [];
		return group === undefined || windows.length === 0 ? [] : [{ name: group.name, windows }];
	});
}

function toWindow(entry: unknown): QuotaWindow[] {
	const bucket = bucketShape.safeParse(entry).data;
	const window = bucket?.window ?? bucket?.id;
	if (bucket === undefined || window === undefined) return [];
	const resetAt = Date.parse(bucket.reset_time ?? "");
	const remaining = bucket.remaining_fraction;
	return [{ window, ...(remaining !== undefined && { remaining }), ...(!Number.isNaN(resetAt) && { resetAt }) }];
}
