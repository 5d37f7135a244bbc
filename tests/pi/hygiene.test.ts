import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Scenario } from "../support/scenario.ts";
import { agyProcesses, guardians, nothingLeft } from "./agy-processes.ts";
import { Desk, type PiAtDesk } from "./conversation-desk.ts";

const onLinux = { skip: process.platform !== "linux" && "needs /proc" };

/** An agy with a command in a group of its own that holds its output; a stubborn one heeds nothing. */
function working(desk: Desk, isStubborn: boolean): Scenario {
	return {
		ignoreSignals: isStubborn ? ["SIGINT", "SIGTERM"] : [],
		steps: [
			{ say: "I stay." },
			{ grandchild: { seconds: 600, holdStdout: true, ownGroup: true } },
			{ waitFor: desk.agy.gate("go").file },
			{ say: "Done." },
		],
	};
}

/** A pi in the middle of a turn, whose agy and its command are there. */
async function atWork(
	t: TestContext,
	{ isStubborn = false, env = {} }: { isStubborn?: boolean; env?: Record<string, string> } = {},
): Promise<[Desk, PiAtDesk]> {
	const desk = new Desk(t, { env });
	const gate = desk.agy.gate("go");
	desk.agy.play(working(desk, isStubborn));
	const pi = desk.open();
	await pi.rpc.request({ type: "prompt", message: "stay" });
	await gate.reached();
	assert.equal((await agyProcesses(desk.agy)).length, 2);
	// agy may get as far as this before pi sets its guardian on it.
	while (guardians(pi.rpc.pid).length === 0) await sleep(20);
	return [desk, pi];
}

describe("nothing of agy survives", () => {
	test("pi's end by kill -9", onLinux, async (t) => {
		const [desk, pi] = await atWork(t, { isStubborn: true });
		const { pid } = pi.rpc;
		await pi.kill();
		await nothingLeft(desk.agy);
		while (guardians(pid).length > 0) await sleep(20);
	});

	for (const signal of ["SIGTERM", "SIGHUP"] as const) {
		test(`pi's end by ${signal}`, onLinux, async (t) => {
			const [desk, pi] = await atWork(t, { isStubborn: signal === "SIGHUP" });
			pi.rpc.signal(signal);
			await pi.rpc.exited;
			await nothingLeft(desk.agy, 0);
		});
	}

	test("pi's own end", onLinux, async (t) => {
		const [desk, pi] = await atWork(t);
		await pi.quit();
		await nothingLeft(desk.agy, 0);
	});

	test("a new session", onLinux, async (t) => {
		const [desk, pi] = await atWork(t);
		await pi.rpc.request({ type: "new_session" });
		await nothingLeft(desk.agy, 0);
	});

	test("an abort, for long", onLinux, async (t) => {
		const [desk, pi] = await atWork(t, { isStubborn: true });
		await pi.rpc.request({ type: "abort" });
		await nothingLeft(desk.agy);
	});

	test("the next start of pi, when pi and its guardian were killed", onLinux, async (t) => {
		const [desk, pi] = await atWork(t, { isStubborn: true });
		for (const pid of guardians(pi.rpc.pid)) process.kill(pid, "SIGKILL");
		await pi.kill();
		assert.equal((await agyProcesses(desk.agy)).length, 2);
		desk.agy.play({ steps: [{ say: "Fine." }] });
		const next = desk.open();
		await next.rpc.prompt("hello");
		assert.equal(await next.lastAnswer(), "Fine.");
		await next.quit();
		await nothingLeft(desk.agy, 0);
		assert.deepEqual(readdirSync(`${desk.home.agentDir}/antigravity/runs`), []);
	});
});

describe("two pi at once", () => {
	test("leave each other's agy alone", onLinux, async (t) => {
		const [desk, first] = await atWork(t);
		const from = first.rpc.events.length;
		desk.agy.play({ steps: [{ say: "Fine." }] });
		const second = desk.open();
		await second.rpc.prompt("hello");
		await second.quit();
		assert.equal((await agyProcesses(desk.agy)).length, 2);
		desk.agy.gate("go").open();
		await first.rpc.next((event) => event.type === "agent_settled", from);
		assert.equal(await first.lastAnswer(), "I stay.Done.");
	});

	test("share the places for agy", onLinux, async (t) => {
		const [desk, first] = await atWork(t, { env: { AGY_MAX_PARALLEL_RUNS: "1" } });
		const second = desk.open();
		const from = second.rpc.events.length;
		await second.rpc.request({ type: "prompt", message: "hello" });
		await second.rpc.next((event) => event.type === "message_start", from);
		assert.equal(desk.invocations().length, 1);
		await first.kill();
		desk.agy.gate("go").open();
		await second.rpc.next((event) => event.type === "agent_settled", from);
		assert.equal(await second.lastAnswer(), "I stay.Done.");
		assert.equal(desk.invocations().length, 2);
	});
});
