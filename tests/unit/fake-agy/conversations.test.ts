import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { type FakeHome, fakeHome } from "../../support/scenario.ts";
import { runAgy, startAgy } from "./run-agy.ts";

const STREAM = "--output-format=stream-json";

test("resuming goes on where the conversation was: row numbers, turns, and usage over all of it", async (t) => {
	const home = fakeHome(t, "two-turns");
	const first = await runAgy(home, [STREAM, "--print=one"]);
	const id = String(first.result?.conversation_id);
	const second = await runAgy(home, [STREAM, `--conversation=${id}`, "--print=two"]);
	assert.equal(second.result?.conversation_id, id);
	assert.deepEqual([first.result?.response, second.result?.response], ["First.\n", "Second.\n"]);
	assert.deepEqual([first.result?.num_turns, second.result?.num_turns], [1, 2]);
	const lastOfFirst = Math.max(...indices(first));
	assert.equal(Math.min(...indices(second)), lastOfFirst + 1);
	assert.ok(input(second) > input(first), "usage is that of the conversation");
	assert.deepEqual(
		home.invocations().map(({ resumed }) => resumed),
		[false, true],
	);
});

test("an unknown id: a warning, a new conversation, exit code 0", async (t) => {
	const home = fakeHome(t, { steps: [{ say: "Hi." }] });
	const unknown = randomUUID();
	const run = await runAgy(home, [STREAM, `--conversation=${unknown}`, "--print=hi"]);
	assert.equal(run.code, 0);
	assert.equal(run.stderr, `warning: conversation "${unknown}" not found\n`);
	assert.notEqual(run.result?.conversation_id, unknown);
});

test("rows that a killed process left open are CANCELED by the next resume, since 1.2", async (t) => {
	for (const [version, status] of [
		["1.1.27", 2],
		["1.3.3", 6],
	] as const) {
		const home = fakeHome(t);
		const gate = home.gate("running");
		home.play({ turns: [[{ run: { command: "sleep", during: [{ waitFor: gate.file }] } }], [{ say: "Again." }]] });
		const agy = startAgy(home, ["--dangerously-skip-permissions", STREAM, "--print=hi"], { FAKE_AGY_VERSION: version });
		await gate.reached();
		agy.child.kill("SIGKILL");
		assert.equal((await agy.done).signal, "SIGKILL");
		const id = home.invocations()[0]?.conversation ?? "";
		await runAgy(home, [`--conversation=${id}`, "--print=again"], { FAKE_AGY_VERSION: version });
		const db = new DatabaseSync(join(home.conversations, `${id}.db`), { readOnly: true });
		const tool = db.prepare("SELECT status FROM steps WHERE step_type IN (21, 132)").get();
		db.close();
		assert.equal(tool?.status, status, version);
	}
});

test("--continue takes the last conversation of this directory", async (t) => {
	const home = fakeHome(t, { steps: [{ say: "Hi." }] });
	const first = await runAgy(home, [STREAM, "--print=one"]);
	const second = await runAgy(home, [STREAM, "--continue", "--print=two"]);
	assert.equal(second.result?.conversation_id, first.result?.conversation_id);
});

test("the hidden flags and the variable move the data", async (t) => {
	const home = fakeHome(t, { steps: [{ say: "Hi." }] });
	const other = join(home.dir, "other");
	await runAgy(home, [`--gemini_dir=${other}`, "--app_data_dir=data", "--print=hi"]);
	assert.deepEqual(databases(join(other, "data", "conversations")).length, 1);
	const elsewhere = join(home.dir, "elsewhere");
	mkdirSync(elsewhere);
	await runAgy(home, ["--print=hi"], { FAKE_AGY_CONVERSATIONS_DIR: elsewhere });
	assert.deepEqual(databases(elsewhere).length, 1);
	assert.ok(!existsSync(home.conversations));
});

test("a run leaves what agy leaves: a lock, a brain folder, the last conversation of the directory", async (t) => {
	const home = fakeHome(t, { steps: [{ say: "Hi." }] });
	const run = await runAgy(home, [STREAM, "--print=hi"]);
	const id = String(run.result?.conversation_id);
	const root = join(home.conversations, "..");
	for (const path of [`presence/${id}.lock`, `brain/${id}`, "cache/last_conversations.json"]) {
		assert.ok(existsSync(join(root, path)), path);
	}
});

test("a turn is chosen by the conversation's turns, a rule by the prompt, and the friendly answer repeats it", async (t) => {
	const home = fakeHome(t, {
		match: [{ prompt: "^ping$", steps: [{ say: "pong" }] }],
		turns: [[{ say: "1" }], [{ say: "2" }]],
	});
	const first = await runAgy(home, [STREAM, "--print=x"]);
	const id = String(first.result?.conversation_id);
	const said = async (prompt: string) =>
		(await runAgy(home, [STREAM, `--conversation=${id}`, `--print=${prompt}`])).result?.response;
	assert.deepEqual([await said("ping"), await said("y"), await said("z")], ["pong\n", "2\n", "2\n"]);
	const friendly = await runAgy(fakeHome(t), ['--print=What is "this"?']);
	assert.match(friendly.stdout, /stand-in for agy[\s\S]*> What is "this"\?/);
});

test("without the skip flag a command is refused, and the turn ends as in that version", async (t) => {
	const denied = async (version: string) => {
		const home: FakeHome = fakeHome(t, "permission-denied", version);
		return runAgy(home, [STREAM, "--print=hi"]);
	};
	const newest = await denied("1.3.3");
	assert.deepEqual([newest.code, newest.result?.status, newest.result?.response], [0, "SUCCESS", ""]);
	assert.deepEqual(newest.result?.denied_actions, [{ action: "command", display_name: "RunCommand" }]);
	assert.match(newest.stderr, /^jetski: no output produced — a tool required the "command" permission/);
	const before = await denied("1.1.19");
	assert.deepEqual([before.code, before.result?.denied_actions], [1, undefined]);
});

function indices(run: { events: { step_update?: { step_index: number } }[] }): number[] {
	return run.events.flatMap((event) => (event.step_update === undefined ? [] : [event.step_update.step_index]));
}

function input(run: { result: Record<string, unknown> | undefined }): number {
	const usage = run.result?.usage;
	return typeof usage === "object" && usage !== null && "input_tokens" in usage ? Number(usage.input_tokens) : 0;
}

function databases(folder: string): string[] {
	return readdirSync(folder).filter((file) => file.endsWith(".db"));
}
