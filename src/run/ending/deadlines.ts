import type { Settings } from "../../config/schema.ts";

/** How long agy may take, in milliseconds. */
export interface Limits {
	readonly startUpMs: number;
	readonly inactivityMs: number;
	readonly totalMs: number;
}

export type Deadline = "start-up" | "inactivity" | "total";

/** The times of one agy process, in milliseconds since the epoch. */
export interface Vitals {
	readonly startedAt: number;
	/** Its first message or commit. Absent: no sign of life yet. */
	readonly firstSignAt: number | undefined;
	/** Its latest message, commit or output of any kind. */
	readonly lastSignAt: number;
	/** One of its tools is visibly running: it lives, however silent. */
	readonly toolRunning: boolean;
	/** It asked for a sign-in, which nobody can give here. */
	readonly asksForSignIn: boolean;
}

export type DeadlineVerdict =
	| { readonly kind: "expired"; readonly which: Deadline; readonly seconds: number }
	/** Nothing can expire before this time. */
	| { readonly kind: "alive"; readonly untilMs: number };

/** An agy that asks for a sign-in may still find its key ring (seen: 2 s late), but not for long. */
const SIGN_IN_MS = 15_000;

/** The limits that the settings give; `totalDeadlineMs` stands in for theirs on the whole run. */
export function limitsOf(
	settings: Pick<Settings, "startUpSeconds" | "inactivitySeconds" | "turnSeconds">,
	totalDeadlineMs: number | undefined,
): Limits {
	return {
		startUpMs: settings.startUpSeconds * 1_000,
		inactivityMs: settings.inactivitySeconds * 1_000,
		totalMs: totalDeadlineMs ?? settings.turnSeconds * 1_000,
	};
}

/** Pure: which deadline has passed, else when to look again. */
export function checkDeadlines(vitals: Vitals, limits: Limits, nowMs: number): DeadlineVerdict {
	const due = dueDeadlines(vitals, limits, nowMs).sort((a, b) => a.atMs - b.atMs);
	const [first] = due;
	if (first === undefined || first.atMs > nowMs) return { kind: "alive", untilMs: first?.atMs ?? Infinity };
	return { kind: "expired", which: first.which, seconds: Math.round(first.limitMs / 1_000) };
}

interface Due {
	readonly which: Deadline;
	readonly limitMs: number;
	readonly atMs: number;
}

function dueDeadlines(vitals: Vitals, { startUpMs, inactivityMs, totalMs }: Limits, nowMs: number): Due[] {
	const total: Due = { which: "total", limitMs: totalMs, atMs: vitals.startedAt + totalMs };
	if (vitals.firstSignAt === undefined) {
		const limitMs = vitals.asksForSignIn ? Math.min(startUpMs, SIGN_IN_MS) : startUpMs;
		return [total, { which: "start-up", limitMs, atMs: vitals.startedAt + limitMs }];
	}
	const silentSince = vitals.toolRunning ? nowMs : vitals.lastSignAt;
	return [total, { which: "inactivity", limitMs: inactivityMs, atMs: silentSince + inactivityMs }];
}
