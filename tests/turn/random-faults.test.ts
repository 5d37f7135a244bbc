import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Engine } from "../../src/engine/engine.ts";
import type { AgyEvent } from "../../src/engine/events.ts";
import { MARKER } from "../../src/run/process/environment.ts";
import { systemProcesses } from "../../src/run/process/process-table.ts";
import { type FaultSchedule, faultSchedule, VERSIONS } from "../support/fault-schedule.ts";
import { leaks, openThings } from "../support/open-things.ts";
import { type FakeHome, fakeHome } from "../support/scenario.ts";
import { all, ask, endOf, engineIn, living, PATIENT } from "./engine.ts";

/** FAULT_RUNS=200 for a long run, FAULT_SEED to repeat one; a failure names its seed. */
const numRuns = Number(process.env.FAULT_RUNS ?? 8);
const seed = Number(process.env.FAULT_SEED ?? Date.now());

/** With these, no fault lasts long. */
const HASTE = {
	startUpSeconds: 1,
	inactivitySeconds: 1,
	turnSeconds: 3,
	exitGraceSeconds: 0.2,
	backgroundGraceSeconds: 0.3,
};
/** For prompts that must be answered, however busy the machine is. */
const PATIENCE = { ...HASTE, ...PATIENT };

test("whatever goes wrong: one end, nothing left alive or open, and the next prompt is answered", {
	skip: process.platform !== "linux" && "needs /proc",
}, async (t) => {
	// As in pi, an engine serves many runs: what one of them leaves behind adds up.
	const desks = new Map(
		VERSIONS.map((version) => {
			const home = fakeHome(t, { steps: [{ say: "Fine." }] }, version);
			const settings = { ...PATIENCE };
			return [version, { home, settings, engine: engineIn(t, home, { quietMs: 100, settings }) }];
		}),
	);
	for (const { home, engine } of desks.values()) await answers(engine, home);
	const before = openThings();

	await fc.assert(
		fc.asyncProperty(faultSchedule, async (schedule) => {
			const { home, settings, engine } = desks.get(schedule.version) ?? assert.fail();
			home.play(schedule.scenario);
			Object.assign(settings, HASTE);
			const events = await suffer(engine, home, schedule);
			const { outcome } = endOf(events);
			assertToolsEnded(events);
			assert.ok(
				outcome.kind !== "failed" || outcome.failure.kind !== "crashed" || outcome.failure.exitCode !== 70,
				"the stand-in itself failed: our reader disturbed it, or its scenario cannot be played",
			);
			assert.equal(await living(home), 0);
			assert.deepEqual(leaks(before, openThings()), []);

			home.play({ steps: [{ say: "Fine." }] });
			Object.assign(settings, PATIENCE);
			await answers(engine, home);
		}),
		{ numRuns, seed, endOnFailure: true, includeErrorInReport: true },
	);
});

/** Plays one schedule until nothing of its run is left. */
async function suffer(
	engine: Engine,
	home: FakeHome,
	{ permissions, disturbance }: FaultSchedule,
): Promise<AgyEvent[]> {
	const run = engine.start(ask(home, { permissions }));
	let disturbed: Promise<void> | undefined;
	const timer = setTimeout(
		() => {
			if (disturbance.kind === "cancel-late") run.cancel("user");
			if (disturbance.kind === "kill") disturbed = kill(home, disturbance.signal);
		},
		"afterMs" in disturbance ? disturbance.afterMs : 0,
	);
	const events: AgyEvent[] = [];
	for await (const event of run.events) {
		events.push(event);
		if (disturbance.kind === "cancel" && events.length === disturbance.afterEvents) run.cancel("user");
	}
	await run.settled;
	clearTimeout(timer);
	// Looking for agy opens files, and may take longer than agy lives.
	await disturbed;
	return events;
}

/** Ends the agy of a run as somebody else would: by its number. */
async function kill(home: FakeHome, signal: NodeJS.Signals): Promise<void> {
	const agy = (await systemProcesses().withEnvironment(`HOME=${home.dir}`)).find(({ environment }) =>
		environment.includes(MARKER),
	);
	try {
		if (agy !== undefined) process.kill(agy.pid, signal);
	} catch {
		// It was quicker.
	}
}

async function answers(engine: Engine, home: FakeHome): Promise<void> {
	const run = engine.start(ask(home));
	assert.deepEqual(endOf(await all(run)).outcome, { kind: "answered" });
	await run.settled;
}

function assertToolsEnded(events: readonly AgyEvent[]): void {
	const last = new Map<string, string>();
	for (const event of events) {
		if (event.type === "tool") last.set(`${event.step.trajectory} ${event.step.index}`, event.state);
	}
	for (const state of last.values()) assert.match(state, /^(done|failed|cancelled)$/);
}
