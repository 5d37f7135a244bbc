import type { ProcessIdentity, ProcessInfo, ProcessTable } from "./process-table.ts";

/**
 * Everything one agy has started, as far as it was ever seen. agy (from 1.2.0) gives each command its own process group,
 * and a command whose parent died hangs below init, so neither the group nor descent from agy alone finds them all:
 * what was seen once is remembered, and on Linux the marker in the environment finds what was never seen.
 */
export class ProcessTree {
	readonly #table: ProcessTable;
	readonly #root: ProcessIdentity;
	readonly #marker: string | undefined;
	readonly #known = new Map<number, ProcessIdentity>();

	/** `marker`: a piece of environment that only this run's processes have, `NAME=value`. */
	constructor(table: ProcessTable, root: ProcessIdentity, marker?: string) {
		this.#table = table;
		this.#root = root;
		this.#marker = marker;
		this.#known.set(root.pid, root);
	}

	/** Looks again, and returns those of the tree that live now. Cheap enough for every few seconds, not for every event. */
	async refresh(): Promise<readonly ProcessInfo[]> {
		const [all, marked] = await Promise.all([
			this.#table.list(),
			this.#marker === undefined ? [] : this.#table.withEnvironment(this.#marker, this.#root.startTime),
		]);
		for (const process of marked) this.#known.set(process.pid, process);
		const living = livingTree(all, [...this.#known.values()], this.#root.pid);
		for (const process of living) this.#known.set(process.pid, process);
		return living;
	}
}

/**
 * Pure: the known processes that are still the same ones, all that descends from them, and the other members of the
 * groups they lead. The group of `root` counts also when root is gone: its number is not given away while the group has
 * members. This process is never among them.
 */
export function livingTree(
	all: readonly ProcessInfo[],
	known: readonly ProcessIdentity[],
	root: number,
): ProcessInfo[] {
	const byPid = new Map(all.map((info) => [info.pid, info]));
	const tree = new Map<number, ProcessInfo>();
	const add = (info: ProcessInfo | undefined) => {
		if (info !== undefined && info.pid !== process.pid) tree.set(info.pid, info);
	};
	for (const { pid, startTime } of known) {
		const info = byPid.get(pid);
		if (info?.startTime === startTime) add(info);
	}
	if (!byPid.has(root)) for (const info of all) if (info.group === root) add(info);
	for (let before = -1; before !== tree.size; ) {
		before = tree.size;
		for (const info of all) if (tree.has(info.parent) || tree.get(info.group)?.group === info.group) add(info);
	}
	return [...tree.values()];
}
