import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Guardian } from "../../../src/run/process/guardian.ts";
import type { ProcessIdentity } from "../../../src/run/process/process-table.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { allGone, identify, startShell, table } from "./support.ts";

/** A process that does with a guardian what pi does, and says the numbers of what it started. */
const PI = `
import { spawn } from "node:child_process";
import { systemClock } from ${JSON.stringify(new URL("../../../src/engine/clock.ts", import.meta.url).href)};
import { Guardian } from ${JSON.stringify(new URL("../../../src/run/process/guardian.ts", import.meta.url).href)};
import { systemProcesses } from ${JSON.stringify(new URL("../../../src/run/process/process-table.ts", import.meta.url).href)};
const table = systemProcesses();
const guardian = new Guardian({ ownerPrefix: "PI_ANTIGRAVITY_RUN=" + process.env.TEST_OWNER, clock: systemClock });
const env = { ...process.env, PI_ANTIGRAVITY_RUN: process.env.TEST_OWNER + "run" };
const group = spawn("/bin/sh", ["-c", 'trap "" INT TERM; setsid sleep 601 & setsid env -i /bin/sleep 604 & sleep 600'], { detached: true, stdio: "ignore", env });
const over = spawn("/bin/sleep", ["602"], { detached: true, stdio: "ignore" });
const leaderOf = async (child) => ({ pid: child.pid, startTime: await table.startTime(child.pid) });
guardian.watch(await leaderOf(group));
guardian.watch(await leaderOf(over))();
guardian.watch({ pid: Number(process.env.TEST_REUSED), startTime: "boot-1.1" });
const commands = async () => (await table.list()).filter((info) => info.parent === group.pid);
let started = await commands();
while (started.length < 3) started = await commands();
console.log([guardian.pid, over.pid, group.pid, ...started.map((info) => info.pid)].join(" "));
setInterval(() => {}, 1000);
`;

async function startPi(t: TestContext, reused: number): Promise<{ kill(): void; processes: ProcessIdentity[] }> {
	const env = { ...process.env, TEST_OWNER: `test${process.pid}:t:`, TEST_REUSED: String(reused) };
	const pi = spawn(process.execPath, ["--input-type=module", "--eval", PI], {
		env,
		stdio: ["ignore", "pipe", "inherit"],
	});
	t.after(() => pi.kill("SIGKILL"));
	const [line] = await once(createInterface({ input: pi.stdout }), "line");
	const processes = await Promise.all(
		String(line)
			.split(" ")
			.map((pid) => identify(Number(pid))),
	);
	return { kill: () => pi.kill("SIGKILL"), processes };
}

test("when pi is killed, its runs end, and only they", async (t) => {
	const bystander = await startShell(t, "sleep 603");
	const { kill, processes } = await startPi(t, bystander.process.identity.pid);
	const [guardian, over, ...ours] = processes as [ProcessIdentity, ProcessIdentity, ...ProcessIdentity[]];
	assert.equal(ours.length, 4);
	t.after(() => process.kill(over.pid, "SIGKILL"));
	kill();
	await allGone(...ours, guardian);
	assert.equal(await table.startTime(over.pid), over.startTime);
	assert.equal(await table.startTime(bystander.process.identity.pid), bystander.process.identity.startTime);
});

test("a guardian goes home a while after there is nothing to watch, and is started again when needed", async () => {
	const clock = new FakeClock();
	const guardian = new Guardian({ ownerPrefix: "PI_ANTIGRAVITY_RUN=none:", clock });
	assert.equal(guardian.pid, undefined);
	const leader = { pid: 999_999_999, startTime: "x.1" };
	const done = guardian.watch(leader);
	const first = await identify(guardian.pid ?? 0);
	clock.advance(60_000);
	assert.equal(guardian.pid, first.pid);
	done();
	done();
	clock.advance(5_000);
	const again = guardian.watch(leader);
	clock.advance(60_000);
	assert.equal(guardian.pid, first.pid);
	again();
	clock.advance(10_000);
	assert.equal(guardian.pid, undefined);
	await allGone(first);
	guardian.watch(leader)();
	const second = await identify(guardian.pid ?? 0);
	clock.advance(10_000);
	await allGone(second);
});

test("on Windows the guardian has taskkill end what is still registered", async (t) => {
	const folder = temporaryFolder(t);
	const taskkill = join(folder, "taskkill");
	writeFileSync(taskkill, `#!/bin/sh\necho "$@" >>${join(folder, "killed")}\n`);
	chmodSync(taskkill, 0o755);
	const script = fileURLToPath(new URL("../../../src/run/process/guardian.mjs", import.meta.url));
	const env = { ...process.env, PATH: folder + delimiter + process.env.PATH };
	const guardian = spawn(process.execPath, [script], { env, stdio: ["pipe", "ignore", "inherit"] });
	guardian.stdin.end("+ 11 -\n+ 12 -\n- 11\n");
	await once(guardian, "exit");
	assert.equal(readFileSync(join(folder, "killed"), "utf8"), "/PID 12 /T /F\n");
});
