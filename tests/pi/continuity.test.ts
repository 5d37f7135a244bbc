import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { generation, text, tool } from "../support/fake-engine.ts";
import { pixel } from "../unit/conversation/messages.ts";
import { answer, Place } from "./continuity-session.ts";

test("the second prompt continues the conversation of the first with its words alone", async (t) => {
	const pi = await new Place(t).startPi();
	assert.deepEqual(await pi.say("one"), { resume: undefined, prompt: "one" });
	assert.deepEqual(await pi.say("two"), { resume: "c1", prompt: "two" });
	assert.equal(pi.lastAnswer(), "answer 2");
});

test("after a restart the session resumes its conversation", async (t) => {
	const place = new Place(t);
	const first = await place.startPi();
	await first.say("one");
	await first.quit();
	const second = await place.startPi(first.sessionFile);
	assert.deepEqual(await second.say("two"), { resume: "c1", prompt: "two" });
});

test("/new begins a conversation, and /resume finds the old one", async (t) => {
	const pi = await new Place(t).startPi();
	await pi.say("one");
	const file = pi.sessionFile;
	await pi.newSession();
	assert.deepEqual(await pi.say("elsewhere"), { resume: undefined, prompt: "elsewhere" });
	await pi.resume(file);
	assert.deepEqual(await pi.say("two"), { resume: "c1", prompt: "two" });
});

test("/tree back gets a conversation of its own, and forward again the first one", async (t) => {
	const pi = await new Place(t).startPi();
	await pi.say("one");
	const afterOne = pi.leaf();
	await pi.say("two");
	const afterTwo = pi.leaf();

	await pi.session.navigateTree(afterOne);
	const aside = await pi.say("aside");
	assert.equal(aside.resume, undefined);
	assert.match(aside.prompt, /\[User\]\none\n\n\[Assistant\]\nanswer 1\n<\/background>/);
	assert.match(aside.prompt, /The user's message:\n\naside$/);
	assert.doesNotMatch(aside.prompt, /two|answer 2/);
	assert.deepEqual(await pi.say("further aside"), { resume: "c2", prompt: "further aside" });

	await pi.session.navigateTree(afterTwo);
	assert.deepEqual(await pi.say("three"), { resume: "c1", prompt: "three" });
});

test("/tree with a summary: agy sums up in a throw-away conversation, and the summary is told", async (t) => {
	const place = new Place(t);
	const pi = await place.startPi();
	await pi.say("one");
	const afterOne = pi.leaf();
	await pi.say("two");
	await pi.session.navigateTree(afterOne, { summarize: true });
	const summing = place.requests.at(-1);
	assert.deepEqual(
		[summing?.purpose, summing?.permissions, summing?.resume, summing?.addDirs],
		["words-only", "deny", undefined, []],
	);
	const next = await pi.say("three");
	assert.equal(next.resume, undefined);
	assert.match(next.prompt, /\[Summary of a branch that was left\]\n[\s\S]*Summary by agy\./);
	assert.deepEqual(await pi.say("four"), { resume: "c3", prompt: "four" });
});

test("/fork gets a conversation of its own; the original keeps its", async (t) => {
	const pi = await new Place(t).startPi();
	await pi.say("one");
	await pi.say("two");
	const original = pi.sessionFile;
	await pi.fork("two");
	const forked = await pi.say("other two");
	assert.equal(forked.resume, undefined);
	assert.match(forked.prompt, /answer 1[\s\S]*The user's message:\n\nother two$/);
	assert.deepEqual(await pi.say("on"), { resume: "c2", prompt: "on" });
	await pi.resume(original);
	assert.deepEqual(await pi.say("three"), { resume: "c1", prompt: "three" });
});

test("/clone never shares the live conversation", async (t) => {
	const pi = await new Place(t).startPi();
	await pi.say("one");
	const original = pi.sessionFile;
	await pi.clone();
	assert.notEqual(pi.sessionFile, original);
	const cloned = await pi.say("in the clone");
	assert.equal(cloned.resume, undefined);
	assert.match(cloned.prompt, /\[Assistant\]\nanswer 1/);
	await pi.resume(original);
	assert.deepEqual(await pi.say("two"), { resume: "c1", prompt: "two" });
});

test("/compact: the summary runs aside, the next turn starts anew from it, and later ones continue", async (t) => {
	const place = new Place(t);
	const pi = await place.startPi();
	await pi.say(`one ${"x".repeat(200)}`);
	await pi.say(`two ${"y".repeat(200)}`);
	const turns = place.turns().length;
	await pi.session.compact();
	assert.equal(place.turns().length, turns);
	assert.ok(place.requests.slice(turns).every((request) => request.purpose === "words-only" && !request.resume));

	const next = await pi.say("three");
	assert.equal(next.resume, undefined);
	assert.match(next.prompt, /\[Summary of the session so far\]\nSummary by agy\./);
	assert.match(next.prompt, /The user's message:\n\nthree$/);
	assert.doesNotMatch(next.prompt, /xxxx/);
	const later = await pi.say("four");
	assert.match(later.resume ?? "", /^c\d$/);
	assert.equal(later.prompt, "four");
});

test("another model's turns and the user's commands are told, once", async (t) => {
	const pi = await new Place(t).startPi();
	await pi.say("one");
	await pi.sayToFaux("what do you think?", "I think so.");
	pi.session.recordBashResult("ls", { output: "a.txt", exitCode: 0, cancelled: false, truncated: false });
	const back = await pi.say("two");
	assert.equal(back.resume, "c1");
	assert.match(
		back.prompt,
		/\[User\]\nwhat do you think\?\n\n\[Assistant, faux\/faux-1\]\nI think so\.\n\n\[Shell command of the user\]\nRan `ls`\n```\na\.txt\n```\n<\/background>\n\nThe user's message:\n\ntwo$/,
	);
	assert.doesNotMatch(back.prompt, /answer 1/);
	assert.deepEqual(await pi.say("three"), { resume: "c1", prompt: "three" });
});

test("a session that began with another model", async (t) => {
	const pi = await new Place(t).startPi();
	await pi.sayToFaux("hello", "Hello from faux.");
	const first = await pi.say("one");
	assert.equal(first.resume, undefined);
	assert.match(first.prompt, /Hello from faux\./);
	assert.deepEqual(await pi.say("two"), { resume: "c1", prompt: "two" });
});

test("two processes on one session file do not mix their conversations", async (t) => {
	const place = new Place(t);
	const left = await place.startPi();
	await left.say("one");
	const right = await place.startPi(left.sessionFile);
	assert.deepEqual(await left.say("left"), { resume: "c1", prompt: "left" });
	const aside = await right.say("right");
	assert.equal(aside.resume, undefined);
	assert.match(aside.prompt, /answer 1[\s\S]*The user's message:\n\nright$/);
	assert.deepEqual(await left.say("left on"), { resume: "c1", prompt: "left on" });
	assert.deepEqual(await right.say("right on"), { resume: "c2", prompt: "right on" });
});

test("while one process works, the other starts a conversation of its own", async (t) => {
	const place = new Place(t);
	const left = await place.startPi();
	await left.say("one");
	const right = await place.startPi(left.sessionFile);
	let finish: () => void = () => {};
	const begun = new Promise<void>((resolve) => {
		place.plays.push((run, id) => {
			finish = () => answer(run, id, "late");
			resolve();
		});
	});
	const working = left.session.prompt("left");
	await begun;
	assert.equal((await right.say("right")).resume, undefined);
	finish();
	await working;
	assert.deepEqual(await left.say("left on"), { resume: "c1", prompt: "left on" });
});

test("a database deleted between turns: a new conversation with a digest", async (t) => {
	const place = new Place(t);
	const pi = await place.startPi();
	await pi.say("one");
	place.databases.delete("c1");
	const next = await pi.say("two");
	assert.equal(next.resume, undefined);
	assert.match(next.prompt, /\[User\]\none\n\n\[Assistant\]\nanswer 1/);
	assert.deepEqual(await pi.say("three"), { resume: "c2", prompt: "three" });
});

test("pi's own retry resumes with continue where agy had the prompt, and sends it again where not", async (t) => {
	const place = new Place(t);
	const pi = await place.startPi();
	await pi.say("one");
	const failure = { kind: "overloaded" } as const;
	place.plays.push(
		(run, conversationId) =>
			run.end({ kind: "failed", failure }, { conversationId, promptSeen: false, textSeen: false }),
		(run, conversationId) => run.end({ kind: "failed", failure }, { conversationId, textSeen: false }),
	);
	await pi.say("two");
	assert.deepEqual(place.turns().slice(1), [
		{ resume: "c1", prompt: "two" },
		{ resume: "c1", prompt: "two" },
		{ resume: "c1", prompt: "continue" },
	]);
	assert.equal(pi.lastAnswer(), "answer 2");
	assert.deepEqual(await pi.say("three"), { resume: "c1", prompt: "three" });
});

test("an answer that cards cut into messages is recognised, after a restart too", async (t) => {
	const place = new Place(t);
	const pi = await place.startPi();
	place.plays.push((run, conversationId) => {
		run.emit(
			generation(1, "started"),
			text(1, "First I look. "),
			tool(2, "done", { output: "ok" }),
			generation(1, "done", ["call-2"]),
			generation(3, "started"),
			text(3, "Then I am done."),
			generation(3, "done", []),
		);
		run.end({ kind: "answered" }, { conversationId, toolsRan: true, lastStep: 3 });
	});
	await pi.say("one");
	assert.equal(pi.session.messages.filter((message) => message.role === "assistant").length, 2);
	assert.deepEqual(await pi.say("two"), { resume: "c1", prompt: "two" });
	await pi.quit();
	const again = await place.startPi(pi.sessionFile);
	assert.deepEqual(await again.say("three"), { resume: "c1", prompt: "three" });
});

test("an aborted turn is continued, not told again", async (t) => {
	const place = new Place(t);
	const pi = await place.startPi();
	const begun = new Promise<void>((resolve) => {
		place.plays.push((run, conversationId) => {
			run.cancel = (by) => run.end({ kind: "cancelled", by }, { conversationId });
			run.emit(generation(1, "started"), text(1, "I beg"));
			resolve();
		});
	});
	const asking = pi.session.prompt("one");
	await begun;
	await pi.session.abort();
	await asking;
	assert.deepEqual(await pi.say("two"), { resume: "c1", prompt: "two" });
});

test("switched to in the middle of another model's tool loop, agy is told what happened and to continue", async (t) => {
	const place = new Place(t);
	const pi = await place.startPi();
	await pi.say("one");
	writeFileSync(join(place.cwd, "notes.txt"), "remember the milk");
	await pi.switchInsideToolLoop("read my notes", "notes.txt");
	const told = place.lastTurn();
	assert.equal(told.resume, "c1");
	assert.match(
		told.prompt,
		/\[User\]\nread my notes\n[\s\S]*\[called read [\s\S]*\[Result of read\]\nremember the milk/,
	);
	assert.match(told.prompt, /The user's message:\n\ncontinue$/);
	assert.deepEqual(await pi.say("two"), { resume: "c1", prompt: "two" });
});

test("an image is a file while the session is open", async (t) => {
	const place = new Place(t);
	const pi = await place.startPi();
	await pi.session.prompt("look", { images: [pixel] });
	const path = /^look\n\nImages of this message, to be looked at:\n- (\S+)$/.exec(place.lastTurn().prompt)?.[1] ?? "";
	assert.ok(existsSync(path));
	assert.deepEqual(place.requests.at(-1)?.addDirs, [dirname(path)]);
	assert.deepEqual(await pi.say("two"), { resume: "c1", prompt: "two" });
	await pi.quit();
	assert.equal(existsSync(dirname(path)), false);
});

test("instructions that agy does not read by itself are given once", async (t) => {
	const place = new Place(t);
	place.appendSystemPrompt = "Always be kind.";
	writeFileSync(join(place.cwd, "..", "CLAUDE.md"), "Use tabs.");
	writeFileSync(join(place.cwd, "AGENTS.md"), "agy reads this itself.");
	const pi = await place.startPi();
	const { prompt } = await pi.say("one");
	assert.match(prompt, /<instructions>\n<addendum>\nAlways be kind\.\n<\/addendum>/);
	assert.match(prompt, /CLAUDE\.md">\nUse tabs\./);
	assert.match(prompt, /<\/instructions>\n\nThe user's message:\n\none$/);
	assert.doesNotMatch(prompt, /agy reads this itself|running inside pi|Be concise/);
	assert.deepEqual(await pi.say("two"), { resume: "c1", prompt: "two" });
});

test("what starts like a flag of agy's is led in", async (t) => {
	const pi = await new Place(t).startPi();
	assert.equal((await pi.say("-p is a flag")).prompt, "The user's message:\n\n-p is a flag");
});

test("pi's own system prompt adds nothing to the words", async (t) => {
	const pi = await new Place(t).startPi();
	assert.equal((await pi.say("  one\n\ttwo  ")).prompt, "  one\n\ttwo  ");
});
