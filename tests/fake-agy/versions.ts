/** What an agy version can do, as far as a driver notices (agy's changelog and reports of people who drive it). */
export interface Abilities {
	/** stdout reaches a pipe at all. */
	pipedStdout: boolean;
	/** Stdin is left alone when a prompt flag is given, and is the prompt when none is. */
	stdinPrompt: boolean;
	unknownModelIsError: boolean;
	/** `--model` takes slugs, `--effort` exists, `agy models` prints slugs. */
	slugs: boolean;
	slashCommands: boolean;
	/** `agy models` prints slug and label. */
	twoColumnModels: boolean;
	/** `agy models` does not wait for the end of stdin. */
	modelsIgnoreStdin: boolean;
	/** `/usage` and its like are answered without a turn. */
	slashAnswers: boolean;
	/** Prompt flags that swallow a flag, and stray arguments, are errors. */
	strictArguments: boolean;
	/** A row is inserted without payload first, then filled. */
	twoPhaseRows: boolean;
	/** Denied tools leave the exit code alone. */
	deniedIsSuccess: boolean;
	deniedActions: boolean;
	/** A print timeout is SUCCESS with what there is. */
	timeoutIsSuccess: boolean;
	/** Built-in tools are GENERIC rows around the real step; no history and ephemeral rows. */
	genericTools: boolean;
	/** Interrupted rows are rewritten to CANCELED. */
	recordsCanceled: boolean;
	/** Model failures are exit code 3 with an AGY_ERROR line. */
	agyError: boolean;
	/** Waits for background tasks as long as the print timeout allows. */
	waitsForBackground: boolean;
	/** Base slugs want `--effort`. */
	effortRequired: boolean;
}

/** The abilities of a version such as `1.2.10`. */
export function abilitiesOf(version: string): Abilities {
	const since = (first: string) => compareVersions(version, first) >= 0;
	return {
		pipedStdout: since("1.0.15"),
		stdinPrompt: since("1.1.1"),
		unknownModelIsError: since("1.1.2"),
		slugs: since("1.1.5"),
		slashCommands: since("1.1.9"),
		twoColumnModels: since("1.1.10"),
		modelsIgnoreStdin: since("1.1.23"),
		slashAnswers: since("1.1.11"),
		strictArguments: since("1.1.18"),
		twoPhaseRows: since("1.1.18"),
		deniedIsSuccess: since("1.1.20"),
		deniedActions: since("1.1.27"),
		timeoutIsSuccess: since("1.1.28"),
		genericTools: since("1.2.0"),
		recordsCanceled: since("1.2.0"),
		agyError: since("1.2.6"),
		waitsForBackground: since("1.2.9"),
		effortRequired: since("1.3.0"),
	};
}

/** Negative, zero or positive, like a sort callback; missing parts count as zero. */
export function compareVersions(a: string, b: string): number {
	const left = a.split(".").map(Number);
	const right = b.split(".").map(Number);
	for (let i = 0; i < 3; i++) {
		const difference = (left[i] ?? 0) - (right[i] ?? 0);
		if (difference !== 0) return difference;
	}
	return 0;
}
