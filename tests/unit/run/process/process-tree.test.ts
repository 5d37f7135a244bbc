import assert from "node:assert/strict";
import { test } from "node:test";
import {
	type ProcessIdentity,
	type ProcessInfo,
	parseLinuxStat,
	parsePs,
	sameEpoch,
} from "../../../../src/run/process/process-table.ts";
import { livingTree as livingTreeOf } from "../../../../src/run/process/process-tree.ts";

const info = (pid: number, parent: number, group = pid, startTime = `t.${pid}`): ProcessInfo => ({
	pid,
	parent,
	group,
	startTime,
});
const pids = (found: readonly ProcessInfo[]) => found.map(({ pid }) => pid).sort((a, b) => a - b);
const agy = { pid: 100, startTime: "t.100" };
const livingTree = (all: readonly ProcessInfo[], known: readonly ProcessIdentity[]) =>
	livingTreeOf(all, known, agy.pid);

test("descendants are found at any depth, in any order, in groups of their own", () => {
	const all = [info(130, 120, 120), info(1, 0), info(120, 110), info(110, 100, 100), info(100, 7), info(200, 7)];
	assert.deepEqual(pids(livingTree(all, [agy])), [100, 110, 120, 130]);
});

test("members of a group count although their parent is gone", () => {
	assert.deepEqual(pids(livingTree([info(100, 7), info(140, 1, 100)], [agy])), [100, 140]);
});

test("the group that agy led is found when agy is gone, but not the group of a later process of that number", () => {
	assert.deepEqual(pids(livingTree([info(140, 1, 100), info(141, 140, 141)], [agy])), [140, 141]);
	assert.deepEqual(livingTree([info(100, 7, 100, "t.later"), info(140, 1, 100)], [agy]), []);
	assert.deepEqual(livingTree([info(150, 1, 120)], [agy, { pid: 120, startTime: "t.120" }]), []);
});

test("what was seen before is found although it hangs below init now", () => {
	const all = [info(120, 1), info(121, 120, 121), info(200, 1)];
	assert.deepEqual(pids(livingTree(all, [agy, { pid: 120, startTime: "t.120" }])), [120, 121]);
});

test("a number that was given to another process is left alone, with all that hangs below it", () => {
	const all = [info(100, 7, 100, "t.later"), info(110, 100, 100)];
	assert.deepEqual(livingTree(all, [agy]), []);
});

test("this process is never part of the tree", () => {
	assert.deepEqual(pids(livingTree([info(100, 7), info(process.pid, 100)], [agy])), [100]);
});

const stat = (name: string, state: string) =>
	`42 (${name}) ${state} 7 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 2000 100 18446744073709551615`;

test("one line of /proc is read, whatever the command is called", () => {
	for (const name of ["agy", "a b) S 1 (c", ""]) {
		assert.deepEqual(parseLinuxStat(stat(name, "S"), "boot-1"), {
			pid: 42,
			parent: 7,
			group: 42,
			startTime: "boot-1.98765",
		});
	}
	assert.equal(parseLinuxStat(stat("agy", "Z"), "b"), undefined);
	assert.equal(parseLinuxStat("", "b"), undefined);
});

test("the output of ps is read, without zombies", () => {
	const output = [
		"    1     0     1 Ss   Mon Nov 30 14:28:01 2026    ",
		"  501     1   501 S+   Tue Dec  1 09:00:00 2026",
		"  502   501   501 Z    Tue Dec  1 09:00:01 2026",
		"garbage",
		"",
	];
	assert.deepEqual(parsePs(output.join("\n")), [
		{ pid: 1, parent: 0, group: 1, startTime: "Mon_Nov_30_14:28:01_2026" },
		{ pid: 501, parent: 1, group: 501, startTime: "Tue_Dec_1_09:00:00_2026" },
	]);
});

test("start times of another boot or container are not comparable", () => {
	assert.equal(sameEpoch("a-1.5", "a-1.9"), true);
	assert.equal(sameEpoch("a-1.5", "a-2.5"), false);
	assert.equal(sameEpoch("Mon_1", "Tue_2"), true);
});
