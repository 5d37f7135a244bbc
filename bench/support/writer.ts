/**
 * agy's side of a measurement, in a process of its own: makes the commits of the script named as argument, with random
 * gaps, and prints when each of them returned (nanoseconds of the monotonic clock, which all processes share).
 */
import { join } from "node:path";
import { ConversationDatabase } from "../../tests/fake-agy/database.ts";
import { encode } from "../../tests/support/agy-proto.ts";
import { random } from "./statistics.ts";
import type { WriterScript } from "./writer-process.ts";

const PLANNER = 15;
const RUN_COMMAND = 21;
const NONE = { metadata: null, errorDetails: null, permissions: null, taskDetails: null, renderInfo: null };

const script = JSON.parse(process.argv[2] ?? "") as WriterScript;
const database = new ConversationDatabase(join(script.directory, "c.db"), {
	synchronous: script.synchronous,
	busyTimeout: 0,
	commitLog: undefined,
});
const nextRandom = random(1);
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const returned: string[] = [];

function commit(idx: number, stepType: number, status: number, payload: Uint8Array): void {
	const { minGapMs, maxGapMs } = script;
	Atomics.wait(sleeper, 0, 0, minGapMs + nextRandom() * (maxGapMs - minGapMs));
	database.upsertStep({ idx, stepType, status, payload, ...NONE });
	returned.push(String(process.hrtime.bigint()));
}

/** A planner row as agy writes it: the text stands in it twice. */
function planner(text: string, status: number): Uint8Array {
	return encode("Step", { type: PLANNER, status, plannerResponse: { response: text, modifiedResponse: text } });
}

function command(idx: number, status: number, output: string): Uint8Array {
	const runCommand = { commandLine: `step ${idx}`, combinedOutput: { full: output } };
	return encode("Step", { type: RUN_COMMAND, status, runCommand });
}

switch (script.kind) {
	case "versions":
		// Rows that grow over ten commits each; the text begins with the number of the commit.
		for (let n = 0; n < script.commits; n++) {
			const status = n % 10 === 9 ? 3 : 8;
			commit(Math.floor(n / 10), PLANNER, status, planner(`${n} ${"word ".repeat(20 * (1 + (n % 10)))}`, status));
		}
		break;
	case "long-answer": {
		const text = "A long answer, word by word. ".repeat(script.bytes / 29);
		for (let n = 1; n <= script.commits; n++) {
			commit(0, PLANNER, 8, planner(text.slice(0, (text.length * n) / script.commits), 8));
		}
		commit(0, PLANNER, 3, planner(text, 3));
		break;
	}
	case "many-steps":
		for (let idx = 0; idx < script.steps; idx++) {
			commit(idx, RUN_COMMAND, 1, command(idx, 1, ""));
			commit(idx, RUN_COMMAND, 2, command(idx, 2, "output ".repeat(100)));
			commit(idx, RUN_COMMAND, 3, command(idx, 3, "output ".repeat(300)));
		}
		break;
}
// Wait for the reader before the log is folded in, as agy leaves it in place.
process.stdout.write(`${JSON.stringify(returned)}\n`);
process.stdin.once("data", () => process.exit());
