const MOST = 8;

/** What to choose instead of a model that does not exist: `alike` may have been meant, `available` are all there are. */
export function chooseModel(names: {
	readonly available: readonly string[];
	readonly alike?: readonly string[];
}): string {
	const { available, alike = [] } = names;
	const meant = alike.length > 0 && alike.length < available.length ? `Did you mean ${alike.join(" or ")}? ` : "";
	return `${meant}Choose one of: ${someOf(available)}.`;
}

/** As many names as fit into a sentence. */
function someOf(names: readonly string[]): string {
	const shown = names.slice(0, MOST).join(", ");
	return names.length > MOST ? `${shown} and ${names.length - MOST} more (/model lists them)` : shown;
}
