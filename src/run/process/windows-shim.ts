/** A command line for `cmd.exe`, to be passed on exactly as it is (`windowsVerbatimArguments`). */
export interface ShimCommand {
	readonly file: string;
	readonly args: readonly string[];
}

/** Whether Windows can start this file only through `cmd.exe`. */
export function isShim(executable: string): boolean {
	return /\.(cmd|bat)$/i.test(executable);
}

/**
 * How to start a `.cmd` or `.bat` file: Node refuses to do it without a shell, since arguments could then be read as
 * commands. Undefined for everything else. Text of a user must not come this way: line ends cannot be expressed.
 */
export function shimCommand(
	executable: string,
	argv: readonly string[],
	env: Readonly<Record<string, string | undefined>>,
): ShimCommand | undefined {
	if (!isShim(executable)) return undefined;
	const line = [escapeMeta(executable), ...argv.map(escapeArgument)].join(" ");
	return { file: env.ComSpec ?? env.COMSPEC ?? "cmd.exe", args: ["/d", "/s", "/c", `"${line}"`] };
}

/** Quotes as the C run-time of Windows reads it: backslashes count only before a quote. */
export function quoteWindowsArgument(argument: string): string {
	return `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
}

function escapeArgument(argument: string): string {
	// The shim hands its arguments through cmd.exe a second time.
	return escapeMeta(escapeMeta(quoteWindowsArgument(argument)));
}

function escapeMeta(text: string): string {
	return text.replace(/[()\][%!^"`<>&|;, *?]/g, "^$&");
}
