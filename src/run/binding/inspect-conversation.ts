import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { decodeStep, isUnknownStep } from "../../decode/step.ts";
import { pathOf } from "../../decode/steps/file-uri.ts";
import { ConversationDb } from "../../tail/conversation-db.ts";
import { loadSqlite } from "../../tail/load-sqlite.ts";
import { hasFileEvents } from "../../tail/watcher.ts";
import { type IdleParts, type IdleResult, whileIdle } from "./idle-conversation.ts";
import { readConversationRecord } from "./read-parent.ts";

/** The absolute folders that conversation `id` was started for; none where its database names none. Rejects when it cannot be read. */
export async function workspacesOf(id: string, idle: IdleParts): Promise<IdleResult<readonly string[]>> {
	const sqlite = await loadSqlite();
	return whileIdle(id, idle, (path) => (readConversationRecord(sqlite, path)?.workspaceUris ?? []).map(pathOf));
}

export interface StepCount {
	readonly steps: number;
	/** Those of a kind or in a state that is not known here. */
	readonly unknownSteps: number;
}

/** Reads conversation `id` as a turn would. Rejects when it cannot be read. */
export async function countSteps(id: string, idle: IdleParts): Promise<IdleResult<StepCount>> {
	const sqlite = await loadSqlite();
	return whileIdle(id, idle, (path) => {
		const database = new ConversationDb({ path, sqlite, clock: idle.clock });
		try {
			const steps = database.finish().rows.map(decodeStep);
			return { steps: steps.length, unknownSteps: steps.filter(isUnknownStep).length };
		} finally {
			database.close();
		}
	});
}

/** How a turn would hear of changes in `folder`, which agy may not have made yet. `wanted`: the setting `fileEvents`. */
export async function changesAreToldBy(folder: string, wanted: boolean): Promise<"events" | "polling"> {
	return hasFileEvents(await existingFolder(folder), wanted) ? "events" : "polling";
}

/** The folder, or the nearest one above it that is there. */
async function existingFolder(folder: string): Promise<string> {
	const found = await stat(folder).catch(() => undefined);
	return found !== undefined || folder === dirname(folder) ? folder : existingFolder(dirname(folder));
}
