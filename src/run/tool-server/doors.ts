/**
 * Ways to lead agy to an MCP server. Which of them an agy takes differs by version, and reports disagree:
 * - `workspace-file`: `.agents/mcp_config.json` in a folder named with `--add-dir` (worked with 1.1.7, later not for some);
 * - `workspace-plugin`: a plugin under `.agents/plugins` there (works with 1.3.3);
 * - `global-entry`: an entry in the file all agy processes of the user share (all versions).
 */
export type Door = "workspace-file" | "workspace-plugin" | "global-entry";

/** The doors that only our own agy can see. */
const PRIVATE_DOORS: readonly Door[] = ["workspace-file", "workspace-plugin"];

export interface DoorChoice {
	/** The door this version of agy took before. */
	readonly known: Door | undefined;
	/** Those it was shown by this pi process and did not take. */
	readonly failed: ReadonlySet<Door>;
	/** The user allows an entry in the shared file. */
	readonly globalAllowed: boolean;
}

/** Pure: which doors to open for a run; none when all that may be tried have failed. */
export function chooseDoors({ known, failed, globalAllowed }: DoorChoice): readonly Door[] {
	const usable = (door: Door) => !failed.has(door) && (door !== "global-entry" || globalAllowed);
	if (known !== undefined && usable(known)) return [known];
	const hidden = PRIVATE_DOORS.filter(usable);
	if (hidden.length > 0) return hidden;
	return usable("global-entry") ? ["global-entry"] : [];
}

/** Whether `text`, from a file or an address, names a door. */
export function isDoor(text: string): text is Door {
	return text === "global-entry" || PRIVATE_DOORS.some((door) => door === text);
}
