import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod/v3";
import type { Clock } from "../../engine/clock.ts";
import { parseJson } from "../../engine/json.ts";
import { codeOf } from "../../engine/thrown.ts";
import { isAlive, ownIdentity, type ProcessTable } from "./process-table.ts";

/**
 * A lock that a process holds for as long as it likes, over hours and while the machine sleeps. It is a file that exists while the
 * lock is held and names its holder. Whether the holder still lives is told by its process number and start time, never by the
 * age of the file; for a lock of a few milliseconds see `src/files/file-lock.ts`.
 */
export interface HeldLock {
	/** Idempotent; never throws. */
	release(): void;
}

export type LockAttempt =
	| { readonly kind: "held"; readonly lock: HeldLock }
	/** `pid` of the living holder, when the file says it. */
	| { readonly kind: "busy"; readonly pid: number | undefined };

export interface LockOptions {
	readonly table: ProcessTable;
	readonly clock: Clock;
}

const holderSchema = z.object({ pid: z.number().int(), startTime: z.string(), token: z.string() });

/** A lock whose content cannot be read counts as abandoned after this long; writing it takes no time to speak of. */
const UNREADABLE_MS = 10_000;

/**
 * One attempt. The folder is made when it is missing. Rejects only when the folder cannot be written to.
 * Two that find the same dead holder never both succeed.
 */
export async function tryLock(path: string, { table, clock }: LockOptions): Promise<LockAttempt> {
	const own = { ...(await ownIdentity(table)), token: randomUUID() };
	const content = JSON.stringify(own);
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	// A second attempt follows when the lock of a dead holder was removed. A third is for the case that another process had died
	// while it was doing so, and its `.clearing` file had to be removed first.
	for (let attempt = 0; attempt < 3; attempt++) {
		if (createWhole(path, content, own.token))
			return { kind: "held", lock: { release: () => removeIf(path, content) } };
		const found = readOr(path);
		if (found === undefined) continue;
		const holder = holderSchema.safeParse(parseJson(found)).data;
		const alive = holder === undefined ? ageMs(path, clock) < UNREADABLE_MS : await isAlive(table, holder);
		if (alive) return { kind: "busy", pid: holder?.pid };
		clearAway(path, found, own.token, clock);
	}
	return { kind: "busy", pid: undefined };
}

/** Creates the file with its content in one step, so that nobody reads half of it. False when it exists. */
function createWhole(path: string, content: string, token: string): boolean {
	const draft = `${path}.${token}`;
	writeFileSync(draft, content, { mode: 0o600 });
	try {
		linkSync(draft, path);
		return true;
	} catch (error) {
		if (codeOf(error) === "EEXIST") return false;
		return createWithoutLinks(path, content);
	} finally {
		removeQuietly(draft);
	}
}

/** For file systems without hard links: a reader may see the file empty for a moment, and then takes it for young. */
function createWithoutLinks(path: string, content: string): boolean {
	try {
		writeFileSync(path, content, { flag: "wx", mode: 0o600 });
		return true;
	} catch (error) {
		if (codeOf(error) === "EEXIST") return false;
		throw error;
	}
}

/**
 * Removes the lock if it is still the dead one that was read. Between reading and removing, another could have cleared
 * it away and taken it; so this happens behind a second file, which is held only for these few lines, without a pause.
 */
function clearAway(path: string, dead: string, token: string, clock: Clock): void {
	const guard = `${path}.clearing`;
	if (!createWhole(guard, token, token)) {
		// Whoever made it died right between the lines below. It is nobody's any more.
		if (ageMs(guard, clock) > UNREADABLE_MS) removeQuietly(guard);
		return;
	}
	removeIf(path, dead);
	removeQuietly(guard);
}

function removeIf(path: string, content: string): void {
	if (readOr(path) === content) removeQuietly(path);
}

function ageMs(path: string, clock: Clock): number {
	try {
		return clock.now() - statSync(path).mtimeMs;
	} catch {
		return 0;
	}
}

function readOr(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return undefined;
	}
}

function removeQuietly(path: string): void {
	try {
		unlinkSync(path);
	} catch {
		// Gone already, or its folder is.
	}
}
