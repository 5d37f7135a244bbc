import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where agy looks for context files by itself. */
export interface Workspace {
	readonly cwd: string;
	/** The root of the repository that `cwd` is in; `cwd` itself where there is none. */
	readonly root: string;
}

/** Finds the repository around an absolute folder. */
export function findWorkspace(cwd: string): Workspace {
	for (let folder = cwd; ; folder = dirname(folder)) {
		if (existsSync(join(folder, ".git"))) return { cwd, root: folder };
		if (folder === dirname(folder)) return { cwd, root: cwd };
	}
}
