import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../../src/engine/clock.ts";
import { startProcess } from "../../../src/run/process/process.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { allGone, identify, startShell, table } from "./support.ts";

const quickRungs = [
	{ signal: "SIGINT", waitMs: 100 },
	{ signal: "SIGTERM", waitMs: 100 },
	{ signal: "SIGKILL", waitMs: PATIENCE_MS },
] as const;

test("what it says and how it ends", async (t) => {
	const { process, stdout, stderr } = await startShell(t, "printf out; printf 'one\\ntwo' >&2; exit 3");
	assert.deepEqual(await process.exited, { code: 3, signal: undefined });
	assert.equal(stdout(), "out");
	assert.deepEqual(stderr, ["one", "two"]);
	assert.equal(process.stderrTail(), "one\ntwo");
});

test("stdin is closed from the start", async (t) => {
	const { process, stdout } = await startShell(t, "cat; echo done");
	await process.exited;
	assert.equal(stdout(), "done\n");
});

test("a prompt on stdin arrives whole, and then stdin is closed", async (t) => {
	const prompt = "é😀\n".repeat(100_000);
	const { process, stdout } = await startShell(t, "wc -c", { stdin: prompt });
	await process.exited;
	assert.equal(Number(stdout()), Buffer.byteLength(prompt));
});

test("one that ends without reading its prompt does no harm", async (t) => {
	const { process } = await startShell(t, "exit 7", { stdin: "x".repeat(4_000_000) });
	assert.deepEqual(await process.exited, { code: 7, signal: undefined });
});

test("a large last output is read whole", async (t) => {
	const { process, stdout } = await startShell(t, "head -c 3000000 /dev/zero; printf end");
	await process.exited;
	assert.equal(stdout().length, 3_000_003);
	assert.ok(stdout().endsWith("end"));
});

test("one that inherited the pipes does not delay the end", async (t) => {
	const { process, said, stdout } = await startShell(t, "sleep 600 & echo answer $!; exit 0");
	await said("answer");
	assert.deepEqual(await process.exited, { code: 0, signal: undefined });
	const left = await process.living();
	assert.deepEqual(
		left.map((info) => info.pid),
		[Number(/answer (\d+)/.exec(stdout())?.[1])],
	);
	assert.deepEqual(await process.end(quickRungs), []);
	assert.deepEqual(await process.living(), []);
});

test("a flood on stderr does not fill the memory", async (t) => {
	const lines: number[] = [];
	const { process } = await startShell(t, "head -c 100000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo last >&2", {
		onStderrLine: (line) => lines.push(line.length),
	});
	await process.exited;
	assert.deepEqual(lines, [16 * 1024, 4]);
	assert.ok(process.stderrTail().length <= 16 * 1024);
	assert.ok(process.stderrTail().endsWith("last\n"));
});

test("it leads a group of its own", async (t) => {
	const { process, said } = await startShell(t, "echo up; exec sleep 600");
	await said("up");
	const own = (await process.living()).find((info) => info.pid === process.identity.pid);
	assert.equal(own?.group, process.identity.pid);
	assert.deepEqual(await process.end(), []);
	assert.deepEqual(await process.exited, { code: undefined, signal: "SIGINT" });
});

test("one that ignores every polite signal is killed, and a second call shares the ladder", async (t) => {
	const { process, said } = await startShell(t, "trap '' INT TERM; echo up; while :; do sleep 600; done");
	await said("up");
	const first = process.end(quickRungs);
	assert.equal(process.end(), first);
	assert.deepEqual(await first, []);
	assert.deepEqual(await process.exited, { code: undefined, signal: "SIGKILL" });
});

test("when nothing of it is to be seen, its exit is waited for, and its pipes are closed then", async (t) => {
	const blind = { ...table, list: async () => [], withEnvironment: async () => [] };
	// No time passes: the end cannot come before the exit.
	const { process } = await startShell(t, "exec sleep 0.2", { table: blind, clock: new FakeClock() });
	let isExited = false;
	void process.exited.then(() => {
		isExited = true;
	});
	assert.deepEqual(await process.end(quickRungs), []);
	assert.equal(isExited, true);
});

test("a command in a session of its own is ended, although its parent is gone when the end begins", async (t) => {
	const { process, said, stdout } = await startShell(t, "setsid sh -c 'trap \"\" INT; echo c $$; sleep 600' & wait");
	await said("c ");
	const command = await identify(Number(/c (\d+)/.exec(stdout())?.[1]));
	await process.living();
	globalThis.process.kill(process.identity.pid, "SIGKILL");
	await process.exited;
	assert.deepEqual(await process.end(quickRungs), []);
	await allGone(command);
});

const onLinux = process.platform === "linux" ? false : "environments can be read on Linux only";

test("the marker finds what detached before anybody looked", { skip: onLinux }, async (t) => {
	const marker = `PI_ANTIGRAVITY_RUN=test-${process.pid}`;
	const env = { PATH: process.env.PATH ?? "", PI_ANTIGRAVITY_RUN: `test-${process.pid}` };
	const started = await startShell(t, "setsid sh -c 'echo c $$; exec sleep 600' & sleep 0; exit 0", { marker, env });
	await started.said("c ");
	await started.process.exited;
	const command = await identify(Number(/c (\d+)/.exec(started.stdout())?.[1]));
	assert.deepEqual(await started.process.end(quickRungs), []);
	await allGone(command);
});

test("what cannot be started is a failure, not an exception", async (t) => {
	const folder = temporaryFolder(t);
	const file = join(folder, "agy");
	const attempt = async (executable: string, argv: readonly string[] = []) => {
		const result = await startProcess({
			executable,
			argv,
			cwd: folder,
			env: {},
			onStdout() {},
			onStderrLine() {},
			table,
			clock: systemClock,
		});
		assert.ok(result.kind === "failed");
		return result.failure;
	};
	assert.deepEqual(await attempt(file), { kind: "not-installed", searched: [file] });
	writeFileSync(file, "\x7fELF broken");
	chmodSync(file, 0o644);
	assert.equal((await attempt(file)).kind, "cannot-start");
	assert.equal((await attempt("/bin/sh", ["x".repeat(200_000)])).kind, "bad-request");
	assert.equal((await attempt("/bin/sh", ["a\0b"])).kind, "cannot-start");
});
