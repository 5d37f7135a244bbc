import { join } from "node:path";
import type { TestContext } from "node:test";
import { defaultSettings, type Settings } from "../../src/config/schema.ts";
import { type Clock, systemClock } from "../../src/engine/clock.ts";
import type { Engine, Run, RunRequest } from "../../src/engine/engine.ts";
import type { AgyEvent, EndEvent, TextEvent } from "../../src/engine/events.ts";
import { type Log, silentLog } from "../../src/engine/log.ts";
import { createCliEngine } from "../../src/run/cli-engine.ts";
import { systemProcesses } from "../../src/run/process/process-table.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { runRequest } from "../support/run-request.ts";
import type { FakeHome, InvocationRecord } from "../support/scenario.ts";
import { SkippingClock } from "../support/skipping-clock.ts";

/** Deadlines that never decide a test that should not be decided by them. */
export const PATIENT = { startUpSeconds: 120, inactivitySeconds: 120, turnSeconds: 240 } satisfies Partial<Settings>;

export interface EngineOptions {
	readonly settings?: Partial<Settings>;
	/** How long agy may be quiet after its record of the end, in milliseconds. */
	readonly quietMs?: number;
	/** pi's own folder, when two engines share one. */
	readonly agentDir?: string;
	readonly log?: Log;
	readonly clock?: Clock;
}

/** The real engine in the stand-in's home. Every run is over, with its processes, before the test is. */
export function engineIn(t: Pick<TestContext, "after">, home: FakeHome, options: EngineOptions = {}): Engine {
	const runs: Run[] = [];
	const engine = createCliEngine({
		settings: () => ({ ...defaultSettings, ...PATIENT, ...options.settings }),
		clock: options.clock ?? systemClock,
		log: options.log ?? silentLog,
		agentDir: options.agentDir ?? join(home.dir, "pi"),
		env: home.env,
		patience: { settleMs: 500, quietMs: options.quietMs ?? 2_000 },
		rungs: [
			{ signal: "SIGINT", waitMs: 200 },
			{ signal: "SIGTERM", waitMs: 100 },
			{ signal: "SIGKILL", waitMs: PATIENCE_MS },
		],
	});
	t.after(async () => {
		for (const run of runs) run.cancel("shutdown");
		await Promise.all(runs.map((run) => run.settled));
	});
	return {
		name: engine.name,
		start(request) {
			const run = engine.start(request);
			runs.push(run);
			return run;
		},
	};
}

/** A run whose agy asks for a sign-in when it has had more than its time for that. */
export function asksForSignIn(t: Pick<TestContext, "after">, home: FakeHome): Run {
	const gate = home.gate("started");
	home.play({ before: [{ waitFor: gate.file }], signedOut: "prompt" });
	const clock = new SkippingClock();
	const run = engineIn(t, home, { clock }).start(ask(home));
	void gate.reached().then(async () => {
		await clock.skip(20_000);
		gate.open();
	});
	return run;
}

export function ask(home: FakeHome, more: Partial<RunRequest> = {}): RunRequest {
	return runRequest({ cwd: home.cwd, ...more });
}

/** Everything a run tells, to its end. */
export async function all(run: Run): Promise<AgyEvent[]> {
	const events: AgyEvent[] = [];
	for await (const event of run.events) events.push(event);
	return events;
}

/** Reads events until one fits; the rest can be read afterwards with `rest`. */
export async function until(events: AsyncIterator<AgyEvent>, fits: (event: AgyEvent) => boolean): Promise<AgyEvent> {
	for (;;) {
		const next = await events.next();
		if (next.done) throw new Error("the run ended before");
		if (fits(next.value)) return next.value;
	}
}

export async function rest(events: AsyncIterator<AgyEvent>): Promise<AgyEvent[]> {
	const collected: AgyEvent[] = [];
	for (let next = await events.next(); !next.done; next = await events.next()) collected.push(next.value);
	return collected;
}

/** What reached the stand-in with a prompt; it is also asked for its version. */
export function prompted(home: FakeHome): InvocationRecord[] {
	return home.invocations().filter((invocation) => invocation.prompt !== null);
}

export function isText(event: AgyEvent): event is TextEvent {
	return event.type === "text";
}

/** The processes that live with this home in their environment: everything the run started. Linux only. */
export async function living(home: FakeHome): Promise<number> {
	const found = await systemProcesses().withEnvironment(`HOME=${home.dir}`);
	return found.length;
}

export function endOf(events: readonly AgyEvent[]): EndEvent {
	const last = events.at(-1);
	if (last?.type !== "end") throw new Error(`the last event is ${last?.type}`);
	if (events.filter((event) => event.type === "end").length !== 1) throw new Error("more than one end");
	return last;
}
