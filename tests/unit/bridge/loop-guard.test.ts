import assert from "node:assert/strict";
import { test } from "node:test";
import { LoopGuard } from "../../../src/bridge/loop-guard.ts";
import { childEnvironment } from "../../../src/run/process/environment.ts";

test("while pi runs a tool for agy, nothing that starts gets the bridge", () => {
	const env: NodeJS.ProcessEnv = {};
	const guard = new LoopGuard(env);
	assert.equal(guard.forbids, false);
	const [leaveFirst, leaveSecond] = [guard.enter(), guard.enter()];
	assert.equal(guard.forbids, true);
	assert.equal(new LoopGuard({ ...env }).forbids, true, "a pi that the tool starts");
	leaveFirst();
	leaveFirst();
	assert.equal(guard.forbids, true, "the other tool still runs");
	leaveSecond();
	assert.equal(guard.forbids, false);
	assert.deepEqual(env, {});
});

test("a pi that one of agy's own commands starts gets no bridge", () => {
	const mark = { owner: { pid: 1, startTime: "a.2" }, runId: "r" };
	assert.equal(new LoopGuard(childEnvironment({ parent: {}, mark })).forbids, true);
	assert.equal(new LoopGuard({ ANTIGRAVITY_CONVERSATION_ID: "c-1" }).forbids, true, "an agy that is not ours");
});
