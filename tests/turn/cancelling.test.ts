import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fakeHome } from "../support/scenario.ts";
import { textOf, toolStates } from "../unit/ledger/make.ts";
import { all, ask, endOf, engineIn, isText, living, prompted, rest, until } from "./engine.ts";

const onLinux = { skip: process.platform !== "linux" && "needs /proc" };
const cancelled = { kind: "cancelled", by: "user" } as const;

test("a cancelled turn ends at once, keeps its text, and takes the process with it", onLinux, async (t) => {
	const home = fakeHome(t, "stubborn");
	const run = engineIn(t, home).start(ask(home));
	const events = run.events[Symbol.asyncIterator]();
	const first = await until(events, isText);
	run.cancel("user");
	run.cancel("shutdown");
	const after = await rest(events);
	assert.deepEqual(endOf(after).outcome, cancelled);
	assert.equal(textOf([first, ...after]), "I stay.");
	assert.equal(endOf(after).progress.textSeen, true);
	// The end did not wait for the ladder.
	await run.settled;
	assert.equal(await living(home), 0);
});

test("a tool that was running is told as cancelled", async (t) => {
	const home = fakeHome(t);
	const gate = home.gate("never");
	home.play({ steps: [{ run: { command: "make", during: [{ waitFor: gate.file }] } }] });
	const run = engineIn(t, home).start(ask(home));
	const events = run.events[Symbol.asyncIterator]();
	await until(events, (event) => event.type === "tool");
	run.cancel("user");
	const after = await rest(events);
	assert.equal(toolStates(after).at(-1), "cancelled");
	assert.equal(endOf(after).progress.toolsRan, true);
});

test("a run can be cancelled in the same breath it was started", onLinux, async (t) => {
	const home = fakeHome(t, "stubborn");
	const run = engineIn(t, home).start(ask(home));
	run.cancel("user");
	assert.deepEqual(
		(await all(run)).map((event) => event.type),
		["end"],
	);
	await run.settled;
	assert.equal(await living(home), 0);
	assert.deepEqual(prompted(home), []);
});

test("a run can be cancelled while agy is starting", onLinux, async (t) => {
	const home = fakeHome(t, "hang-at-start");
	const run = engineIn(t, home).start(ask(home));
	const events = run.events[Symbol.asyncIterator]();
	await until(events, (event) => event.type === "activity" && event.doing === "starting");
	run.cancel("steering");
	assert.deepEqual(endOf(await rest(events)).outcome, { kind: "cancelled", by: "steering" });
	await run.settled;
	assert.equal(await living(home), 0);
});

test("a run can be cancelled while it waits for a place, and the others are not disturbed", async (t) => {
	const home = fakeHome(t);
	const gate = home.gate("go");
	home.play({ steps: [{ say: "One " }, { waitFor: gate.file }, { say: "two." }] });
	const engine = engineIn(t, home, { settings: { maxParallelRuns: 1 } });
	const first = engine.start(ask(home));
	const events = first.events[Symbol.asyncIterator]();
	const text = await until(events, isText);
	const second = engine.start(ask(home));
	const waiting = second.events[Symbol.asyncIterator]();
	await until(waiting, (event) => event.type === "activity" && event.doing === "waiting-for-slot");
	second.cancel("user");
	assert.deepEqual(endOf(await rest(waiting)).outcome, cancelled);
	gate.open();
	assert.equal(textOf([text, ...(await rest(events))]), "One two.");
	assert.equal(prompted(home).length, 1);
});

test("a run that waits for a place gets it when it is free", async (t) => {
	const home = fakeHome(t);
	const gate = home.gate("go");
	home.play({ steps: [{ waitFor: gate.file }, { say: "Here." }] });
	const engine = engineIn(t, home, { settings: { maxParallelRuns: 1 } });
	const first = all(engine.start(ask(home)));
	await gate.reached();
	const second = engine.start(ask(home)).events[Symbol.asyncIterator]();
	await until(second, (event) => event.type === "activity" && event.doing === "waiting-for-slot");
	gate.open();
	for (const events of [await first, await rest(second)]) {
		assert.deepEqual(endOf(events).outcome, { kind: "answered" });
	}
});

test("after the end, cancelling only makes the process go sooner", onLinux, async (t) => {
	const home = fakeHome(t, "hang-after-result");
	const run = engineIn(t, home, { settings: { exitGraceSeconds: 3_600 } }).start(ask(home));
	const events = await all(run);
	assert.deepEqual(endOf(events).outcome, { kind: "answered" });
	assert.ok((await living(home)) > 0);
	run.cancel("shutdown");
	await run.settled;
	assert.equal(await living(home), 0);
});

test("a consumer that walks away ends the run", onLinux, async (t) => {
	const home = fakeHome(t, "stubborn");
	const run = engineIn(t, home).start(ask(home));
	for await (const event of run.events) if (event.type === "text") break;
	await run.settled;
	assert.equal(await living(home), 0);
});

test("a folder for locks that cannot be made ends the run with a sentence", async (t) => {
	const home = fakeHome(t);
	const agentDir = join(home.dir, "pi");
	mkdirSync(agentDir);
	writeFileSync(join(agentDir, "antigravity"), "a file, where a folder should be");
	const { outcome } = endOf(await all(engineIn(t, home, { agentDir }).start(ask(home))));
	assert.ok(outcome.kind === "failed" && outcome.failure.kind === "bad-request");
});
