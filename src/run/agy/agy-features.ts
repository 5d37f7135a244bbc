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

/** What one version of agy can do, as far as it matters for starting it and understanding its end. */
export interface AgyFeatures {
	/** Undefined: it could not be read. */
	readonly version: AgyVersion | undefined;
	readonly belowFloor: boolean;
	/** `--output-format stream-json`, since 1.1.8. */
	readonly streamJson: boolean;
	/** `--model` takes slugs, since 1.1.5; before only display labels. */
	readonly slugs: boolean;
	/** `--effort`, since 1.1.5. */
	readonly effort: boolean;
	/** The prompt is read from stdin when no prompt flag is given, since 1.1.1. */
	readonly stdinPrompt: boolean;
	/** `--mode` counts in print mode, since 1.1.12. */
	readonly mode: boolean;
	/** `--agent`, since 1.1.1, and agents without the built-in tools (`excludeDefaultComponents`), since 1.2.1. */
	readonly toollessAgents: boolean;
	/** `/commands` and `!commands` are read in print mode, since 1.1.9, and can be switched off. */
	readonly disableSlashCommands: boolean;
	/** `--sandbox` counts in print mode, since 1.0.6. */
	readonly sandbox: boolean;
}

/**
 * What a version can do. Of an unreadable version the least is assumed that runs everywhere: no flag that an old agy
 * rejects, text output, the conversation found by its open file. It does not count as too old.
 */
export function featuresOf(version: AgyVersion | undefined): AgyFeatures {
	const since = (text: string) => version !== undefined && compareVersions(version, parseVersion(text)) >= 0;
	return {
		version,
		belowFloor: version !== undefined && !since(FLOOR),
		streamJson: since("1.1.8"),
		slugs: since("1.1.5"),
		effort: since("1.1.5"),
		stdinPrompt: since("1.1.1"),
		mode: since("1.1.12"),
		toollessAgents: since("1.2.1"),
		disableSlashCommands: since("1.1.9"),
		sandbox: since("1.0.6"),
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
