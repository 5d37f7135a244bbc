import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { only, PiRpc } from "../support/pi.ts";
import { agyHome, EXTENSION, MODEL, say } from "./agy-home.ts";

const turns = { steps: [{ say: "Heard: {{prompt}}" }] };

test("conversation show names the one that the turn wrote, and its database", async (t) => {
	const { agy, runs, rpc: open } = agyHome(t, turns);
	const rpc = open();
	assert.match((await say(rpc, "/agy conversation")).message, /is in no agy conversation: the next turn starts one\.$/);
	await rpc.prompt("one");
	const id = runs()[0]?.conversation ?? "";
	const [shown, file] = (await say(rpc, "/agy conversation show")).message.split("\n");
	assert.deepEqual([shown, file?.trim().replace("~", agy.dir)], [id, join(agy.conversations, `${id}.db`)]);
	assert.match(
		(await say(rpc, "/agy status")).message,
		new RegExp(`conversation +${id}\n +~/.*\\.db\nlast turn +agy answered\\. \\(just now\\)`),
	);
});

test("conversation new: the next turn begins one that is told what was said; use goes back", async (t) => {
	const { runs, rpc: open } = agyHome(t, turns);
	const rpc = open();
	await rpc.prompt("one");
	const first = runs()[0]?.conversation ?? "";
	assert.equal(
		(await say(rpc, "/agy conversation new")).message,
		`Conversation ${first} is left as it is: the next turn starts a new one, which is told what was said here.`,
	);
	for (const [line, said] of [
		["/agy conversation", "This session is in no agy conversation"],
		["/agy conversation new", "There was no conversation to leave"],
		["/agy clear", "There was no conversation to forget"],
	]) {
		const { message } = await say(rpc, line ?? "");
		assert.equal(message, `${said}: the next turn starts one, which is told what was said here.`);
	}
	await rpc.prompt("two");
	const second = runs()[1];
	assert.notEqual(second?.conversation, first);
	assert.match(second?.prompt ?? "", /Heard: one[\s\S]*two$/);

	assert.equal(
		(await say(rpc, `/agy conversation use ${first}`)).message,
		`The next turn continues conversation ${first}, which is told what it has not seen of this session.`,
	);
	await rpc.prompt("three");
	const third = runs()[2];
	assert.equal(third?.conversation, first);
	assert.match(third?.prompt ?? "", /Heard: [\s\S]*two[\s\S]*three$/);
	await rpc.prompt("four");
	assert.deepEqual([runs()[3]?.conversation, runs()[3]?.prompt], [first, "four"]);
});

test("a conversation of a terminal is continued in a new session, and with no digest", async (t) => {
	const { runs, rpc: open } = agyHome(t, turns);
	const before = open();
	await before.prompt("begun elsewhere");
	await before.close();
	const id = runs()[0]?.conversation ?? "";
	const rpc = open();
	await say(rpc, `/agy conversation use ${id}`);
	await rpc.prompt("go on");
	assert.deepEqual([runs()[1]?.conversation, runs()[1]?.prompt], [id, "go on"]);
});

test("clear forgets all of the session's conversations", async (t) => {
	const { runs, rpc: open } = agyHome(t, turns);
	const rpc = open();
	assert.match((await say(rpc, "/agy clear")).message, /^There was no conversation to forget: .* starts one\.$/);
	await rpc.prompt("one");
	assert.equal(
		(await say(rpc, "/agy clear")).message,
		"The agy conversation of this session is forgotten: the next turn starts a new one, which is told what was said here.",
	);
	await rpc.prompt("two");
	assert.notEqual(runs()[1]?.conversation, runs()[0]?.conversation);
	assert.match(runs()[1]?.prompt ?? "", /Heard: one[\s\S]*two$/);
});

test("use refuses what is no id, what is not there, and what belongs to another folder", async (t) => {
	const { pi, runs, agy, rpc: open } = agyHome(t, turns);
	const there = open();
	await there.prompt("one");
	await there.close();
	const id = runs()[0]?.conversation ?? "";
	const elsewhere = join(agy.dir, "elsewhere");
	mkdirSync(elsewhere);
	const rpc = new PiRpc({ ...pi, cwd: elsewhere }, [...only(EXTENSION), ...MODEL]);
	const use = async (name: string) => say(rpc, `/agy conversation use ${name}`);
	const ids = `The ids are the names of the files in ${agy.conversations.replace(agy.dir, "~")}.`;
	assert.deepEqual(await use("../../secret"), {
		message: `"../../secret" is not the id of a conversation. ${ids}`,
		level: "error",
	});
	assert.equal((await use("0000")).message, `There is no conversation 0000. ${ids}`);
	assert.equal((await use(id)).message, `Conversation ${id} belongs to ${agy.cwd}. Start pi there to continue it.`);
	assert.match((await say(rpc, "/agy conversation")).message, /is in no agy conversation/);
});

test("while agy works, here or in another pi, its conversation is left alone", async (t) => {
	const { runs, agy, rpc: open, play } = agyHome(t, turns);
	const gate = agy.gate("working");
	play({ steps: [{ say: "One" }, { waitFor: gate.file }, { say: " two." }] });
	const [rpc, other] = [open(), open()];
	const turn = rpc.prompt("go");
	await gate.reached();
	const id = runs()[0]?.conversation ?? "";
	for (const line of ["/agy conversation new", `/agy conversation use ${id}`, "/agy clear"]) {
		assert.match((await say(rpc, line)).message, /^agy is working in this session\./);
	}
	assert.match((await say(other, `/agy conversation use ${id}`)).message, /^Conversation .* is in use\./);
	assert.match((await say(other, "/agy doctor")).message, /agy's conversations: the newest are in use/);
	gate.open();
	await turn;
	assert.match((await say(rpc, "/agy conversation")).message, new RegExp(`^${id}\n`));
});
