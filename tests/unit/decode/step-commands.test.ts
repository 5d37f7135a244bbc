import assert from "node:assert/strict";
import { test } from "node:test";
import { calling, rawField, STATUS, toolOf } from "./step-rows.ts";

const command = { commandLine: "npm test", cwd: "/repo", blocking: true };

test("a command that ended: its line, output and exit code, which is 0 when it is not written", () => {
	const passed = toolOf({ type: 21, runCommand: { ...command, combinedOutput: { full: "ok\r\n" } } });
	assert.equal(passed.toolKind, "command");
	assert.equal(passed.name, "run_command");
	assert.deepEqual(passed.args, { CommandLine: "npm test", Cwd: "/repo" });
	assert.equal(passed.summary, "npm test");
	assert.equal(passed.output, "ok\r\n");
	assert.equal(passed.exitCode, 0);
	const failed = toolOf({ type: 21, runCommand: { ...command, exitCode: 2 } });
	assert.deepEqual([failed.exitCode, failed.output, failed.error], [2, undefined, undefined]);
	assert.equal(toolOf({ type: 21, runCommand: { ...command, exitCode: -1 } }).exitCode, -1);
});

test("a command that has not ended has no exit code yet", () => {
	for (const status of [STATUS.pending, STATUS.running, STATUS.waiting, STATUS.cancelled, STATUS.error]) {
		assert.equal(toolOf({ type: 21, status, runCommand: command }).exitCode, undefined);
	}
});

test("while it runs the longer output counts, at its end the combined one", () => {
	const outputs = { combinedOutput: { full: "one\n" }, combinedOutputSnapshot: { full: "one\ntwo\n" } };
	assert.equal(
		toolOf({ type: 21, status: STATUS.running, runCommand: { ...command, ...outputs } }).output,
		"one\ntwo\n",
	);
	assert.equal(toolOf({ type: 21, runCommand: { ...command, ...outputs } }).output, "one\n");
	const snapshotOnly = { combinedOutputSnapshot: { full: "all\n" } };
	assert.equal(toolOf({ type: 21, runCommand: { ...command, ...snapshotOnly } }).output, "all\n");
});

test("output in the older places: truncated, and the two streams", () => {
	assert.equal(toolOf({ type: 21, runCommand: { combinedOutput: { truncated: "tail" } } }).output, "tail");
	assert.equal(toolOf({ type: 21, runCommand: { stdout: "out", stderr: "err\n" } }).output, "out\nerr\n");
	const streams = { stdoutOutput: { full: "out\n" }, stderrOutput: { full: "err" } };
	assert.equal(toolOf({ type: 21, runCommand: streams }).output, "out\nerr");
	assert.equal(toolOf({ type: 21, runCommand: { command: "git", args: ["log", "-1"] } }).summary, "git log -1");
});

test("output of 128 bytes and more has no length bytes in it, and 5 MB come whole", () => {
	for (const length of [127, 128, 16_384, 5_000_000]) {
		const output = "x".repeat(length);
		assert.equal(toolOf({ type: 21, runCommand: { combinedOutput: { full: output } } }).output, output);
	}
});

test("the call of the step is kept: id, name and all arguments", () => {
	const args = { CommandLine: "npm test", Cwd: "/repo", WaitMsBeforeAsync: 500 };
	const body = toolOf({ type: 21, metadata: calling("run_command", args), runCommand: command });
	assert.deepEqual([body.callId, body.name, body.args], ["call-1", "run_command", args]);
	const modifiedToolCall = { argumentsJson: '{"CommandLine":"npm run safe"}' };
	const changed = toolOf({ type: 21, metadata: calling("run_command", args, { modifiedToolCall }) });
	assert.deepEqual([changed.callId, changed.args], ["call-1", { CommandLine: "npm run safe" }]);
});

test("the line that runs is shown, not the one that was proposed, and only its first line", () => {
	const body = toolOf({ type: 21, runCommand: { commandLine: "ls", proposedCommandLine: "rm" } });
	assert.equal(body.summary, "ls");
	assert.equal(toolOf({ type: 21, runCommand: { proposedCommandLine: "rm" } }).summary, "rm");
	assert.equal(toolOf({ type: 21, runCommand: { commandLine: "\ncat <<E\nhello\nE" } }).summary, "cat <<E …");
	assert.equal(toolOf({ type: 21, runCommand: { commandLine: "x".repeat(1000) } }).summary, `${"x".repeat(300)}…`);
});

test("a command in the background has a task with its log", () => {
	const taskDetails = {
		id: "conv/task-1",
		logUri: "file:///home/me/a%20b/task-1.log",
		progress: "half",
		isDaemon: true,
	};
	const body = toolOf({ type: 21, status: STATUS.running, runCommand: command, taskDetails });
	assert.deepEqual(body.task, { id: "conv/task-1", logPath: "/home/me/a b/task-1.log" });
	assert.equal(body.progress, "half");
	assert.deepEqual(toolOf({ type: 21, taskDetails: { id: "t" } }).task, { id: "t" });
	assert.equal(toolOf({ type: 21, runCommand: command }).task, undefined);
});

test("a look at a background command: its id, output, exit code and failure", () => {
	const running = toolOf({ type: 28, commandStatus: { commandId: "c1", status: 2, delta: "more" } });
	assert.deepEqual([running.summary, running.output, running.exitCode], ["c1", "more", undefined]);
	const ended = toolOf({
		type: 28,
		commandStatus: { commandId: "c1", status: 3, combined: "all", error: { shortError: "lost" } },
	});
	assert.deepEqual([ended.output, ended.exitCode, ended.error?.message], ["all", 0, "lost"]);
	assert.equal(toolOf({ type: 28, commandStatus: { stdout: "a", stderr: "b" } }).output, "a\nb");
});

test("input for a background command, and its end", () => {
	const sent = toolOf({
		type: 100,
		sendCommandInput: { commandId: "c1", input: "yes\n", running: true, output: { full: "ok" } },
	});
	assert.deepEqual(
		[sent.name, sent.summary, sent.output, sent.exitCode],
		["send_command_input", "yes", "ok", undefined],
	);
	const ended = toolOf({ type: 100, sendCommandInput: { commandId: "c1", terminate: true, exitCode: 143 } });
	assert.deepEqual([ended.summary, ended.exitCode], ["terminate c1", 143]);
	const denied = toolOf({ type: 100, sendCommandInput: { input: "y", autoRunDecision: 8 } });
	assert.deepEqual(denied.error?.denied, { by: "permission", action: "command", target: "y" });
});

test("a shell step: its line, output, exit code and failure", () => {
	const body = toolOf({ type: 112 }, rawField(127, { 1: "date", 2: 3, 3: "today", 4: "no clock" }));
	assert.deepEqual([body.toolKind, body.summary, body.output, body.exitCode], ["command", "date", "today", 3]);
	assert.equal(body.error?.message, "no clock");
});
