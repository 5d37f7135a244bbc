import { decodeStep } from "../../src/decode/step.ts";
import type { StepRow } from "../../src/decode/step-types.ts";
import { loadSqlite } from "../../src/tail/load-sqlite.ts";
import type { Figure, Measurement } from "../measurement.ts";
import { withFolder } from "../support/folder.ts";
import { follow } from "../support/follow.ts";
import { latencyFigures, type Seen } from "../support/latency-figures.ts";
import { monotonicMs, startWriter } from "../support/writer-process.ts";

const COMMITS = 300;

export const measurement: Measurement = {
	title: `From the return of agy's COMMIT to the decoded row (${COMMITS} commits, 5 to 55 ms apart)`,
	comparedWith: "250 ms poller",
	async run() {
		return [...(await measure("FULL")), ...(await measure("NORMAL"))];
	},
};

async function measure(synchronous: "FULL" | "NORMAL"): Promise<Figure[]> {
	const sqlite = await loadSqlite();
	return withFolder(async (directory) => {
		const tail = new Arrivals();
		const poller = new Arrivals();
		const endTail = follow("tail", directory, sqlite, (rows) => tail.note(rows));
		const endPoller = follow("poller", directory, sqlite, (rows) => poller.note(rows));
		const writer = startWriter({
			kind: "versions",
			commits: COMMITS,
			directory,
			synchronous,
			minGapMs: 5,
			maxGapMs: 55,
		});
		const returned = await writer.commits;
		while (poller.seen < COMMITS) await new Promise((resolve) => setTimeout(resolve, 50));
		endTail();
		endPoller();
		writer.end();
		return [
			...latencyFigures(synchronous, COMMITS, seenBy(tail, returned), seenBy(poller, returned)),
			{
				name: `commits seen one by one at synchronous=${synchronous}`,
				unit: "",
				value: tail.separately,
				compared: poller.separately,
			},
		];
	});
}

function seenBy(arrivals: Arrivals, returned: readonly number[]): Seen {
	return { latencies: arrivals.latencies(returned), commits: arrivals.seen };
}

/** When the content of each commit was first there, in itself or in that of a later one. */
class Arrivals {
	readonly #at: number[] = [];
	separately = 0;

	get seen(): number {
		return this.#at.length;
	}

	note(rows: readonly StepRow[]): void {
		for (const row of rows) {
			const { body } = decodeStep(row);
			const commit = body.kind === "planner" ? Number.parseInt(body.text, 10) : -1;
			if (commit >= this.#at.length) this.separately++;
			while (this.#at.length <= commit) this.#at.push(monotonicMs());
		}
	}

	latencies(returned: readonly number[]): number[] {
		// A reader can see a commit a moment before the call that made it has returned.
		return returned.map((at, commit) => Math.max(0, (this.#at[commit] ?? Number.POSITIVE_INFINITY) - at));
	}
}
