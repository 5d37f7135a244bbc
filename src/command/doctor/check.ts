/** One finding of the doctor. */
export interface Check {
	readonly level: "ok" | "warning" | "problem";
	/** What was looked at, in a word or two. */
	readonly name: string;
	/** What was found. */
	readonly text: string;
	/** What to do about it. */
	readonly remedy?: string;
	/** More, for `--verbose`. */
	readonly details?: readonly string[];
}

/** A finding that needs no action. */
export function ok(name: string, text: string, details: readonly string[] = []): Check {
	return { level: "ok", name, text, details };
}

/** Turns work, and something is not as it could be. */
export function warning(name: string, text: string, remedy: string, details: readonly string[] = []): Check {
	return { level: "warning", name, text, remedy, details };
}

/** Turns cannot work, or not rightly, until this is put right. */
export function problem(name: string, text: string, remedy: string, details: readonly string[] = []): Check {
	return { level: "problem", name, text, remedy, details };
}

const MARKS = { ok: "✓", warning: "!", problem: "✗" } as const;

/** One finding as lines. */
export function formatCheck({ level, name, text, remedy, details = [] }: Check, verbose: boolean): string[] {
	return [
		`${MARKS[level]} ${name}: ${text}`,
		...(remedy === undefined ? [] : [`    → ${remedy}`]),
		...(verbose ? details.map((detail) => `    ${detail}`) : []),
	];
}

/** The findings as lines, the sum of them last. */
export function formatChecks(checks: readonly Check[], verbose: boolean): string[] {
	const count = (level: Check["level"]) => checks.filter((check) => check.level === level).length;
	const sum = `${plural(count("problem"), "problem")}, ${plural(count("warning"), "warning")}.`;
	return [...checks.flatMap((check) => formatCheck(check, verbose)), sum];
}

function plural(count: number, word: string): string {
	return `${count === 0 ? "no" : count} ${word}${count === 1 ? "" : "s"}`;
}
