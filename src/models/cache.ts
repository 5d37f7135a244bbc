import { readFileSync } from "node:fs";
import { z } from "zod/v3";

const cacheShape = z.object({
	version: z.literal(1),
	fetchedAt: z.number().nonnegative(),
	agyVersion: z.string().optional(),
	models: z.array(z.object({ accepts: z.string().min(1), label: z.string().min(1) })).min(1),
});

/** The list as agy last gave it, to this process or to another one. */
export type CachedModels = Omit<z.infer<typeof cacheShape>, "version">;

/** Undefined where the file is absent, damaged or of another version: then the list is fetched anew. Never throws. */
export function readModelCache(path: string): CachedModels | undefined {
	try {
		return cacheShape.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
	} catch {
		return undefined;
	}
}

/** The content of the cache file. */
export function modelCacheText(models: CachedModels): string {
	return `${JSON.stringify({ version: 1, ...models }, null, "\t")}\n`;
}
