import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { systemClock } from "../../../src/engine/clock.ts";
import { type HeldLock, tryLock } from "../../../src/run/process/process-lock.ts";
import { acquireSlot, isConversationLocked, lockConversation } from "../../../src/run/process/run-locks.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { table } from "./support.ts";

const options = { table, clock: systemClock };

async function held(attempt: ReturnType<typeof tryLock>): Promise<HeldLock> {
	const result = await attempt;
	assert.ok(result.kind === "held");
	return result.lock;
}

test("one holds it, others see who, and it can be taken after its release", async (t) => {
	const path = join(temporaryFolder(t), "new", "folder", "x.lock");
	const lock = await held(tryLock(path, options));
	assert.deepEqual(await tryLock(path, options), { kind: "busy", pid: process.pid });
	assert.equal(statSync(path).mode & 0o777, 0o600);
	lock.release();
	lock.release();
	const next = await held(tryLock(path, options));
	lock.release();
	assert.deepEqual(await tryLock(path, options), { kind: "busy", pid: process.pid });
	next.release();
	assert.deepEqual(readdirSync(join(path, "..")), []);
});

const deadHolder = JSON.stringify({ pid: process.pid, startTime: "x.1", token: "t" });

test("of many that find a dead holder exactly one succeeds", async (t) => {
	const path = join(temporaryFolder(t), "x.lock");
	for (let round = 0; round < 20; round++) {
		writeFileSync(path, deadHolder);
		const attempts = await Promise.all(Array.from({ length: 8 }, () => tryLock(path, options)));
		const winners = attempts.filter((attempt) => attempt.kind === "held");
		assert.equal(winners.length, 1);
		for (const winner of winners) winner.lock.release();
	}
	assert.deepEqual(readdirSync(join(path, "..")), []);
});

test("a lock that cannot be read is respected while it is young", async (t) => {
	const path = join(temporaryFolder(t), "x.lock");
	writeFileSync(path, "");
	const clock = new FakeClock(statSync(path).mtimeMs + 1_000);
	assert.deepEqual(await tryLock(path, { table, clock }), { kind: "busy", pid: undefined });
	clock.advance(10_000);
	await held(tryLock(path, { table, clock }));
});

test("one that died while clearing a dead lock away does not block it for ever", async (t) => {
	const path = join(temporaryFolder(t), "x.lock");
	writeFileSync(path, deadHolder);
	writeFileSync(`${path}.clearing`, "t");
	const clock = new FakeClock(statSync(path).mtimeMs + 1_000);
	assert.equal((await tryLock(path, { table, clock })).kind, "busy");
	clock.advance(10_000);
	await held(tryLock(path, { table, clock }));
});

/** Processes that take a lock again and again, count in a file while they hold it, and are killed at the end. */
test("processes that compete for dead locks never hold one together", async (t) => {
	const folder = temporaryFolder(t);
	const path = join(folder, "x.lock");
	const url = (file: string) => JSON.stringify(new URL(`../../../src/${file}`, import.meta.url).href);
	const program = `
		import { readFileSync, writeFileSync } from "node:fs";
		import { tryLock } from ${url("run/process/process-lock.ts")};
		import { systemProcesses } from ${url("run/process/process-table.ts")};
		import { systemClock } from ${url("engine/clock.ts")};
		const [path, counter] = process.argv.slice(1);
		for (let taken = 0; taken < 40; ) {
			const attempt = await tryLock(path, { table: systemProcesses(), clock: systemClock });
			if (attempt.kind === "busy") continue;
			const before = Number(readFileSync(counter, "utf8"));
			await new Promise(setImmediate);
			writeFileSync(counter, String(before + 1));
			taken++;
			if (taken % 2) writeFileSync(path, ${JSON.stringify(deadHolder)}.replace('"t"', JSON.stringify(String(Math.random()))));
			else attempt.lock.release();
		}
		console.log("done");
	`;
	const counter = join(folder, "counter");
	writeFileSync(counter, "0");
	const workers = Array.from({ length: 3 }, () => spawnWorker(t, program, path, counter));
	await Promise.all(workers);
	assert.equal(readFileSync(counter, "utf8"), "120");
});

async function spawnWorker(t: TestContext, program: string, ...args: string[]): Promise<void> {
	const worker = spawn(process.execPath, ["--input-type=module", "--eval", program, ...args], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	t.after(() => worker.kill("SIGKILL"));
	const [line] = await once(createInterface({ input: worker.stdout }), "line");
	assert.equal(line, "done");
}

/** Lets a waiting attempt look again until it is settled. */
async function settle<T>(clock: FakeClock, waiting: Promise<T>): Promise<T> {
	let done = false;
	const watched = waiting.finally(() => {
		done = true;
	});
	while (!done) {
		await new Promise(setImmediate);
		if (clock.pending > 0) clock.advance(100);
	}
	return watched;
}

test("a conversation is waited for, with the holder's number told once", async (t) => {
	const folder = temporaryFolder(t);
	const clock = new FakeClock();
	const first = await lockConversation(folder, "c/1", { table, clock });
	assert.ok(first.kind === "held");
	assert.equal(isConversationLocked(folder, "c/1"), true);
	assert.equal(isConversationLocked(folder, "c-1"), false);
	assert.equal((await lockConversation(folder, "c2", { table, clock })).kind, "held");
	const waits: (number | undefined)[] = [];
	const onWaiting = (pid: number | undefined) => {
		waits.push(pid);
		clock.after(250, () => first.lock.release());
	};
	assert.equal((await settle(clock, lockConversation(folder, "c/1", { table, clock, onWaiting }))).kind, "held");
	assert.deepEqual(waits, [process.pid]);
	const limited = lockConversation(folder, "c/1", { table, clock, limitMs: 300 });
	assert.deepEqual(await settle(clock, limited), { kind: "busy", pid: process.pid });
});

test("no more runs than slots, and a free one is taken by who waits", async (t) => {
	const folder = temporaryFolder(t);
	const clock = new FakeClock();
	const [a, b] = await Promise.all([
		acquireSlot(folder, 2, { table, clock }),
		acquireSlot(folder, 2, { table, clock }),
	]);
	assert.ok(a.kind === "held" && b.kind === "held");
	let waiting = 0;
	const third = acquireSlot(folder, 2, {
		table,
		clock,
		onWaiting() {
			waiting++;
			b.lock.release();
		},
	});
	assert.equal((await settle(clock, third)).kind, "held");
	assert.equal(waiting, 1);
});

test("waiting can be given up", async (t) => {
	const folder = temporaryFolder(t);
	const clock = new FakeClock();
	const controller = new AbortController();
	await acquireSlot(folder, 1, { table, clock });
	const waiting = acquireSlot(folder, 1, {
		table,
		clock,
		signal: controller.signal,
		onWaiting: () => controller.abort(),
	});
	assert.deepEqual(await waiting, { kind: "aborted" });
	assert.equal(clock.pending, 0);
	const late = await acquireSlot(folder, 2, { table, clock, signal: controller.signal });
	assert.deepEqual(late, { kind: "aborted" });
});
