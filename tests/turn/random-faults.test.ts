import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import type { AgyEvent } from "../../src/engine/events.ts";
import { type FakeHome, fakeHome } from "../support/scenario.ts";
import { all, ask, endOf, engineIn, living } from "./engine.ts";

/** Everything the stand-in can play, but for what only takes long. */
const scenarios = readdirSync(new URL("../fake-agy/scenarios", import.meta.url))
	.map((file) => file.replace(/\.json$/, ""))
	.filter((name) => name !== "large-answer")
	.sort();

/** FAULT_RUNS=200 for a long run, FAULT_SEED to repeat one; a failure names its seed. */
const numRuns = Number(process.env.FAULT_RUNS ?? 8);
const seed = Number(process.env.FAULT_SEED ?? Date.now());

const fault = fc.record({
	scenario: fc.constantFrom(...scenarios),
	version: fc.constantFrom("1.3.3", "1.2.0", "1.1.7"),
	/** After this many events, and after this many milliseconds, the run is cancelled. */
	cancelAfterEvents: fc.option(fc.nat(40)),
	cancelAfterMs: fc.option(fc.nat(600)),
});

const HASTE = {
	startUpSeconds: 1,
	inactivitySeconds: 1,
	turnSeconds: 3,
	exitGraceSeconds: 0.2,
	backgroundGraceSeconds: 0.3,
};

test("whatever goes wrong: one end, nothing left alive, and the next prompt is answered", {
	skip: process.platform !== "linux" && "needs /proc",
}, async (t) => {
	await fc.assert(
		fc.asyncProperty(fault, async ({ scenario, version, cancelAfterEvents, cancelAfterMs }) => {
			const home: FakeHome = fakeHome(t, scenario, version);
			const engine = engineIn(t, home, { quietMs: 100, settings: HASTE });
			const run = engine.start(ask(home));
			const timer = cancelAfterMs === null ? undefined : setTimeout(() => run.cancel("user"), cancelAfterMs);
			const events: AgyEvent[] = [];
			for await (const event of run.events) {
				events.push(event);
				if (events.length === cancelAfterEvents) run.cancel("user");
			}
			clearTimeout(timer);
			endOf(events);
			assertToolsEnded(events);
			await run.settled;
			assert.equal(await living(home), 0);

			home.play({ steps: [{ say: "Fine." }] });
			const next = engine.start(ask(home));
			assert.deepEqual(endOf(await all(next)).outcome, { kind: "answered" });
			await next.settled;
		}),
		{ numRuns, seed, endOnFailure: true },
	);
});

function assertToolsEnded(events: readonly AgyEvent[]): void {
	const last = new Map<string, string>();
	for (const event of events) {
		if (event.type === "tool") last.set(`${event.step.trajectory} ${event.step.index}`, event.state);
	}
	for (const state of last.values()) assert.match(state, /^(done|failed|cancelled)$/);
}
