import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Desk, flag } from "./conversation-desk.ts";

test("restart and resume: --continue and --session go on in the same conversation", async (t) => {
	const desk = new Desk(t);
	assert.deepEqual(await desk.print("one"), { stdout: "First answer.\n", stderr: "", code: 0 });
	assert.equal((await desk.print("--continue", "two")).stdout, "Second answer.\n");
	const pi = desk.open("--continue");
	await pi.say("three");
	const file = await pi.sessionFile();
	await pi.quit();
	assert.equal((await desk.print("--session", file, "four")).stdout, "Fourth answer.\n");
	assert.equal((await desk.print("another session")).stdout, "First answer.\n");
	assert.deepEqual(desk.turns(), [
		{ asked: undefined, by: "c1", prompt: "one" },
		{ asked: "c1", by: "c1", prompt: "two" },
		{ asked: "c1", by: "c1", prompt: "three" },
		{ asked: "c1", by: "c1", prompt: "four" },
		{ asked: undefined, by: "c2", prompt: "another session" },
	]);
});

test("/tree back and forward: each branch has its conversation", async (t) => {
	const pi = new Desk(t).open();
	await pi.say("one");
	const afterOne = await pi.leaf();
	await pi.say("two");
	const afterTwo = await pi.leaf();

	await pi.command(`/goto ${afterOne}`);
	const aside = await pi.say("aside");
	assert.deepEqual([aside.asked, aside.by], [undefined, "c2"]);
	assert.match(aside.prompt, /\[User\]\none\n\n\[Assistant\]\nFirst answer\.\n<\/background>/);
	assert.match(aside.prompt, /The user's message:\n\naside$/);
	assert.doesNotMatch(aside.prompt, /two|Second/);
	assert.deepEqual(await pi.say("further aside"), { asked: "c2", by: "c2", prompt: "further aside" });

	await pi.command(`/goto ${afterTwo}`);
	assert.deepEqual(await pi.say("three"), { asked: "c1", by: "c1", prompt: "three" });
});

test("/fork, /clone, /new: each has a conversation of its own, and the original keeps its", async (t) => {
	const pi = new Desk(t).open();
	await pi.say("one");
	await pi.say("two");
	const original = await pi.sessionFile();

	await pi.rpc.request({ type: "fork", entryId: await pi.entryOf("two") });
	const forked = await pi.say("other two");
	assert.deepEqual([forked.asked, forked.by], [undefined, "c2"]);
	assert.match(forked.prompt, /\[Assistant\]\nFirst answer\.\n<\/background>\n\nThe user's message:\n\nother two$/);
	assert.deepEqual(await pi.say("on"), { asked: "c2", by: "c2", prompt: "on" });

	await pi.rpc.request({ type: "switch_session", sessionPath: original });
	await pi.rpc.request({ type: "clone" });
	assert.notEqual(await pi.sessionFile(), original);
	const cloned = await pi.say("in the clone");
	assert.deepEqual([cloned.asked, cloned.by], [undefined, "c3"]);
	assert.match(cloned.prompt, /\[User\]\ntwo\n\n\[Assistant\]\nSecond answer\.\n<\/background>/);

	await pi.rpc.request({ type: "new_session" });
	assert.deepEqual(await pi.say("elsewhere"), { asked: undefined, by: "c4", prompt: "elsewhere" });

	await pi.rpc.request({ type: "switch_session", sessionPath: original });
	assert.deepEqual(await pi.say("three"), { asked: "c1", by: "c1", prompt: "three" });
});

test("another model's turns and the user's commands are told, once", async (t) => {
	const pi = new Desk(t).open();
	await pi.say("one");
	await pi.sayToOther("what do you think?");
	await pi.rpc.request({ type: "bash", command: "echo hello; echo there" });
	const back = await pi.say("two");
	assert.deepEqual([back.asked, back.by], ["c1", "c1"]);
	const told = [
		"[User]\nwhat do you think?",
		"[Assistant, faux/other]\nThe other model speaks.",
		"[Shell command of the user]\nRan `echo hello; echo there`\n```\nhello\nthere\n\n```\n</background>",
		"The user's message:\n\ntwo",
	].join("\n\n");
	assert.ok(back.prompt.endsWith(told), back.prompt);
	assert.doesNotMatch(back.prompt, /First answer/);
	assert.deepEqual(await pi.say("three"), { asked: "c1", by: "c1", prompt: "three" });
});

test("two processes on one session file: each branch goes its own way", async (t) => {
	const desk = new Desk(t);
	const left = desk.open();
	await left.say("one");
	const right = desk.open("--session", await left.sessionFile());
	await right.sessionFile();
	assert.deepEqual(await left.say("left"), { asked: "c1", by: "c1", prompt: "left" });
	const aside = await right.say("right");
	assert.deepEqual([aside.asked, aside.by], [undefined, "c2"]);
	assert.match(aside.prompt, /First answer[\s\S]*The user's message:\n\nright$/);
	assert.doesNotMatch(aside.prompt, /left/);
	assert.deepEqual(await left.say("left on"), { asked: "c1", by: "c1", prompt: "left on" });
	assert.deepEqual(await right.say("right on"), { asked: "c2", by: "c2", prompt: "right on" });
});

test("two processes at the same instant: only one of them continues the conversation", async (t) => {
	const desk = new Desk(t);
	const left = desk.open();
	await left.say("one");
	const right = desk.open("--session", await left.sessionFile());
	await right.sessionFile();
	const gate = desk.agy.gate("both");
	desk.agy.play({
		turns: [
			[{ waitFor: gate.file }, { say: "Aside." }],
			[{ waitFor: gate.file }, { say: "Ahead." }],
		],
	});
	const both = [left.rpc.prompt("left"), right.rpc.prompt("right")];
	await desk.hasTold(3);
	gate.open();
	await Promise.all(both);
	const asked = desk.turns().slice(1);
	assert.deepEqual(asked.map((told) => told.asked).sort(), ["c1", undefined]);
	assert.deepEqual(asked.map((told) => told.by).sort(), ["c1", "c2"]);
	desk.agy.play({ steps: [{ say: "On." }] });
	assert.equal((await left.say("left on")).asked, asked.find((told) => told.prompt.endsWith("left"))?.by);
	assert.equal((await right.say("right on")).asked, asked.find((told) => told.prompt.endsWith("right"))?.by);
});

for (const version of ["1.3.3", "1.1.7"]) {
	test(`a database deleted or destroyed between turns: a new conversation is told the history (agy ${version})`, async (t) => {
		const desk = new Desk(t, { version });
		const pi = desk.open();
		await pi.say("one");
		removeDatabases(desk);
		const next = await pi.say("two");
		assert.deepEqual([next.asked, next.by], [undefined, "c2"]);
		assert.match(next.prompt, /\[User\]\none\n\n\[Assistant\]\nFirst answer\./);
		assert.deepEqual(await pi.say("three"), { asked: "c2", by: "c2", prompt: "three" });

		for (const name of removeDatabases(desk)) {
			if (name.endsWith(".db")) writeFileSync(join(desk.agy.conversations, name), "no database any more".repeat(500));
		}
		const again = await pi.say("four");
		assert.deepEqual([again.asked, again.by], [undefined, "c3"]);
		assert.match(again.prompt, /\[User\]\nthree\n\n\[Assistant\]\nSecond answer\.[\s\S]*four$/);
		assert.deepEqual(await pi.say("five"), { asked: "c3", by: "c3", prompt: "five" });
	});
}

function removeDatabases(desk: Desk): string[] {
	const names = readdirSync(desk.agy.conversations);
	for (const name of names) rmSync(join(desk.agy.conversations, name));
	return names;
}

for (const how of ["setting", "flag"]) {
	test(`agy's data is elsewhere (${how}): the conversation is found and continued`, async (t) => {
		const desk = new Desk(t);
		const real = join(desk.agy.dir, "real");
		const link = join(desk.agy.dir, "link");
		mkdirSync(real);
		symlinkSync(real, link);
		const moved: Record<string, string> =
			how === "setting"
				? { AGY_CONVERSATIONS_DIR: link, FAKE_AGY_CONVERSATIONS_DIR: real }
				: { AGY_EXTRA_ARGS: `--gemini_dir=${link}` };
		const pi = desk.withEnv(moved).open();
		assert.equal((await pi.say("one")).by, "c1");
		assert.deepEqual(await pi.say("two"), { asked: "c1", by: "c1", prompt: "two" });
		assert.equal(existsSync(desk.agy.conversations), false);
	});
}

test("a model of another family goes on in the conversation, or in a new one if the setting says so", async (t) => {
	const desk = new Desk(t);
	const pi = desk.open();
	await pi.say("one");
	await pi.pick("antigravity", "claude-sonnet-4-6");
	assert.deepEqual(await pi.say("two"), { asked: "c1", by: "c1", prompt: "two" });
	assert.equal(flag(desk.invocations().at(-1) ?? assert.fail(), "--model"), "claude-sonnet-4-6");
	await pi.quit();

	const careful = desk.withEnv({ AGY_REBUILD_ON_FAMILY_CHANGE: "true" }).open("--continue");
	await careful.pickOurs();
	const told = await careful.say("three");
	assert.deepEqual([told.asked, told.by], [undefined, "c2"]);
	assert.match(told.prompt, /\[User\]\ntwo\n\n\[Assistant\]\nSecond answer\.[\s\S]*three$/);
	assert.match(
		JSON.stringify(await careful.rpc.request({ type: "get_messages" })),
		/the model belongs to another family/,
	);
	assert.deepEqual(await careful.say("four"), { asked: "c2", by: "c2", prompt: "four" });
});

test("a session record that cannot be read costs the conversation, not the turn, and is kept aside", async (t) => {
	const desk = new Desk(t);
	const pi = desk.open();
	await pi.say("one");
	await pi.recorded();
	const folder = join(desk.home.agentDir, "antigravity", "sessions");
	const [name = ""] = readdirSync(folder).filter((each) => each.endsWith(".json"));
	writeFileSync(join(folder, name), '{"version": 1, "bindings"');
	const told = await pi.say("two");
	assert.deepEqual([told.asked, told.by], [undefined, "c2"]);
	assert.match(told.prompt, /\[Assistant\]\nFirst answer\.[\s\S]*two$/);
	assert.deepEqual(await pi.say("three"), { asked: "c2", by: "c2", prompt: "three" });
	assert.equal(readdirSync(folder).filter((each) => each.startsWith(`${name}.corrupt-`)).length, 1);
	if (process.platform !== "win32") assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
});
