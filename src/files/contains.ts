import { isAbsolute, relative, sep } from "node:path";

/** Whether `inner` is `outer` or lies below it; both absolute. */
export function contains(outer: string, inner: string): boolean {
	const way = relative(outer, inner);
	return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
