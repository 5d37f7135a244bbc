import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ConversationDatabase } from "../../tests/fake-agy/database.ts";
import type { Figure, Measurement } from "../measurement.ts";
import { withFolder } from "../support/folder.ts";

const SECONDS = 15;
const MODES = ["nothing", "tail", "tail without file events", "poller"] as const;

export const measurement: Measurement = {
	title: `CPU while agy is silent (${SECONDS} s, scaled to a minute; 0.2 % of a core is 120 ms)`,
	comparedWith: "250 ms poller",
	run: () =>
		withFolder(async (directory) => {
			const options = { synchronous: "FULL", busyTimeout: 0, commitLog: undefined } as const;
			const database = new ConversationDatabase(join(directory, "c.db"), options);
			const none = { metadata: null, errorDetails: null, permissions: null, taskDetails: null, renderInfo: null };
			database.upsertStep({ idx: 0, stepType: 15, status: 8, payload: Buffer.from("half"), ...none });
			const cpu = new Map<string, number>();
			await Promise.all(MODES.map(async (mode) => cpu.set(mode, await idleCpuMs(mode, directory))));
			database.close();
			const share = (mode: string) => ((cpu.get(mode) ?? Number.NaN) - (cpu.get("nothing") ?? 0)) / (SECONDS * 10);
			const minute = (mode: string) => share(mode) * 600;
			const figures: Figure[] = [
				{
					name: "per idle minute",
					unit: "ms",
					value: minute("tail"),
					compared: minute("poller"),
					target: { atMost: 120 },
				},
				{
					name: "share of a core",
					unit: "%",
					value: share("tail"),
					compared: share("poller"),
					target: { atMost: 0.2 },
				},
				{ name: "share of a core, without file events", unit: "%", value: share("tail without file events") },
			];
			return figures;
		}),
};

/** CPU that a process takes in `SECONDS` while it follows, in milliseconds. */
async function idleCpuMs(mode: string, directory: string): Promise<number> {
	const entry = fileURLToPath(new URL("../support/idle-reader.ts", import.meta.url));
	const { stdout } = await promisify(execFile)(process.execPath, [entry, mode, directory, String(SECONDS)]);
	return Number(stdout);
}
