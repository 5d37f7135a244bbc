import assert from "node:assert/strict";
import { test } from "node:test";
import { endTree, signalTargets } from "../../../../src/run/process/kill-ladder.ts";
import type { ProcessInfo } from "../../../../src/run/process/process-table.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const info = (pid: number, group = pid): ProcessInfo => ({ pid, parent: 1, group, startTime: `t.${pid}` });

/** Processes that die of some signals only. `ladder` runs with time flying. */
class Machine {
	readonly living = new Map<number, { info: ProcessInfo; diesOf: readonly string[] }>();
	readonly sent: string[] = [];
	readonly clock = new FakeClock();
	onSignal: (pid: number, signal: string) => void = () => {};

	add(process: ProcessInfo, ...diesOf: string[]): this {
		this.living.set(process.pid, { info: process, diesOf });
		return this;
	}

	async ladder(): Promise<readonly ProcessInfo[]> {
		let done = false;
		const result = endTree({
			living: async () => [...this.living.values()].map((entry) => entry.info),
			clock: this.clock,
			send: (pid, signal) => this.#send(pid, signal),
		}).finally(() => {
			done = true;
		});
		while (!done) {
			await new Promise(setImmediate);
			this.clock.advance(25);
		}
		return result;
	}

	#send(pid: number, signal: string): void {
		this.sent.push(`${signal} ${pid}`);
		const hit = [...this.living.values()].filter((entry) => entry.info.pid === pid || entry.info.group === -pid);
		for (const { info: process, diesOf } of hit) if (diesOf.includes(signal)) this.living.delete(process.pid);
		this.onSignal(pid, signal);
		if (hit.length === 0) throw new Error("ESRCH");
	}
}

test("an agy that obeys is asked once", async () => {
	const machine = new Machine().add(info(10), "SIGINT").add(info(11, 10), "SIGINT");
	assert.deepEqual(await machine.ladder(), []);
	assert.deepEqual(machine.sent, ["SIGINT -10"]);
});

test("one that ignores everything is killed, and its own signals are not repeated", async () => {
	const machine = new Machine().add(info(10), "SIGKILL");
	assert.deepEqual(await machine.ladder(), []);
	assert.deepEqual(machine.sent, ["SIGINT -10", "SIGTERM -10", "SIGKILL -10"]);
});

test("commands in groups of their own and stragglers are reached, each as directly as possible", async () => {
	const machine = new Machine().add(info(10), "SIGINT").add(info(20), "SIGTERM").add(info(31, 30), "SIGTERM");
	await machine.ladder();
	assert.deepEqual(machine.sent, ["SIGINT -10", "SIGINT -20", "SIGINT 31", "SIGTERM -20", "SIGTERM 31"]);
});

test("what is born during a rung gets its signal too", async () => {
	const machine = new Machine().add(info(10), "SIGTERM");
	machine.onSignal = (_pid, signal) => {
		if (signal === "SIGINT" && machine.sent.length === 1) machine.add(info(12), "SIGINT");
	};
	await machine.ladder();
	assert.deepEqual(machine.sent, ["SIGINT -10", "SIGINT -12", "SIGTERM -10"]);
});

test("what cannot be ended is reported instead of waited for", async () => {
	const machine = new Machine().add(info(10));
	assert.deepEqual(await machine.ladder(), [info(10)]);
	assert.equal(machine.clock.pending, 0);
});

test("nothing alive: nothing is sent", async () => {
	const machine = new Machine();
	assert.deepEqual(await machine.ladder(), []);
	assert.deepEqual(machine.sent, []);
});

test("init and group 1 are never a target", () => {
	assert.deepEqual(signalTargets([info(1), info(5, 1)]), [5]);
});
