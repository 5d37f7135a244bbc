import { decodeStep } from "../../src/decode/step.ts";
import { loadSqlite } from "../../src/tail/load-sqlite.ts";
import { counting } from "../../tests/support/counting-sqlite.ts";
import type { Figure } from "../measurement.ts";
import { withFolder } from "./folder.ts";
import { follow, type Reader } from "./follow.ts";
import { startWriter, type WriterScript } from "./writer-process.ts";

interface ReadingCost {
	readonly cpuMs: number;
	readonly megabytes: number;
}

type Script = WriterScript extends infer Each ? Omit<Each & WriterScript, "directory"> : never;

type IsLast = (idx: number, status: number) => boolean;

/** What it costs the tail, and the poller, to follow and decode what a writer does. `isLast` recognises its last row. */
export async function comparedCost(script: Script, isLast: IsLast): Promise<readonly Figure[]> {
	const ours = await readingCost("tail", script, isLast);
	const theirs = await readingCost("poller", script, isLast);
	return [
		{ name: "CPU", unit: "ms", value: ours.cpuMs, compared: theirs.cpuMs },
		{ name: "read", unit: "MB", value: ours.megabytes, compared: theirs.megabytes },
	];
}

async function readingCost(reader: Reader, script: Script, isLast: IsLast): Promise<ReadingCost> {
	const counter = counting(await loadSqlite());
	return withFolder(async (directory) => {
		const writer = startWriter({ ...script, directory } as WriterScript);
		const before = process.cpuUsage();
		let end = () => {};
		await new Promise<void>((done) => {
			end = follow(reader, directory, counter.sqlite, (rows) => {
				for (const row of rows) {
					const { body } = decodeStep(row);
					if (body.kind === "planner") body.text.length;
					if (body.kind === "tool") body.output?.length;
					if (isLast(row.idx, row.status)) done();
				}
			});
			// The tail's timers do not keep the process alive; the writer's pipe does.
		});
		const { user, system } = process.cpuUsage(before);
		end();
		await writer.commits;
		writer.end();
		return { cpuMs: (user + system) / 1_000, megabytes: counter.take().bytes / 1e6 };
	});
}
