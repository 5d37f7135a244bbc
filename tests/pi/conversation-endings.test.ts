import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk } from "./conversation-desk.ts";

for (const version of ["1.3.3", "1.1.7"]) {
	test(`an aborted turn is gone on with, and nothing of it is shown or told again (agy ${version})`, async (t) => {
		const desk = new Desk(t, { version });
		const pi = desk.open();
		const gate = desk.agy.gate("half");
		desk.agy.play({
			turns: [[{ say: "I beg" }, { waitFor: gate.file }, { say: "in." }], [{ say: "Now the rest." }]],
		});
		const from = pi.rpc.events.length;
		await pi.rpc.request({ type: "prompt", message: "one" });
		await pi.rpc.next((event) => event.type === "message_update" && JSON.stringify(event).includes("I beg"), from);
		await pi.rpc.request({ type: "abort" });
		assert.deepEqual(await pi.say("two"), { asked: "c1", by: "c1", prompt: "two" });
		assert.equal(await pi.lastAnswer(), "Now the rest.");
		assert.deepEqual(await pi.say("three"), { asked: "c1", by: "c1", prompt: "three" });
		await pi.quit();
		assert.equal((await desk.print("-c", "four")).stdout, "Now the rest.\n");
		assert.deepEqual(desk.turns().at(-1), { asked: "c1", by: "c1", prompt: "four" });
	});
}

test("an aborted turn with cards is gone on with", async (t) => {
	const desk = new Desk(t);
	const pi = desk.open();
	const gate = desk.agy.gate("half");
	desk.agy.play({
		turns: [
			[{ say: "I look." }, { run: { command: "ls", output: ["a.txt\n"] } }, { say: "I beg" }, { waitFor: gate.file }],
			[{ say: "Now the rest." }],
		],
	});
	const from = pi.rpc.events.length;
	await pi.rpc.request({ type: "prompt", message: "one" });
	await pi.rpc.next((event) => event.type === "message_update" && JSON.stringify(event).includes("I beg"), from);
	await pi.rpc.request({ type: "abort" });
	assert.deepEqual(await pi.say("two"), { asked: "c1", by: "c1", prompt: "two" });
	assert.equal(await pi.lastAnswer(), "Now the rest.");
	assert.deepEqual(await pi.say("three"), { asked: "c1", by: "c1", prompt: "three" });
});

test("pi killed in the middle of a turn: the next one goes on in its conversation", async (t) => {
	const desk = new Desk(t);
	const first = desk.open();
	await first.say("one");
	const gate = desk.agy.gate("half");
	desk.agy.play({ turns: [[], [{ say: "I beg" }, { waitFor: gate.file }], [{ say: "Here again." }]] });
	const from = first.rpc.events.length;
	await first.rpc.request({ type: "prompt", message: "two" });
	await first.rpc.next((event) => event.type === "message_update" && JSON.stringify(event).includes("I beg"), from);
	await first.kill();
	const pi = desk.open("--continue");
	const told = await pi.say("three");
	assert.deepEqual([told.asked, told.by], ["c1", "c1"]);
	assert.match(told.prompt, /three$/);
	assert.doesNotMatch(told.prompt, /one|First/);
	assert.deepEqual(await pi.say("four"), { asked: "c1", by: "c1", prompt: "four" });
});

const overloaded = { message: "The model is overloaded.", status: "UNAVAILABLE", code: 503, retryable: true };

test("a retry where agy has the prompt resumes with continue", async (t) => {
	const desk = new Desk(t);
	desk.agy.play({
		steps: [{ say: "Answered." }],
		match: [{ prompt: "^(one|two)$", steps: [{ error: overloaded }] }],
	});
	const pi = desk.open();
	await pi.rpc.prompt("one");
	assert.deepEqual(desk.turns(), [
		{ asked: undefined, by: "c1", prompt: "one" },
		{ asked: "c1", by: "c1", prompt: "continue" },
	]);
	await pi.rpc.prompt("two");
	assert.deepEqual(desk.turns().slice(2), [
		{ asked: "c1", by: "c1", prompt: "two" },
		{ asked: "c1", by: "c1", prompt: "continue" },
	]);
	assert.deepEqual(await pi.say("three"), { asked: "c1", by: "c1", prompt: "three" });
});

test("a retry where agy never had the prompt sends it again", async (t) => {
	const desk = new Desk(t);
	const pi = desk.open();
	await pi.say("one");
	const line = JSON.stringify({ status: "UNAVAILABLE", error_code: 503, retryable: true, short_error: "busy" });
	const gate = desk.agy.gate("first try");
	desk.agy.play({ before: [{ waitFor: gate.file }, { stderr: `AGY_ERROR: ${line}\n` }, { exit: 3 }] });
	const turn = pi.rpc.prompt("two");
	await gate.reached();
	desk.agy.play({ steps: [{ say: "Answered." }] });
	gate.open();
	await turn;
	const prompts = desk.agy.invocations().map(({ argv }) => [argv.includes("--conversation"), argv.at(-1)]);
	assert.deepEqual(prompts.filter(([, last]) => last === "--print=two").slice(0, 2), [
		[true, "--print=two"],
		[true, "--print=two"],
	]);
	assert.equal(await pi.lastAnswer(), "Answered.");
	assert.deepEqual(await pi.say("three"), { asked: "c1", by: "c1", prompt: "three" });
});

for (const version of ["1.3.3", "1.1.7"]) {
	test(`a conversation that agy does not continue is rebuilt in another (agy ${version})`, async (t) => {
		const desk = new Desk(t, { version });
		const pi = desk.open();
		await pi.say("one");
		desk.agy.play({
			ignoreConversation: true,
			steps: [{ say: "Rebuilt." }],
			match: [{ prompt: "^two$", steps: [{ hang: true }, { say: "Who are you?" }] }],
		});
		await pi.rpc.prompt("two");
		const [lost, rebuilt, ...more] = desk.turns().slice(1);
		assert.deepEqual([lost, more], [{ asked: "c1", by: "c2", prompt: "two" }, []]);
		assert.deepEqual([rebuilt?.asked, rebuilt?.by], [undefined, "c3"]);
		assert.match(rebuilt?.prompt ?? "", /\[User\]\none\n\n\[Assistant\]\nFirst answer\./);
		assert.equal(await pi.lastAnswer(), "Rebuilt.");
		desk.agy.play({ steps: [{ say: "On." }] });
		assert.deepEqual(await pi.say("three"), { asked: "c3", by: "c3", prompt: "three" });
	});
}
