/**
 * Run by Bun: follows the conversations named as arguments (folder, `new` or `resume`, ids) and prints what it sees, one
 * JSON object a line.
 */
import { systemClock } from "../../../src/engine/clock.ts";
import { DatabaseError } from "../../../src/tail/database-problem.ts";
import { loadSqlite } from "../../../src/tail/load-sqlite.ts";
import { Tail } from "../../../src/tail/tail.ts";

const [directory = "", kind = "", ...ids] = process.argv.slice(2);
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const sqlite = await loadSqlite();
say({ engine: sqlite.engine });

for (const id of ids) {
	const tail = new Tail({
		directory,
		conversationId: id,
		resume: kind === "resume",
		sqlite,
		clock: systemClock,
		fileEvents: true,
		onBatch: (batch) => {
			for (const { idx, status, payload } of batch.rows)
				say({ id, idx, status, text: Buffer.from(payload).toString() });
			for (const { idx, data } of batch.executors) say({ id, executor: idx, bytes: data.length });
		},
		onProblem: (problem) => say({ id, problem: problem.kind }),
	});
	try {
		say({ id, baseline: tail.prepare() });
		tail.start();
	} catch (error) {
		if (!(error instanceof DatabaseError)) throw error;
		say({ id, refused: error.problem.kind, cause: error.problem.cause });
	}
	process.stdin.on("end", () => {
		say({ id, drained: tail.drain().complete });
		tail.close();
	});
}
process.stdin.resume();
