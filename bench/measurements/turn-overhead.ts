import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Figure, Measurement } from "../measurement.ts";
import { withProvider } from "../support/provider.ts";
import { median, quantile } from "../support/statistics.ts";

const TURNS = 15;

export const measurement: Measurement = {
	title: `What a turn costs before agy runs and after it has ended (${TURNS} turns; the first, which asks agy's version, apart)`,
	comparedWith: "worst",
	async run() {
		const streaming = await measure({});
		// Before 1.1.8 agy had no stream-json: the end of the turn is the end of the process.
		const older = await measure({ FAKE_AGY_VERSION: "1.1.7" });
		const [first = Number.NaN, ...warm] = streaming.toSpawn;
		const figures: Figure[] = [
			{ name: "streamSimple to the spawned agy", unit: "ms", ...medianAndWorst(warm), target: { atMost: 10 } },
			{ name: "the same in the first turn", unit: "ms", value: first },
			{ name: "agy's exit to `done`", unit: "ms", ...medianAndWorst(streaming.toDone), target: { atMost: 30 } },
			{ name: "the same with agy 1.1.7", unit: "ms", ...medianAndWorst(older.toDone), target: { atMost: 30 } },
		];
		return figures;
	},
};

function medianAndWorst(values: readonly number[]): { value: number; compared: number } {
	return { value: median(values), compared: quantile(values, 1) };
}

/** Milliseconds, turn by turn. */
function measure(env: Record<string, string>): Promise<{ toSpawn: number[]; toDone: number[] }> {
	return withProvider({ steps: [{ say: ["Hello ", "there."] }] }, env, async ({ ask }) => {
		const toSpawn: number[] = [];
		const toDone: number[] = [];
		for (let turn = 0; turn <= TURNS; turn++) {
			const child = nextAgy();
			const called = performance.now();
			let done = Number.NaN;
			for await (const event of ask(`turn ${turn}`)) {
				if (event.type === "error") throw new Error(event.error.errorMessage);
				if (event.type === "done") done = performance.now();
			}
			const { spawned, exited } = await child;
			toSpawn.push(spawned - called);
			// pi may have been told before agy has ended: its stream-json says when the turn is over.
			toDone.push(Math.max(0, done - exited));
			// A person takes longer than this; what the last turn leaves to be tidied up is not part of the next.
			await new Promise((resolve) => setTimeout(resolve, 300));
		}
		return { toSpawn, toDone };
	});
}

/** When the next agy that answers a prompt is spawned, and when it exits. */
function nextAgy(): Promise<{ spawned: number; exited: number }> {
	return new Promise((resolve) => {
		const onProcess = (message: unknown) => {
			const { process: child } = message as { process: ChildProcess };
			child.once("spawn", () => {
				const spawned = performance.now();
				if (!child.spawnargs.some((argument) => argument.startsWith("--print="))) return;
				unsubscribe("child_process", onProcess);
				child.once("exit", () => resolve({ spawned, exited: performance.now() }));
			});
		};
		subscribe("child_process", onProcess);
	});
}
