import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../src/engine/clock.ts";
import type { DatabaseProblem } from "../../../src/tail/database-problem.ts";
import { loadSqlite } from "../../../src/tail/load-sqlite.ts";
import { Tail } from "../../../src/tail/tail.ts";
import type { WriterJob, WriterReport } from "./writer.ts";

const sqlite = await loadSqlite();

/** The process of `writer.ts`. */
export class WriterProcess {
	readonly #child: ChildProcess;
	readonly #answers: AsyncIterator<string>;

	constructor(t: Pick<TestContext, "after">) {
		const script = fileURLToPath(new URL("writer.ts", import.meta.url));
		this.#child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
		const { stdout } = this.#child;
		if (stdout === null) throw new Error("no pipe");
		this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
		t.after(() => this.#child.kill("SIGKILL"));
	}

	async run(job: WriterJob): Promise<WriterReport> {
		this.#child.stdin?.write(`${JSON.stringify(job)}\n`);
		const answer = await this.#answers.next();
		if (answer.done) throw new Error("the writer is gone");
		return JSON.parse(answer.value) as WriterReport;
	}

	/** Lets a job with a handshake go on. */
	proceed(): void {
		this.#child.stdin?.write("\n");
	}
}

/** A tail of a real file, with real time and real file events, that can be waited for. */
export class FollowedConversation {
	readonly tail: Tail;
	readonly seen = new Set<number>();
	readonly problems: DatabaseProblem[] = [];
	onRow: (idx: number) => void = () => {};
	#waiting: { idx: number; done: () => void } | undefined;

	constructor(directory: string, conversationId: string, { resume = false, fileEvents = true } = {}) {
		this.tail = new Tail({
			directory,
			conversationId,
			resume,
			sqlite,
			clock: systemClock,
			fileEvents,
			onBatch: (batch) => {
				for (const { idx } of batch.rows) {
					this.seen.add(idx);
					this.onRow(idx);
				}
				if (this.#waiting !== undefined && this.seen.has(this.#waiting.idx)) this.#waiting.done();
			},
			onProblem: (problem) => this.problems.push(problem),
		});
	}

	/** Resolves when the row was reported; the test's timeout is what ends it otherwise. */
	async sees(idx: number): Promise<void> {
		if (this.seen.has(idx)) return;
		// The tail's own timers do not keep the process alive.
		const alive = setInterval(() => {}, 1_000);
		await new Promise<void>((done) => {
			this.#waiting = { idx, done };
		});
		clearInterval(alive);
	}
}
