import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeStep } from "../../src/decode/step.ts";
import { loadSqlite } from "../../src/tail/load-sqlite.ts";
import type { ScenarioStep } from "../../tests/support/scenario.ts";
import type { Figure, Measurement } from "../measurement.ts";
import { withFolder } from "../support/folder.ts";
import { latencyFigures } from "../support/latency-figures.ts";
import { Poller } from "../support/poller.ts";
import { type BenchProvider, withProvider } from "../support/provider.ts";
import { random } from "../support/statistics.ts";
import { monotonicMs } from "../support/writer-process.ts";

const COMMITS = 300;

export const measurement: Measurement = {
	title: `From the return of agy's COMMIT to the event on pi's stream (${COMMITS} commits, 5 to 55 ms apart)`,
	comparedWith: "250 ms poller",
	async run() {
		return [...(await measure("FULL")), ...(await measure("NORMAL"))];
	},
};

async function measure(synchronous: "FULL" | "NORMAL"): Promise<Figure[]> {
	const next = random(2);
	const words = Array.from({ length: COMMITS }, (): ScenarioStep[] => [
		{ pause: 5 + Math.round(next() * 50) },
		{ say: `word ` },
	]);
	// The answer is only in the database: what is measured is the way through it.
	const scenario = { steps: words.flat(), stdout: { text: false }, database: { placeholder: "none" as const } };
	return withFolder(async (folder) => {
		const log = join(folder, "commits.jsonl");
		const env = { FAKE_AGY_COMMIT_LOG: log, FAKE_AGY_SYNCHRONOUS: synchronous };
		return withProvider(scenario, env, (provider) => measureAnswer(provider, log, synchronous));
	});
}

async function measureAnswer(
	{ home, ask }: BenchProvider,
	log: string,
	synchronous: "FULL" | "NORMAL",
): Promise<Figure[]> {
	const ours = new WordTimes();
	const theirs = new WordTimes();
	const stopPoller = await pollLater(home.conversations, (text) => theirs.grownTo(text));
	let text = "";
	for await (const event of ask("count")) {
		if (event.type === "text_delta") {
			text += event.delta;
			ours.grownTo(text);
		}
		if (event.type === "error") throw new Error(event.error.errorMessage);
	}
	stopPoller();
	const returned = answerCommits(log);
	return latencyFigures(
		synchronous,
		COMMITS,
		{ latencies: ours.latencies(returned), commits: ours.words },
		{ latencies: theirs.latencies(returned), commits: theirs.words },
	);
}

/** When the answer first had so many words. */
class WordTimes {
	readonly #at: number[] = [];

	get words(): number {
		return this.#at.length;
	}

	grownTo(text: string): void {
		const words = text.length / "word ".length;
		while (this.#at.length < words) this.#at.push(monotonicMs());
	}

	/** Only of the words that came: the poller misses the last ones when the run ends first. */
	latencies(returned: readonly number[]): number[] {
		return this.#at.map((at, word) => Math.max(0, at - (returned[word] ?? Number.NaN)));
	}
}

/** When the stand-in's commits of growing text returned, in milliseconds of the monotonic clock. */
function answerCommits(log: string): number[] {
	const lines = readFileSync(log, "utf8").trim().split("\n");
	const commits = lines.map(
		(line) => JSON.parse(line) as { at: string; table: string; type?: number; status?: number },
	);
	const growing = commits.filter(({ table, type, status }) => table === "steps" && type === 15 && status === 8);
	if (growing.length < COMMITS) throw new Error(`${growing.length} commits instead of ${COMMITS}`);
	return growing.map(({ at }) => Number(BigInt(at)) / 1e6);
}

/** Polls the first conversation that appears in the folder. */
async function pollLater(folder: string, onText: (text: string) => void): Promise<() => void> {
	const sqlite = await loadSqlite();
	let poller: Poller | undefined;
	const timer = setInterval(() => {
		const file = existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith(".db")) : undefined;
		if (file === undefined) return;
		clearInterval(timer);
		poller = new Poller(join(folder, file), sqlite, (rows) => {
			for (const row of rows) {
				const { body } = decodeStep(row);
				if (body.kind === "planner") onText(body.text);
			}
		});
	}, 20);
	return () => {
		clearInterval(timer);
		poller?.close();
	};
}
