import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { PiRpc, parseEvents, runPi } from "../support/pi.ts";
import { scriptedPi } from "../support/scripted/scripted-pi.ts";

const OTHER_MODEL = fileURLToPath(new URL("../support/scripted/other-model.ts", import.meta.url));

describe("pi -p", () => {
	test("prints the answer", async (t) => {
		const pi = scriptedPi(t);
		assert.deepEqual(await runPi(pi.home, pi.args("-p", "hello")), { stdout: "Hello there.\n", stderr: "", code: 0 });
	});

	test("prints what follows the last step", async (t) => {
		const pi = scriptedPi(t);
		const { stdout } = await runPi(pi.home, pi.args("-p", "steps"));
		assert.equal(stdout, "Fixed: the sum is right now.\n");
	});

	test("prints a closing line when a turn ends with a step", async (t) => {
		const pi = scriptedPi(t);
		const { stdout } = await runPi(pi.home, pi.args("-p", "only_a_step"));
		assert.match(stdout, /last step: run npm test \(exit 0\)/);
	});

	test("fails in our own words", async (t) => {
		const pi = scriptedPi(t);
		const { stderr, code } = await runPi(pi.home, pi.args("-p", "fails_at_once"));
		assert.match(stderr, /sign-in has expired\. Run `agy` in a terminal/);
		assert.equal(code, 1);
	});

	test("says that agy is missing, not that a key is", async (t) => {
		const pi = scriptedPi(t, { env: { SCRIPT_NO_AGY: "1" } });
		const { stderr, code } = await runPi(pi.home, pi.args("-p", "hello"));
		assert.match(stderr, /agy command was not found.*set AGY_BIN/);
		assert.equal(code, 1);
	});
});

test("a failure before agy did anything is worth another try, and pi takes it", async (t) => {
	const pi = scriptedPi(t, { settings: { retry: { baseDelayMs: 1 } } });
	const { stdout } = await runPi(pi.home, pi.args("-p", "busy"));
	assert.equal(stdout, "Hello there.\n");
	assert.equal(pi.notes().filter((note) => note.started !== undefined).length, 2);
});

test("a failure after a step is final: the step is run once", async (t) => {
	const pi = scriptedPi(t);
	const { stdout } = await runPi(pi.home, pi.args("--mode", "json", "fails_after_a_step"));
	const events = parseEvents(stdout);
	assert.equal(events.filter((event) => event.type === "tool_execution_start").length, 1);
	assert.equal(events.filter((event) => event.type === "auto_retry_start").length, 0);
	assert.equal(pi.notes().filter((note) => note.started !== undefined).length, 1);
});

test("JSON mode: deltas rebuild the message, which carries its own usage", async (t) => {
	const pi = scriptedPi(t);
	const { stdout } = await runPi(pi.home, pi.args("--mode", "json", "hello"));
	const events = parseEvents(stdout);
	const deltas = events.flatMap((event) => {
		const update = event.assistantMessageEvent as { type: string; delta?: string } | undefined;
		return update?.type === "text_delta" ? [update.delta] : [];
	});
	assert.equal(deltas.join(""), "Hello there.");
	const message = events.findLast((event) => event.type === "message_end")?.message as Record<string, unknown>;
	assert.equal(message.stopReason, "stop");
	assert.deepEqual((message.usage as { input: number; output: number }).input, 1200);
});

test("RPC: a session of several turns, its name from agy, and an orderly exit", async (t) => {
	const pi = scriptedPi(t);
	const rpc = new PiRpc(pi.home, pi.args());
	await rpc.prompt("hello");
	const state = await rpc.request({ type: "get_state" });
	assert.equal(state.sessionName, "A greeting");
	await rpc.request({ type: "set_session_name", name: "mine" });
	await rpc.prompt("hello");
	assert.equal((await rpc.request({ type: "get_state" })).sessionName, "mine");
	assert.equal(await rpc.close(), 0);
	assert.equal(pi.notes().filter((note) => note.ended !== undefined).length, 2);
});

test("RPC without agy: the models are hidden and the reason is told once", async (t) => {
	const pi = scriptedPi(t, { env: { SCRIPT_NO_AGY: "1" }, extensions: [OTHER_MODEL] });
	const [, ...rest] = pi.args();
	const rpc = new PiRpc(pi.home, ["-ne", ...rest.slice(0, rest.indexOf("--model"))]);
	const { models } = await rpc.request({ type: "get_available_models" });
	assert.deepEqual(
		(models as { provider: string }[]).filter((model) => model.provider === "antigravity"),
		[],
	);
	const told = rpc.events.filter((event) => event.type === "extension_ui_request" && event.method === "notify");
	assert.equal(told.length, 1);
	assert.match(String(told[0]?.message), /agy command was not found/);
});

describe("an abort", () => {
	for (const scene of ["silent", "talks", "waits"]) {
		test(`ends a run that is ${scene}`, async (t) => {
			const pi = scriptedPi(t);
			const rpc = new PiRpc(pi.home, pi.args());
			await rpc.request({ type: "prompt", message: scene });
			const sign = { talks: "message_update", waits: "tool_execution_update" }[scene];
			if (sign !== undefined) await rpc.next((event) => event.type === sign, 0);
			else await pi.runStarted();
			await rpc.request({ type: "abort" });
			await rpc.next((event) => event.type === "agent_settled", 0);
			const { messages } = await rpc.request({ type: "get_messages" });
			const last = (messages as { role: string; stopReason?: string }[]).at(-1);
			assert.equal(last?.stopReason, "aborted");
			if (scene === "talks") assert.match(JSON.stringify(messages), /Once upon a time/);
			assert.deepEqual(
				pi.notes().flatMap((note) => note.cancelledBy ?? []),
				["user"],
			);
			await rpc.prompt("hello");
			assert.equal((await rpc.request({ type: "get_last_assistant_text" })).text, "Hello there.");
		});
	}
});

test("leaving pi ends a run", async (t) => {
	const pi = scriptedPi(t);
	const rpc = new PiRpc(pi.home, pi.args());
	await rpc.request({ type: "prompt", message: "talks" });
	await rpc.next((event) => event.type === "message_update", 0);
	await rpc.close();
	assert.equal(pi.notes().flatMap((note) => note.cancelledBy ?? []).length, 1);
});

test("a summary is no turn of the session", async (t) => {
	const pi = scriptedPi(t, { settings: { compaction: { keepRecentTokens: 1 } } });
	const rpc = new PiRpc(pi.home, pi.args());
	await rpc.prompt("hello, and remember me");
	await rpc.prompt("hello again");
	await rpc.request({ type: "compact" });
	const purposes = pi.notes().flatMap((note) => note.purpose ?? []);
	assert.deepEqual(purposes.slice(0, 2), ["turn", "turn"]);
	assert.ok(purposes.length > 2 && purposes.slice(2).every((purpose) => purpose === "words-only"));
});

test("a session with cards can be resumed and handed to another model", async (t) => {
	const log = "other.log";
	const pi = scriptedPi(t, { extensions: [OTHER_MODEL] });
	const home = { ...pi.home, env: { ...pi.home.env, OTHER_LOG: join(pi.home.dir, log) } };
	await runPi(home, pi.args("-p", "steps"));
	const args = pi.args();
	const model = args.indexOf("--model");
	const { stdout } = await runPi(home, [
		...args.slice(0, model),
		"-c",
		"--model",
		"faux/other",
		"-p",
		"what was done?",
	]);
	assert.equal(stdout, "The other model speaks.\n");
	assert.ok(existsSync(join(home.dir, log)));
	const sent = readFileSync(join(home.dir, log), "utf8");
	assert.match(sent, /agy_step/);
	assert.ok(sent.length < 60_000, "cards are small in another model's context");
	assert.equal(pi.notes().filter((note) => note.started !== undefined).length, 1);
});
