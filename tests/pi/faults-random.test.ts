import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { type Disturbance, faultSchedule, VERSIONS } from "../support/fault-schedule.ts";
import { leaks, type OpenThings, openThings } from "../support/open-things.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import type { PiEvent } from "../support/pi.ts";
import { agyProcesses, killAgy, nothingLeft } from "./agy-processes.ts";
import { Desk, type PiAtDesk } from "./conversation-desk.ts";

/** PI_FAULT_RUNS=30 for a long run, FAULT_SEED to repeat one; a failure names its seed. */
const numRuns = Number(process.env.PI_FAULT_RUNS ?? 2);
const seed = Number(process.env.FAULT_SEED ?? Date.now());

/** With these, no fault lasts long. */
const HASTE = {
	startUpSeconds: 2,
	inactivitySeconds: 1,
	turnSeconds: 5,
	exitGraceSeconds: 0.2,
	backgroundGraceSeconds: 0.3,
};
/** For prompts that must be answered, however busy the machine is. */
const PATIENCE = { ...HASTE, startUpSeconds: 120, inactivitySeconds: 120, turnSeconds: 120 };

const steering = fc.record({ kind: fc.constant("steer" as const), afterMs: fc.nat(600) });
const piFault = fc.record({
	schedule: faultSchedule,
	steering: fc.option(steering, { freq: 5 }),
});

for (const [index, version] of VERSIONS.entries()) {
	test(`real pi, agy ${version}: whatever goes wrong, a turn ends once, leaves nothing, and the next is answered`, {
		skip: process.platform !== "linux" && "needs /proc",
	}, async (t) => {
		const desk = new Desk(t, { version, scenario: { steps: [{ say: "Fine." }] } });
		desk.configure(PATIENCE);
		const pi = desk.open();
		await answers(pi);
		await nothingLeft(desk.agy);
		const before = await openAtRest(pi.rpc.pid);

		await fc.assert(
			fc.asyncProperty(piFault, async ({ schedule, steering }) => {
				desk.agy.play(schedule.scenario);
				desk.configure(HASTE);
				const events = await suffer(desk, pi, steering ?? schedule.disturbance);
				assertEndsOnce(events);
				await nothingLeft(desk.agy);
				await leaksNothing(pi.rpc.pid, before);

				desk.agy.play({ steps: [{ say: "Fine." }] });
				desk.configure(PATIENCE);
				await answers(pi);
				await nothingLeft(desk.agy);
			}),
			{ numRuns, seed: seed + index, endOnFailure: true, includeErrorInReport: true },
		);
		await pi.quit();
		assert.deepEqual(await agyProcesses(desk.agy), []);
	});
}

/** What pi has open when nothing moves any more. */
async function openAtRest(pid: number): Promise<OpenThings> {
	for (let last = openThings(pid); ; ) {
		await sleep(300);
		const now = openThings(pid);
		if (isDeepStrictEqual(now, last)) return now;
		last = now;
	}
}

/** pi learns a moment after us that the last process is gone. */
async function leaksNothing(pid: number, before: OpenThings): Promise<void> {
	const deadline = Date.now() + PATIENCE_MS;
	let found = leaks(before, openThings(pid));
	while (found.length > 0 && Date.now() < deadline) {
		await sleep(20);
		found = leaks(before, openThings(pid));
	}
	assert.deepEqual(found, []);
}

type PiDisturbance = Disturbance | { readonly kind: "steer"; readonly afterMs: number };

/** Prompts, and disturbs the turn until pi is idle again. Gives pi's events. */
async function suffer(desk: Desk, { rpc }: PiAtDesk, disturbance: PiDisturbance): Promise<PiEvent[]> {
	const from = rpc.events.length;
	await rpc.request({ type: "prompt", message: "go" });
	const settled = rpc.next((event) => event.type === "agent_settled", from);
	if ("afterMs" in disturbance) await Promise.race([sleep(disturbance.afterMs), settled]);
	if (disturbance.kind === "cancel") {
		const enough = rpc.next(() => rpc.events.length >= from + disturbance.afterEvents, from).catch(() => {});
		await Promise.race([enough, settled]);
	}
	if (disturbance.kind.startsWith("cancel")) await rpc.request({ type: "abort" });
	if (disturbance.kind === "kill") await killAgy(desk.agy, disturbance.signal);
	if (disturbance.kind === "steer") await rpc.request({ type: "steer", message: "and now something else" });
	await settled;
	return rpc.events.slice(from);
}

async function answers({ rpc }: PiAtDesk): Promise<void> {
	await rpc.prompt("say Fine.");
	assert.equal((await rpc.request({ type: "get_last_assistant_text" })).text, "Fine.");
}

/** Every message that began has ended, and what ended the turn ended it once. */
function assertEndsOnce(events: readonly PiEvent[]): void {
	const count = (type: string) => events.filter((event) => event.type === type).length;
	assert.equal(count("message_start"), count("message_end"));
	assert.equal(count("tool_execution_start"), count("tool_execution_end"));
	const ends = events.flatMap((event) => (event.type === "message_end" ? [event.message] : [])) as {
		role: string;
		stopReason?: string;
	}[];
	const reasons = ends.flatMap((message) => (message.role === "assistant" ? [message.stopReason] : []));
	assert.match(reasons.at(-1) ?? "none", /^(stop|error|aborted)$/);
}
