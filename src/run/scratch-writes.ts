import type { AgyEvent, NoticeEvent } from "../engine/events.ts";
import { contains } from "../files/contains.ts";
import type { DataFolders } from "./agy/data-folders.ts";

/**
 * Pure: agy wrote into a scratch folder of its own instead of the working directory. It does that when it does not take
 * the directory for a workspace, as was reported for paths with a folder whose name begins with a dot.
 */
export function scratchNotice(
	event: AgyEvent,
	folders: Pick<DataFolders, "scratch" | "brain">,
): NoticeEvent | undefined {
	if (event.type !== "tool" || event.state !== "done" || event.diff === undefined) return undefined;
	const { path } = event.diff;
	const inScratch =
		contains(folders.scratch, path) || (contains(folders.brain, path) && /[/\\]scratch[/\\]/.test(path));
	if (!inScratch) return undefined;
	const text = `agy wrote ${path}, in its own scratch folder, not in the working directory.`;
	return { type: "notice", level: "warning", code: "scratch-write", text };
}
