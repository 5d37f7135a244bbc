import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { only, PI_CLI } from "../../tests/support/pi.ts";
import { FAKE_AGY } from "../../tests/support/scenario.ts";
import type { Figure, Measurement } from "../measurement.ts";
import { withFolder } from "../support/folder.ts";
import { median } from "../support/statistics.ts";

const STARTS = 12;
const OURS = fileURLToPath(new URL("../../extensions/index.ts", import.meta.url));

export const measurement: Measurement = {
	title: `pi's start to its first answer in RPC mode (${STARTS} starts each, in turns)`,
	comparedWith: "with an empty extension",
	run: () =>
		withFolder(async (folder) => {
			const empty = join(folder, "empty.ts");
			writeFileSync(empty, "export default function () {}\n");
			const ours: number[] = [];
			const theirs: number[] = [];
			// The first start of each fills caches, and is not counted.
			for (let n = 0; n <= STARTS; n++) {
				theirs.push(await startMs(folder, empty));
				ours.push(await startMs(folder, OURS));
			}
			const value = median(ours.slice(1));
			const compared = median(theirs.slice(1));
			const figures: Figure[] = [
				{ name: "ready", unit: "ms", value, compared },
				{ name: "added by this extension", unit: "ms", value: value - compared, target: { atMost: 60 } },
			];
			return figures;
		}),
};

async function startMs(folder: string, extension: string): Promise<number> {
	const cwd = join(folder, "work");
	mkdirSync(cwd, { recursive: true });
	const env = {
		PATH: process.env.PATH ?? "",
		HOME: folder,
		PI_CODING_AGENT_DIR: join(folder, "agent"),
		PI_OFFLINE: "1",
		PI_TELEMETRY: "0",
		AGY_BIN: FAKE_AGY,
		FAKE_AGY_NODE: process.execPath,
	};
	const before = performance.now();
	const args = [PI_CLI, "--mode", "rpc", "--no-session", ...only(extension)];
	const child = spawn(process.execPath, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
	child.stdin.write('{"type":"get_state","id":"1"}\n');
	for await (const line of createInterface({ input: child.stdout })) {
		if ((JSON.parse(line) as { type: string }).type === "response") break;
	}
	const ms = performance.now() - before;
	const gone = new Promise((resolve) => child.once("exit", resolve));
	child.stdin.end();
	await gone;
	return ms;
}
