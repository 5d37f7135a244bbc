import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod/v3";
import type { Clock } from "../../engine/clock.ts";
import { parseJson } from "../../engine/json.ts";
import { writePrivateFile } from "../../files/private-file.ts";
import { MARKER, markerVariable, parseMark, type RunMark } from "./environment.ts";
import { defaultRungs, endTree, type Rung } from "./kill-ladder.ts";
import { isAlive, isOlder, type ProcessIdentity, type ProcessTable, sameEpoch } from "./process-table.ts";
import { ProcessTree } from "./process-tree.ts";

const identitySchema = z.object({ pid: z.number().int().positive(), startTime: z.string() });
const recordSchema = z.object({ runId: z.string(), agy: identitySchema, owner: identitySchema });

/** A run that has begun: which process it is, and which pi it belongs to. */
export type RunRecord = z.infer<typeof recordSchema>;

/**
 * Writes down that a run has begun, so that it can be found when pi and its guardian both die. The returned function
 * removes the note. Neither rejects: the note is a safety net, not a condition.
 */
export async function recordRun(folder: string, record: RunRecord): Promise<() => Promise<void>> {
	const path = join(folder, `${record.runId}.json`);
	await writePrivateFile(path, JSON.stringify(record)).catch(() => {});
	return () => rm(path, { force: true }).catch(() => {});
}

export interface OrphanOptions {
	/** Where `recordRun` writes. */
	readonly folder: string;
	readonly table: ProcessTable;
	readonly clock: Clock;
	/** How they are ended; absent: as any run. */
	readonly rungs?: readonly Rung[];
}

/**
 * Ends what earlier pi processes of this user left behind, found by the notes of `recordRun` and, on Linux, by the marker
 * in the environment. A run whose pi still lives is never touched, nor one of another container. Returns how many runs were
 * found. Never rejects.
 */
export async function endOrphans({ folder, table, clock, rungs = defaultRungs }: OrphanOptions): Promise<number> {
	const trees: ProcessTree[] = [];
	for (const { path, record } of await readRecords(folder)) {
		if (record !== undefined && (await isAlive(table, record.owner))) continue;
		if (record !== undefined && (await isAlive(table, record.agy))) {
			trees.push(new ProcessTree(table, record.agy, markerVariable({ owner: record.owner, runId: record.runId })));
		}
		await rm(path, { force: true }).catch(() => {});
	}
	trees.push(...(await markedTrees(table)));
	const found = await Promise.all(
		trees.map(async (tree) => {
			const living = await tree.refresh();
			if (living.length > 0) await endTree({ living: () => tree.refresh(), clock, rungs });
			return living.length > 0 ? 1 : 0;
		}),
	);
	return found.reduce<number>((sum, one) => sum + one, 0);
}

/** One tree for each run that is only known by its marker; its oldest process stands for the root. */
async function markedTrees(table: ProcessTable): Promise<ProcessTree[]> {
	const roots = new Map<string, ProcessIdentity>();
	for (const process of await table.withEnvironment(`${MARKER}=`)) {
		const mark = markOf(process.environment);
		if (mark === undefined || !sameEpoch(mark.owner.startTime, process.startTime)) continue;
		if (await isAlive(table, mark.owner)) continue;
		const known = roots.get(markerVariable(mark));
		if (known === undefined || isOlder(process, known)) roots.set(markerVariable(mark), process);
	}
	return [...roots].map(([marker, root]) => new ProcessTree(table, root, marker));
}

function markOf(environment: string): RunMark | undefined {
	const entry = environment.split("\0").find((variable) => variable.startsWith(`${MARKER}=`));
	return entry === undefined ? undefined : parseMark(entry.slice(MARKER.length + 1));
}

async function readRecords(folder: string): Promise<{ path: string; record: RunRecord | undefined }[]> {
	const names = await readdir(folder).catch(() => []);
	const paths = names.filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
	return Promise.all(paths.map(async (path) => ({ path, record: await readRecord(path) })));
}

async function readRecord(path: string): Promise<RunRecord | undefined> {
	return recordSchema.safeParse(parseJson(await readFile(path, "utf8").catch(() => ""))).data;
}
