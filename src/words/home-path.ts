import { homedir } from "node:os";
import { sep } from "node:path";

/** `path` for people: `~` stands for the home folder, as in a shell. */
export function homePath(path: string, home: string = homedir()): string {
	const folder = home.endsWith(sep) ? home : home + sep;
	return path.startsWith(folder) ? `~${sep}${path.slice(folder.length)}` : path;
}
