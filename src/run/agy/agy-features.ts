/** A version of agy, `1.2.14`. */
export interface AgyVersion {
	readonly major: number;
	readonly minor: number;
	readonly patch: number;
}

/**
 * The oldest agy this works with: older ones write nothing to a piped stdout and may wait for ever (agy 1.0.15 and
 * 1.0.16 changelogs). Between the floor and 1.1.8 there is no stream-json: the conversation is found by its open file
 * and the end of a turn by the process's exit.
 */
export const FLOOR = "1.0.16";

/** What came with which version of agy, as far as it matters here (agy's changelog). */
export const SINCE = {
	/** `--sandbox` counts in print mode. */
	sandbox: "1.0.6",
	/** The prompt is read from stdin when no prompt flag is given. */
	stdinPrompt: "1.1.1",
	/** `--model` takes slugs; before only display labels. */
	slugs: "1.1.5",
	/** `--effort`. */
	effort: "1.1.5",
	/** `--output-format stream-json`. */
	streamJson: "1.1.8",
	/** `/commands` and `!commands` are read in print mode, and can be switched off. */
	disableSlashCommands: "1.1.9",
	/** `/usage` is answered by agy itself; an older one would send it to the model as a prompt. */
	usage: "1.1.11",
	/** `--mode` counts in print mode. */
	mode: "1.1.12",
	/** `GEMINI_API_KEY`, with agy's setting `modelProvider`. */
	apiKey: "1.1.13",
	/** Agents without the built-in tools (`excludeDefaultComponents`); `--agent` itself came with 1.1.1. */
	toollessAgents: "1.2.1",
} as const;

export type AgyFeature = keyof typeof SINCE;

/** What one version of agy can do. */
export interface AgyFeatures extends Readonly<Record<AgyFeature, boolean>> {
	/** Undefined: it could not be read. */
	readonly version: AgyVersion | undefined;
	readonly belowFloor: boolean;
}

/**
 * What a version can do. Of an unreadable version the least is assumed that runs everywhere: no flag that an old agy
 * rejects, text output, the conversation found by its open file. It does not count as too old.
 */
export function featuresOf(version: AgyVersion | undefined): AgyFeatures {
	const has = (since: string) => version !== undefined && compareVersions(version, parseVersion(since)) >= 0;
	return {
		version,
		belowFloor: version !== undefined && !has(FLOOR),
		sandbox: has(SINCE.sandbox),
		stdinPrompt: has(SINCE.stdinPrompt),
		slugs: has(SINCE.slugs),
		effort: has(SINCE.effort),
		streamJson: has(SINCE.streamJson),
		disableSlashCommands: has(SINCE.disableSlashCommands),
		usage: has(SINCE.usage),
		mode: has(SINCE.mode),
		apiKey: has(SINCE.apiKey),
		toollessAgents: has(SINCE.toollessAgents),
	};
}

/** The first thing in `text` that looks like a version: agy prints a bare `1.2.14` or `agy version 1.2.14`. */
export function parseVersion(text: string): AgyVersion | undefined {
	const [, major, minor, patch] = /(?<![\d.])(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(text) ?? [];
	if (patch === undefined) return undefined;
	return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

/** `1.2.14`. */
export function formatVersion(version: AgyVersion): string {
	return `${version.major}.${version.minor}.${version.patch}`;
}

/** Negative, zero or positive, as for sorting; undefined counts as older than everything. */
export function compareVersions(a: AgyVersion | undefined, b: AgyVersion | undefined): number {
	if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
	return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}
