import assert from "node:assert/strict";
import { test } from "node:test";
import type { Binding, SessionRecord } from "../../../src/conversation/binding.ts";
import { currentBinding, withChosen, withoutCurrent } from "../../../src/conversation/choose.ts";

function bound(conversationId: string, seen: string[], more: Partial<Binding> = {}): Binding {
	const rest = {
		state: "clean",
		lastStep: 3,
		family: "gemini",
		cwd: "/project",
		instructions: "",
		updatedAt: 1,
	} as const;
	return { conversationId, seen, ...rest, ...more };
}

function record(...bindings: Binding[]): SessionRecord {
	return { sessionId: "s", bindings };
}

const ids = ({ bindings }: SessionRecord) => bindings.map((binding) => binding.conversationId);
const chosen = { id: "wanted", family: "claude", cwd: "/project", now: 9 };
const transcript = ["a", "b", "c"];

test("the current conversation is the one that knows most of the branch", () => {
	const session = record(bound("early", ["a"]), bound("late", ["a", "b"]), bound("other-branch", ["a", "x"]));
	assert.equal(currentBinding(session, transcript)?.conversationId, "late");
	assert.equal(currentBinding(session, ["y"]), undefined);
});

test("a new one begins when nothing is left that the branch goes on from; other branches keep theirs", () => {
	const session = record(bound("early", ["a"]), bound("late", ["a", "b"]), bound("other-branch", ["a", "x"]));
	assert.deepEqual(ids(withoutCurrent(session, transcript)), ["other-branch"]);
});

test("a chosen conversation wins against those that know more", () => {
	const session = record(bound("late", transcript), bound("other-branch", ["x"]));
	const after = withChosen(session, transcript, chosen);
	assert.equal(currentBinding(after, transcript)?.conversationId, "wanted");
	assert.deepEqual(currentBinding(after, transcript)?.seen, []);
	assert.ok(ids(after).includes("other-branch"));
});

test("one of the session's own is not told again what it knows, whatever became of it", () => {
	const claim = { owner: "gone", pid: 1, at: 0 };
	const own = bound("wanted", ["a"], { state: "dead", sent: ["a", "b"], claim });
	const found = currentBinding(withChosen(record(own, bound("late", transcript)), transcript, chosen), transcript);
	assert.deepEqual(found, bound("wanted", ["a"], { family: "claude", updatedAt: 9 }));
});

test("one that knows what this branch does not have begins afresh", () => {
	const own = bound("wanted", ["a", "x"], { lastStep: 8 });
	const found = currentBinding(withChosen(record(own), transcript, chosen), transcript);
	assert.deepEqual([found?.conversationId, found?.seen], ["wanted", []]);
});
