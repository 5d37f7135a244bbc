import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeContext } from "@earendil-works/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { SessionBridge } from "../../../src/bridge/session-bridge.ts";
import type { RunRequest } from "../../../src/engine/engine.ts";
import type { AgyEvent } from "../../../src/engine/events.ts";
import { afterStart } from "../../../src/extension/after-start.ts";
import { lazy, lazyBridge, lazyEngine, lazyPlanner } from "../../../src/extension/lazy.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { FakeEngine, text } from "../../support/fake-engine.ts";
import { FakePlanner } from "../../support/fake-planner.ts";
import { runRequest } from "../../support/run-request.ts";

const request = runRequest({ cwd: "/w" });

async function all(events: AsyncIterable<AgyEvent>): Promise<AgyEvent[]> {
	const found: AgyEvent[] = [];
	for await (const event of events) found.push(event);
	return found;
}

test("something lazy is made once, when it is first asked for", async () => {
	let made = 0;
	const number = lazy(async () => ++made);
	assert.equal(number.begun, undefined);
	assert.deepEqual(await Promise.all([number.get(), number.get()]), [1, 1]);
	assert.equal(await number.begun, 1);
});

test("a lazy engine passes the run's events and its settling on", async () => {
	const fake = new FakeEngine((run) => {
		run.emit(text(1, "Hello."));
		run.end();
	});
	const engine = lazyEngine(
		"lazy",
		lazy(async () => fake),
	);
	const run = engine.start(request);
	assert.deepEqual(
		(await all(run.events)).map(({ type }) => type),
		["text", "end"],
	);
	await run.settled;
	assert.equal(fake.last.request, request);
});

test("a run that is cancelled before its engine is loaded is cancelled", async () => {
	const fake = new FakeEngine();
	let loaded = (_engine: FakeEngine) => {};
	const loading = new Promise<FakeEngine>((resolve) => {
		loaded = resolve;
	});
	const run = lazyEngine(
		"lazy",
		lazy(() => loading),
	).start(request);
	run.cancel("user");
	loaded(fake);
	assert.deepEqual(
		(await all(run.events)).map(({ type }) => type),
		["end"],
	);
	assert.equal(fake.last.cancelledBy, "user");
});

test("an engine that cannot be loaded is the failure of the run", async () => {
	const engine = lazyEngine(
		"lazy",
		lazy(() => Promise.reject(new Error("no such file"))),
	);
	const run = engine.start(request);
	run.cancel("user");
	const [end, ...more] = await all(run.events);
	assert.equal(more.length, 0);
	assert.ok(end?.type === "end" && end.outcome.kind === "failed");
	assert.match(JSON.stringify(end.outcome.failure), /could not be loaded: no such file/);
	await run.settled;
});

test("a lazy planner that was never used is not loaded to end a session", async () => {
	const fake = new FakePlanner();
	const made = lazy(async () => fake);
	const planner = lazyPlanner(made);
	await planner.sessionEnded("s");
	assert.equal(made.begun, undefined);
	await planner.prune();
	await planner.sessionEnded("s");
	assert.deepEqual(fake.sessionsEnded, ["s"]);
});

test("a lazy bridge is told of nothing until a turn has loaded it", async () => {
	const told: string[] = [];
	const made = lazy(async () => {
		const bridge = {
			prepareRun: async (given: RunRequest) => ({ request: given }),
			toolEnded: (id: string) => told.push(id),
			close: () => told.push("closed"),
		};
		return bridge as unknown as SessionBridge;
	});
	const bridge = lazyBridge(made);
	bridge.toolEnded("early", {});
	bridge.close();
	assert.equal(made.begun, undefined);
	assert.deepEqual(await bridge.prepareRun(request, normalizeContext({ messages: [] })), { request });
	bridge.toolEnded("later", {});
	bridge.close();
	await made.get();
	assert.deepEqual(told, ["later", "closed"]);
});

test("work after the start waits for pi, and is dropped when the session ends first", () => {
	const clock = new FakeClock();
	const handlers = new Map<string, (event: object, ctx: object) => void>();
	const pi = { on: (event: string, handler: (event: object, ctx: object) => void) => handlers.set(event, handler) };
	const seen: unknown[] = [];
	afterStart(pi as unknown as ExtensionAPI, clock, (ctx) => seen.push(ctx));
	const ctx = { cwd: "/project" } as ExtensionContext;
	handlers.get("session_start")?.({}, ctx);
	assert.deepEqual(seen, []);
	clock.advance(1_000);
	assert.deepEqual(seen, [ctx]);
	handlers.get("session_start")?.({}, ctx);
	handlers.get("session_shutdown")?.({}, ctx);
	clock.advance(1_000);
	assert.equal(seen.length, 1);

	const dropped = {
		get cwd(): string {
			throw new Error("This extension ctx is stale");
		},
	};
	handlers.get("session_start")?.({}, dropped);
	clock.advance(1_000);
	assert.equal(seen.length, 1);
});
