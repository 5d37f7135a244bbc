import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "../../../src/engine/clock.ts";
import { MARKER, type RunMark } from "../../../src/run/process/environment.ts";
import { endOrphans, recordRun } from "../../../src/run/process/orphans.ts";
import { ownIdentity, type ProcessIdentity, type ProcessTable } from "../../../src/run/process/process-table.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { allGone, type Started, startShell, table } from "./support.ts";

const rungs = [{ signal: "SIGKILL", waitMs: PATIENCE_MS }] as const;
const living = await ownIdentity(table);
/** Our own number, and not our start time: a pi that died. */
const dead: ProcessIdentity = { pid: living.pid, startTime: living.startTime.replace(/\d+$/, "1") };

/** Only the groups that this test started, so that it sees no run of another. */
function only(...started: Started[]): ProcessTable {
	const list = async () => {
		const groups = new Set(started.map(({ process }) => process.identity.pid));
		return (await table.list()).filter((info) => groups.has(info.group));
	};
	return {
		list,
		startTime: (pid) => table.startTime(pid),
		async withEnvironment(text, since) {
			const ours = new Set((await list()).map((info) => info.pid));
			return (await table.withEnvironment(text, since)).filter((info) => ours.has(info.pid));
		},
	};
}

async function startRun(t: TestContext, mark: RunMark | undefined): Promise<Started> {
	const value = mark === undefined ? {} : { [MARKER]: `${mark.owner.pid}:${mark.owner.startTime}:${mark.runId}` };
	const run = await startShell(t, "sh -c 'exec sleep 600' & echo up; wait", {
		env: { PATH: process.env.PATH ?? "", ...value },
	});
	await run.said("up");
	return run;
}

test("a run whose pi and guardian died is ended, and its note removed", async (t) => {
	const folder = temporaryFolder(t);
	const run = await startRun(t, undefined);
	await recordRun(folder, { runId: "r1", agy: run.process.identity, owner: dead });
	assert.equal(await endOrphans({ folder, table: only(run), clock: systemClock, rungs }), 1);
	await allGone(run.process.identity);
	assert.deepEqual(readdirSync(folder), []);
});

test("a run whose pi lives is not touched, nor its note", async (t) => {
	const folder = temporaryFolder(t);
	const run = await startRun(t, { owner: living, runId: randomUUID() });
	const remove = await recordRun(folder, { runId: "r1", agy: run.process.identity, owner: living });
	assert.equal(await endOrphans({ folder, table: only(run), clock: systemClock, rungs }), 0);
	assert.equal((await run.process.living()).length > 0, true);
	assert.deepEqual(readdirSync(folder), ["r1.json"]);
	await remove();
	await remove();
	assert.deepEqual(readdirSync(folder), []);
});

test("a number that was given to another process is left alone; broken notes are removed", async (t) => {
	const folder = temporaryFolder(t);
	const run = await startRun(t, undefined);
	await recordRun(folder, { runId: "r1", agy: { ...run.process.identity, startTime: "x.1" }, owner: dead });
	writeFileSync(join(folder, "r2.json"), "{");
	assert.equal(await endOrphans({ folder, table: only(run), clock: systemClock, rungs }), 0);
	assert.equal((await run.process.living()).length > 0, true);
	assert.deepEqual(readdirSync(folder), []);
});

const onLinux = process.platform === "linux" ? false : "environments can be read on Linux only";

test("without a note the marker tells", { skip: onLinux }, async (t) => {
	const orphan = await startRun(t, { owner: dead, runId: "r1" });
	const members = await orphan.process.living();
	assert.equal(members.length, 2);
	const foreign = await startRun(t, { owner: { pid: 7, startTime: "otherboot-1.1" }, runId: "r2" });
	const folder = join(temporaryFolder(t), "none");
	assert.equal(await endOrphans({ folder, table: only(orphan, foreign), clock: systemClock, rungs }), 1);
	await allGone(...members);
	assert.equal((await foreign.process.living()).length > 0, true);
});
