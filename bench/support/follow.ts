import { join } from "node:path";
import type { StepRow } from "../../src/decode/step-types.ts";
import { systemClock } from "../../src/engine/clock.ts";
import type { Sqlite } from "../../src/tail/sqlite.ts";
import { Tail } from "../../src/tail/tail.ts";
import { Poller } from "./poller.ts";

/** A way to follow the conversation `c` in a folder. */
export type Reader = "tail" | "tail without file events" | "poller";

/** Starts to follow; the returned function ends it. */
export function follow(
	reader: Reader,
	directory: string,
	sqlite: Sqlite,
	onRows: (rows: readonly StepRow[]) => void,
): () => void {
	if (reader === "poller") {
		const poller = new Poller(join(directory, "c.db"), sqlite, onRows);
		return () => poller.close();
	}
	const tail = new Tail({
		directory,
		conversationId: "c",
		resume: false,
		sqlite,
		clock: systemClock,
		fileEvents: reader === "tail",
		onBatch: (batch) => onRows(batch.rows),
		onProblem: (problem) => {
			throw new Error(`${problem.path}: ${problem.cause}`);
		},
	});
	tail.start();
	return () => tail.close();
}
