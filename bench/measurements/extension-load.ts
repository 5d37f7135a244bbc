import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
			const ours: Start[] = [];
			const theirs: Start[] = [];
			// The first start of each fills caches, and is not counted.
			for (let n = 0; n <= STARTS; n++) {
				theirs.push(await measureStart(folder, empty));
				ours.push(await measureStart(folder, OURS));
			}
			const of = (starts: readonly Start[], what: keyof Start) => median(starts.slice(1).map((start) => start[what]));
			const [value, compared] = [of(ours, "ms"), of(theirs, "ms")];
			const [cpu, comparedCpu] = [of(ours, "cpuMs"), of(theirs, "cpuMs")];
			const figures: Figure[] = [
				{ name: "ready", unit: "ms", value, compared },
				{ name: "added by this extension", unit: "ms", value: value - compared, target: { atMost: 60 } },
				{ name: "CPU of the main thread until then", unit: "ms", value: cpu, compared: comparedCpu },
				{ name: "of it added by this extension", unit: "ms", value: cpu - comparedCpu },
			];
			return figures;
		}),
};

interface Start {
	readonly ms: number;
	/** A busy machine delays the start more than it adds to this. */
	readonly cpuMs: number;
}

async function measureStart(folder: string, extension: string): Promise<Start> {
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
	const start = { ms: performance.now() - before, cpuMs: mainThreadCpuMs(child.pid) };
	const gone = new Promise((resolve) => child.once("exit", resolve));
	child.stdin.end();
	await gone;
	return start;
}

/** What the kernel has counted for the thread; not a number where it does not say (everywhere but Linux). */
function mainThreadCpuMs(pid: number | undefined): number {
	try {
		const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
		return Number(nanoseconds) / 1e6;
	} catch {
		return Number.NaN;
	}
}
