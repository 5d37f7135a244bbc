import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { Stdout } from "../../fake-agy/stdout.ts";
import { type FakeHome, fakeHome, type Scenario } from "../../support/scenario.ts";
import { runAgy, startAgy } from "./run-agy.ts";

const STREAM = "--output-format=stream-json";
const SKIP = "--dangerously-skip-permissions";

describe("signals", { concurrency: 2 }, () => {
	const whileRunning = async (t: Parameters<typeof fakeHome>[0], signal: NodeJS.Signals, more: Scenario = {}) => {
		const home = fakeHome(t);
		const gate = home.gate("running");
		home.play({ ...more, steps: [{ say: "Wait." }, { run: { command: "sleep", during: [{ waitFor: gate.file }] } }] });
		const agy = startAgy(home, [SKIP, STREAM, "--print=hi"]);
		await gate.reached();
		agy.child.kill(signal);
		return { home, agy, gate };
	};

	test("SIGINT: running rows become CANCELED, the result says so, exit code 0", async (t) => {
		const { home, agy } = await whileRunning(t, "SIGINT");
		const run = await agy.done;
		assert.deepEqual([run.code, run.result?.status, run.result?.response], [0, "CANCELED", "Wait."]);
		assert.deepEqual(statuses(home), [3, 3, 6]);
	});

	test("SIGTERM: the result is an error, context canceled, exit code 1", async (t) => {
		const { agy } = await whileRunning(t, "SIGTERM");
		const run = await agy.done;
		assert.deepEqual([run.code, run.result?.status, run.result?.error], [1, "ERROR", "context canceled"]);
	});

	test("ignored signals change nothing", async (t) => {
		const { agy, gate } = await whileRunning(t, "SIGINT", { ignoreSignals: ["SIGINT", "SIGTERM"] });
		agy.child.kill("SIGTERM");
		gate.open();
		assert.equal((await agy.done).result?.status, "SUCCESS");
	});
});

describe("hanging", { concurrency: 2 }, () => {
	test("at the start: no line, no database; only a signal ends it", async (t) => {
		const home = fakeHome(t);
		const gate = home.gate("start");
		home.play({ before: [{ waitFor: gate.file }, { hang: true }] });
		const agy = startAgy(home, [STREAM, "--print=hi"]);
		await gate.reached();
		assert.ok(!existsSync(home.conversations));
		agy.child.kill("SIGTERM");
		const run = await agy.done;
		assert.deepEqual([run.signal, run.stdout], ["SIGTERM", ""]);
	});

	test("before the result, and after it: the answer is out, the process stays", async (t) => {
		for (const [scenario, expected] of [
			["hang-before-result", 0],
			["hang-after-result", 1],
		] as const) {
			const home = fakeHome(t, scenario);
			const agy = startAgy(home, [STREAM, "--print=hi"]);
			const wanted = expected === 1 ? '"event":"result"' : '"state":"DONE","step_type":"agent_response"';
			await seen(agy.child.stdout, wanted);
			agy.child.kill("SIGKILL");
			const run = await agy.done;
			assert.equal(run.events.filter((event) => event.event === "result").length, expected, scenario);
		}
	});

	test("the result waits for a task in the background, though the turn is over in the database", async (t) => {
		const home = fakeHome(t);
		const gate = home.gate("task");
		home.play({
			steps: [
				{ run: { command: "npm run watch", background: "watch" } },
				{ say: "It is watching." },
				{ idle: [{ waitFor: gate.file }, { finish: "watch" }] },
			],
		});
		const agy = startAgy(home, [SKIP, STREAM, "--print=hi"]);
		await gate.reached();
		assert.equal(count(home, "executor_metadata"), 1);
		gate.open();
		const run = await agy.done;
		assert.equal(run.result?.status, "SUCCESS");
		assert.match(run.stderr, /root agent idle; waiting for 1 background task\(s\) \(bounded by --print-timeout\)/);
	});

	test("a task that is still running at the end is terminated", async (t) => {
		const home = fakeHome(t, { steps: [{ run: { command: "watch", background: "watch" } }, { say: "Bye." }] });
		const run = await runAgy(home, [SKIP, STREAM, "--print=hi"]);
		assert.equal(run.stderr, "terminating 1 background task(s) on exit\n");
		assert.deepEqual(statuses(home), [3, 3, 6, 3]);
	});
});

describe("failures", { concurrency: 2 }, () => {
	test("a model failure: exit code 3 and AGY_ERROR since 1.2.6, exit code 1 before", async (t) => {
		const run = await runAgy(fakeHome(t, "quota"), [STREAM, "--print=hi"]);
		assert.deepEqual([run.code, run.result?.status], [3, "ERROR"]);
		assert.match(String(run.result?.error), /^Individual quota reached\./);
		const [, json = ""] = /^AGY_ERROR: (.*)\n$/.exec(run.stderr) ?? [];
		const { status, error_code, retryable } = JSON.parse(json);
		assert.deepEqual([status, error_code, retryable], ["RESOURCE_EXHAUSTED", 429, false]);
		const old = await runAgy(fakeHome(t, "quota", "1.2.5"), [STREAM, "--print=hi"]);
		assert.deepEqual([old.code, old.stderr.startsWith("error: Individual quota")], [1, true]);
	});

	test("the print timeout: SUCCESS with what there is since 1.1.28, an error before", async (t) => {
		const cut = async (version: string) => {
			const home = fakeHome(t, { steps: [{ hang: true }] }, version);
			return runAgy(home, ["--print-timeout=200ms", STREAM, "--print=hi"]);
		};
		const late = await runAgy(fakeHome(t, { steps: [{ say: "This takes" }, { printTimeout: true }] }), [
			STREAM,
			"--print=hi",
		]);
		assert.deepEqual([late.code, late.result?.status, late.result?.response], [0, "SUCCESS", "This takes\n"]);
		const now = await cut("1.3.3");
		assert.deepEqual([now.code, now.result?.status, now.result?.response], [0, "SUCCESS", ""]);
		assert.equal(now.stderr, "[agy] print timeout after 200ms with turn in progress; returning partial output\n");
		const then = await cut("1.1.27");
		assert.deepEqual(
			[then.code, then.result?.status, then.result?.error],
			[1, "ERROR", "timeout waiting for response"],
		);
	});

	test("a quota error that is tried again for ever", async (t) => {
		const home = fakeHome(t, { steps: [{ retryForever: { message: "Individual quota reached.", everyMs: 1 } }] });
		const agy = startAgy(home, [STREAM, "--print=hi"]);
		await seen(agy.child.stderr, "API error (attempt 3): RESOURCE_EXHAUSTED (code 429): Individual quota reached.");
		agy.child.kill("SIGKILL");
		await agy.done;
	});

	test("nobody is signed in", async (t) => {
		const run = await runAgy(fakeHome(t, "signed-out"), [STREAM, "--print=hi"]);
		assert.deepEqual([run.code, run.stderr], [1, "Error: authentication required. Run 'agy' to log in, then retry.\n"]);
		assert.deepEqual(
			run.events.map(({ event }) => event),
			["result"],
		);
	});

	test("killed in the middle of a transaction: what was committed stays", async (t) => {
		const home = fakeHome(t, "killed-mid-commit");
		const run = await runAgy(home, [STREAM, "--print=hi"]);
		assert.equal(run.signal, "SIGKILL");
		assert.deepEqual(statuses(home), [3, 8]);
	});
});

describe("databases that are not as they should be", { concurrency: 2 }, () => {
	const database = (home: FakeHome) => join(home.conversations, `${home.invocations()[0]?.conversation}.db`);

	test("none, an empty file, garbage, and one without steps: the answer is on stdout all the same", async (t) => {
		for (const scenario of ["no-database", "empty-database", "corrupt-database", "no-steps-table"]) {
			const home = fakeHome(t, scenario);
			const run = await runAgy(home, [STREAM, "--print=hi"]);
			assert.equal(run.result?.response, "The answer.\n", scenario);
			assert.equal(existsSync(database(home)), scenario !== "no-database", scenario);
			if (scenario === "empty-database") assert.equal(statSync(database(home)).size, 0);
		}
	});

	test("one that comes late holds all rows in the end", async (t) => {
		const home = fakeHome(t);
		const gate = home.gate("said");
		home.play({ database: { kind: "late" }, steps: [{ say: "The answer." }, { waitFor: gate.file }] });
		const agy = startAgy(home, [STREAM, "--print=hi"]);
		await gate.reached();
		assert.ok(!existsSync(database(home)));
		gate.open();
		await agy.done;
		assert.deepEqual(statuses(home), [3, 3]);
	});

	test("one that is replaced goes on in the new file; one that is deleted is gone", async (t) => {
		const home = fakeHome(t);
		const [before, after] = [home.gate("before"), home.gate("after")];
		home.play({
			steps: [
				{ say: "One " },
				{ waitFor: before.file },
				{ replaceDatabase: true },
				{ waitFor: after.file },
				{ say: "two." },
			],
		});
		const agy = startAgy(home, [STREAM, "--print=hi"]);
		await before.reached();
		const { ino } = statSync(database(home));
		before.open();
		await after.reached();
		assert.notEqual(statSync(database(home)).ino, ino);
		after.open();
		await agy.done;
		assert.deepEqual(statuses(home), [3, 3]);
		const deleted = fakeHome(t, "deleted-database");
		await runAgy(deleted, [STREAM, "--print=hi"]);
		assert.ok(!existsSync(database(deleted)));
	});
});

describe("stdout that is not as it should be", { concurrency: 2 }, () => {
	test("lines that are no JSON, no init, no text, another conversation", async (t) => {
		const junk = await runAgy(fakeHome(t, "junk"), [STREAM, "--print=hi"]);
		assert.match(junk.stdout, /^warning: something$/m);
		assert.equal(junk.result?.response, "The answer.\n");
		const silent = await runAgy(fakeHome(t, "no-init"), [STREAM, "--print=hi"]);
		assert.ok(!silent.events.some((event) => event.event === "init"));
		const home = fakeHome(t, "database-only-text");
		const textless = await runAgy(home, [STREAM, "--print=hi"]);
		assert.equal(textless.result?.response, "");
		const asked = String(textless.result?.conversation_id);
		home.play("other-conversation");
		const other = await runAgy(home, [STREAM, `--conversation=${asked}`, "--print=hi"]);
		assert.notEqual(other.result?.conversation_id, asked);
		assert.equal(other.stderr, "");
	});

	test("characters are cut in two between writes, and whole when put together", async (t) => {
		const options = { format: "text", init: true, result: true, text: true, splitUtf8: true, mute: false } as const;
		const writes: Uint8Array[] = [];
		new Stdout(options, (bytes) => writes.push(bytes)).raw("in 日本\n");
		assert.deepEqual(Buffer.concat(writes).toString(), "in 日本\n");
		assert.equal(writes[0]?.length, "in ".length + 1, "the first write ends within a character");
		const home = fakeHome(t, { stdout: { splitUtf8: true }, steps: [{ say: "日本" }] });
		const run = await runAgy(home, [STREAM, "--print=hi"]);
		assert.equal(run.result?.response, "日本\n");
	});

	test("a grandchild holds stdout open after the end", async (t) => {
		const home = fakeHome(t, "pipe-holder");
		const agy = startAgy(home, [STREAM, "--print=hi"]);
		assert.deepEqual(await agy.exited, [0, null]);
		assert.equal(agy.child.stdout?.readableEnded, false);
		process.kill(Number(readFileSync(join(home.cwd, "grandchild.pid"), "utf8")));
		assert.equal((await agy.done).result?.status, "SUCCESS");
	});
});

function statuses(home: FakeHome): unknown[] {
	return query(home, "SELECT status FROM steps ORDER BY idx").map(({ status }) => status);
}

function count(home: FakeHome, table: string): unknown {
	return query(home, `SELECT count(*) AS n FROM ${table}`)[0]?.n;
}

function query(home: FakeHome, sql: string) {
	const conversation = home.invocations()[0]?.conversation;
	const db = new DatabaseSync(join(home.conversations, `${conversation}.db`), { readOnly: true });
	try {
		return db.prepare(sql).all();
	} finally {
		db.close();
	}
}

async function seen(stream: NodeJS.ReadableStream | null, text: string): Promise<void> {
	assert.ok(stream !== null);
	let all = "";
	await new Promise<void>((resolve) => {
		stream.on("data", (chunk) => {
			all += chunk;
			if (all.includes(text)) resolve();
		});
	});
}
