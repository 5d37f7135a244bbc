import { isShim, quoteWindowsArgument } from "../process/windows-shim.ts";

/** Largest single argument on Linux, in bytes, with its closing zero (MAX_ARG_STRLEN). */
const LINUX_ARGUMENT_BYTES = 131_072;
/** macOS limits all arguments and the environment together to 1 MiB; this leaves room for the environment. */
const MACOS_ALL_BYTES = 524_288;
/** Longest command line of CreateProcess, in UTF-16 units, with its closing zero. */
const WINDOWS_LINE_UNITS = 32_767;
/** Longest command line of cmd.exe. Shims quote twice, so half of it is what counts. */
const CMD_LINE_UNITS = 8_191 / 2;

/** Whether the system will take this command line. An argument with a zero character never fits. */
export function fitsCommandLine(executable: string, argv: readonly string[], platform: NodeJS.Platform): boolean {
	if (argv.some((arg) => arg.includes("\0"))) return false;
	if (platform === "win32") {
		const units = [executable, ...argv].reduce((sum, arg) => sum + quoteWindowsArgument(arg).length + 1, 0);
		return units <= (isShim(executable) ? CMD_LINE_UNITS : WINDOWS_LINE_UNITS);
	}
	const sizes = argv.map((arg) => Buffer.byteLength(arg) + 1);
	if (platform === "linux") return sizes.every((size) => size <= LINUX_ARGUMENT_BYTES);
	return sizes.reduce((sum, size) => sum + size, 0) <= MACOS_ALL_BYTES;
}
