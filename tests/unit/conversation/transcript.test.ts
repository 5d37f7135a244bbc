import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@earendil-works/pi-ai";
import { endsWithOurToolResult, readTranscript } from "../../../src/conversation/transcript.ts";
import { branchSummary, command, compaction, ours, pixel, result, system, theirs, user } from "./messages.ts";

const read = (...messages: Message[]) => readTranscript(messages, "antigravity");

test("user messages keep their words and images, as a string or in parts", () => {
	assert.deepEqual(read({ role: "user", content: "hi\n", timestamp: 1 }, user("look", pixel)), [
		{ kind: "user", text: "hi\n", images: [] },
		{ kind: "user", text: "look", images: [pixel] },
	]);
});

test("an answer that cards split over several messages is one", () => {
	const entries = read(
		user("go"),
		ours("First I look.", { cards: ["c1"] }),
		result("c1", "files"),
		ours("", { cards: ["c2"] }),
		result("c2", "more"),
		ours("Done."),
	);
	assert.deepEqual(entries.slice(1), [{ kind: "answer", text: "First I look.\n\nDone." }]);
});

test("what ended in an error or was aborted is not there, whosever it is", () => {
	assert.deepEqual(
		read(
			user("go"),
			ours("half", { stop: "aborted" }),
			ours("", { stop: "error" }),
			theirs("half", { stop: "error" }),
			theirs("x", { stop: "aborted" }),
		).map((entry) => entry.kind),
		["user"],
	);
});

test("text before a card stays when the rest of the turn was aborted", () => {
	const entries = read(
		user("go"),
		ours("before", { cards: ["c1"] }),
		result("c1", "x"),
		ours("after", { stop: "aborted" }),
	);
	assert.deepEqual(entries[1], { kind: "answer", text: "before" });
});

test("other models' answers, calls and results are foreign", () => {
	assert.deepEqual(read(theirs("I look.", { calls: ["t1"] }), result("t1", "files")), [
		{
			kind: "foreign-answer",
			model: "faux/faux-1",
			text: "I look.",
			calls: [{ name: "bash", args: '{"command":"ls"}' }],
		},
		{ kind: "tool-result", tool: "bash", text: "files", images: [], failed: false },
	]);
});

test("a foreign message with only thinking says nothing", () => {
	assert.deepEqual(read(theirs("")), []);
});

test("commands and summaries are told from the user's words", () => {
	assert.deepEqual(
		read(command("ls", "a"), command("true", ""), compaction("Early days."), branchSummary("A detour.")),
		[
			{ kind: "command", text: "Ran `ls`\n```\na\n```" },
			{ kind: "command", text: "Ran `true`\n(no output)" },
			{ kind: "summary", of: "compaction", text: "Early days." },
			{ kind: "summary", of: "branch", text: "A detour." },
		],
	);
});

test("a user who writes about a command is a user", () => {
	assert.equal(read(user("Ran `ls` and it failed, why?"))[0]?.kind, "user");
});

test("system messages are not part of it", () => {
	assert.deepEqual(read(system({ preamble: "You are" })), []);
});

test("a tail of our own card's result is seen, behind system messages too, and a foreign one is not", () => {
	const card = [ours("", { cards: ["c1"] }), result("c1", "x")];
	assert.equal(endsWithOurToolResult(card, "antigravity"), true);
	assert.equal(endsWithOurToolResult([...card, system({})], "antigravity"), true);
	assert.equal(endsWithOurToolResult([...card, user("stop")], "antigravity"), false);
	assert.equal(endsWithOurToolResult([theirs("", { calls: ["t1"] }), result("t1", "x")], "antigravity"), false);
	assert.equal(endsWithOurToolResult([], "antigravity"), false);
});
