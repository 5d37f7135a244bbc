import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { posix, win32 } from "node:path";

export interface LocateOptions {
	/** The setting `agyPath` or the variable `AGY_BIN`: a path, or a name to look for on PATH. Nothing else is tried then. */
	readonly agyPath?: string | undefined;
	readonly env?: Readonly<Record<string, string | undefined>>;
	readonly platform?: NodeJS.Platform;
	readonly home?: string;
	/** Whether this is a file that may be executed; for tests. */
	readonly isExecutable?: (path: string) => boolean;
}

export type AgyLocation =
	/** An absolute path. It may be a link: agy's updater replaces what it points to. */
	| { readonly kind: "found"; readonly path: string }
	/** Every place that was looked at, for the message. */
	| { readonly kind: "missing"; readonly searched: readonly string[] };

/** Finds the agy binary by looking at a few files; nothing is started. */
export function locateAgy(options: LocateOptions = {}): AgyLocation {
	const { env = process.env, platform = process.platform, home = homedir() } = options;
	const isExecutable = options.isExecutable ?? ((path: string) => isExecutableFile(path, platform));
	const named = options.agyPath?.trim() || env.AGY_BIN?.trim() || undefined;
	const candidates = candidatePaths(named, { env, platform, home });
	const path = candidates.find(isExecutable);
	return path === undefined ? { kind: "missing", searched: candidates } : { kind: "found", path };
}

interface Surroundings {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly platform: NodeJS.Platform;
	readonly home: string;
}

/** Pure: where agy may be, the best place first. */
export function candidatePaths(named: string | undefined, { env, platform, home }: Surroundings): string[] {
	const { join, isAbsolute, resolve, delimiter } = platform === "win32" ? win32 : posix;
	const endings = platform === "win32" ? windowsEndings(env.PATHEXT) : [""];
	const withEndings = (path: string) =>
		endings.some((ending) => ending !== "" && path.toLowerCase().endsWith(ending))
			? [path]
			: endings.map((e) => path + e);
	if (named !== undefined && /[/\\]/.test(named)) {
		return withEndings(resolve(named.replace(/^~(?=[/\\])/, () => home)));
	}
	// A relative entry on PATH would start whatever lies in the project that is worked on.
	const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
	if (named === undefined) folders.push(join(home, ".local", "bin"));
	return [...new Set(folders.flatMap((folder) => withEndings(join(folder, named ?? "agy"))))];
}

function windowsEndings(pathExt = ".COM;.EXE;.BAT;.CMD"): string[] {
	return pathExt.split(";").flatMap((ending) => (ending.trim() === "" ? [] : [ending.trim().toLowerCase()]));
}

function isExecutableFile(path: string, platform: NodeJS.Platform): boolean {
	try {
		if (!statSync(path).isFile()) return false;
		if (platform !== "win32") accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
