import assert from "node:assert/strict";
import { dirname } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { systemProcesses } from "../../src/run/process/process-table.ts";
import { type PiEvent, PiRpc } from "../support/pi.ts";
import type { FakeHome, Scenario } from "../support/scenario.ts";
import { ask, askHome, resultsIn, script } from "./ask-home.ts";

/** A zombie that nobody reaps does not count. */
async function isAlive(pid: number | undefined): Promise<boolean> {
	return pid === undefined || (await systemProcesses().startTime(pid)) !== undefined;
}

/** The activity that a card's update shows. */
function activityOf(event: PiEvent): string | undefined {
	if (event.type !== "tool_execution_update") return undefined;
	const partial = event.partialResult as { details?: { activity?: string } };
	return partial.details?.activity;
}

describe("two at once in one directory", () => {
	/** Each run waits at the gate of the task's name. */
	function gated(agy: FakeHome): Scenario {
		const rule = (name: string) => ({
			prompt: `^${name}`,
			steps: [{ waitFor: agy.gate(name).file }, { say: `${name} is done.` }],
		});
		return { match: [rule("one"), rule("two")] };
	}

	/** Asks for both, and gives a promise for each that resolves with its gate when agy waits there. */
	async function both(t: TestContext, more: object) {
		const home = askHome(t, gated);
		const rpc = new PiRpc(home.pi, home.args());
		await rpc.request({ type: "prompt", message: script([ask("one", more), ask("two", more)]) });
		const arrivals = ["one", "two"].map(async (name) => {
			const gate = home.agy.gate(name);
			await gate.reached();
			return gate;
		});
		return { home, rpc, arrivals };
	}

	test("wait for each other when they may edit", async (t) => {
		const { home, rpc, arrivals } = await both(t, { mode: "accept-edits" });
		const first = await Promise.race(arrivals);
		await rpc.next((event) => activityOf(event) === "waiting for another delegation in this directory", 0);
		assert.equal(home.runs().length, 1);
		first.open();
		for (const gate of await Promise.all(arrivals)) gate.open();
		await rpc.next((event) => event.type === "agent_settled", 0);
		assert.deepEqual(
			resultsIn(rpc.events).map(({ text }) => text.split("\n")[0]),
			["one is done.", "two is done."],
		);
	});

	test("run side by side when they plan", async (t) => {
		const { rpc, arrivals } = await both(t, { mode: "plan" });
		for (const gate of await Promise.all(arrivals)) gate.open();
		await rpc.next((event) => event.type === "agent_settled", 0);
		assert.equal(resultsIn(rpc.events).filter(({ isError }) => isError).length, 0);
	});
});

describe("while it runs", () => {
	/** A delegation that has said half of its answer. */
	async function waiting(t: TestContext, more: object) {
		const home = askHome(t, (agy) => ({
			steps: [{ say: "Half of the answer. " }, { waitFor: agy.gate("half").file }, { say: "The rest." }],
		}));
		const gate = home.agy.gate("half");
		const rpc = new PiRpc(home.pi, home.args());
		await rpc.request({ type: "prompt", message: script([ask("look", more)]) });
		await gate.reached();
		await rpc.next((event) => JSON.stringify(event.partialResult ?? "").includes("Half of the answer"), 0);
		return { home, gate, rpc };
	}

	test("cancelling keeps what came, and ends agy", async (t) => {
		const { home, rpc } = await waiting(t, { context: "summary" });
		await rpc.request({ type: "abort" });
		await rpc.next((event) => event.type === "agent_settled", 0);
		const [result] = resultsIn(rpc.events);
		assert.match(result?.text ?? "", /^The delegation was cancelled\. What agy had said:\n\nHalf of the answer\./);
		assert.deepEqual([result?.isError, result?.details?.outcome], [true, "cancelled"]);
		assert.deepEqual(home.staged(), []);
		await rpc.close();
		assert.equal(await isAlive(home.runs()[0]?.pid), false);
	});

	test("the end of pi is the end of agy, and no file stays", async (t) => {
		const { home, rpc } = await waiting(t, { context: "full" });
		assert.equal(home.staged().length, 1);
		assert.equal(await rpc.close(), 0);
		assert.equal(await isAlive(home.runs()[0]?.pid), false);
		assert.deepEqual(home.staged(), []);
	});

	test("the context is where agy can read it, and gone afterwards", async (t) => {
		const { home, gate, rpc } = await waiting(t, { context: "summary" });
		const [file] = home.staged();
		assert.match(file?.text ?? "", /\[User\]\n\[\[/);
		const [run] = home.runs();
		assert.ok(file && run?.prompt?.includes(file.path));
		assert.ok(run?.argv.some((argument) => argument.includes(dirname(file.path))));
		gate.open();
		await rpc.next((event) => event.type === "agent_settled", 0);
		assert.deepEqual(home.staged(), []);
	});
});
