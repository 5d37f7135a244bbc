import { isAbsolute, join, resolve } from "node:path";

const MENTION = /(?:^|[\s("'`])@(?:"([^"\n]+)"|([^\s"'`<>()]+))/g;

/** The most that are looked up; a pasted log may hold any number of `@`. */
const MAX_LOOKED_UP = 50;

/**
 * The absolute paths of files and folders that a text names as `@path` or `@"path"`, each once. What does not exist is no
 * mention: an address, a package name, a decorator.
 */
export function mentionedPaths(
	text: string,
	places: { readonly cwd: string; readonly home: string },
	exists: (path: string) => boolean,
): string[] {
	const found = new Set<string>();
	let looked = 0;
	for (const [, quoted, bare] of text.matchAll(MENTION)) {
		if (++looked > MAX_LOOKED_UP) break;
		const named = quoted ?? bare ?? "";
		for (const candidate of quoted === undefined ? [named, named.replace(/[.,;:!?]+$/, "")] : [named]) {
			const path = absolute(candidate, places);
			if (path === undefined || !exists(path)) continue;
			found.add(path);
			break;
		}
	}
	return [...found];
}

function absolute(named: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string | undefined {
	if (named === "") return undefined;
	if (named.startsWith("~/")) return join(home, named.slice(2));
	return isAbsolute(named) ? named : resolve(cwd, named);
}
