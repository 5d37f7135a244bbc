import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** What a process holds in the kernel. */
export interface OpenThings {
	/** Files, pipes, sockets: what each descriptor leads to, without the parts that differ from one to the next. */
	readonly descriptors: Readonly<Record<string, number>>;
	/** Files and folders that are watched for changes. */
	readonly watches: number;
}

/** Looks at a process of this machine, by default at this one. Linux only. */
export function openThings(pid: number | "self" = "self"): OpenThings {
	const descriptors: Record<string, number> = {};
	let watches = 0;
	for (const fd of readdirSync(`/proc/${pid}/fd`)) {
		const target = read(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
		// The folder that is being listed is itself among them.
		if (target === undefined || /^\/proc\/\d+\/fd$/.test(target)) continue;
		const kind = target.replace(/:?\[\d+\]$/, "").replace(/^.*\/conversations\/.*\.db/, "a conversation's database");
		descriptors[kind] = (descriptors[kind] ?? 0) + 1;
		const info = read(() => readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8")) ?? "";
		watches += info.match(/^inotify wd:/gm)?.length ?? 0;
	}
	return { descriptors, watches };
}

/** What there is more of than before. Less is no leak: a guardian that has nothing to watch goes home, with its pipe. */
export function leaks(before: OpenThings, now: OpenThings): string[] {
	const kinds = Object.entries(now.descriptors).flatMap(([kind, count]) => {
		const known = before.descriptors[kind] ?? 0;
		return count > known ? [`${kind}: ${count} instead of ${known}`] : [];
	});
	return now.watches > before.watches ? [...kinds, `watches: ${now.watches} instead of ${before.watches}`] : kinds;
}

/** A descriptor may be closed between the listing and the look. */
function read<Value>(look: () => Value): Value | undefined {
	try {
		return look();
	} catch {
		return undefined;
	}
}
