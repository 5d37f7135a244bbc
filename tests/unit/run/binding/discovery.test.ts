import assert from "node:assert/strict";
import { test } from "node:test";
import {
	type Binding,
	bindingByName,
	type DiscoveryFacts,
	decideBinding,
	type NewConversation,
} from "../../../../src/run/binding/discovery.ts";

const nothing: DiscoveryFacts = {
	resume: undefined,
	resumeRefused: false,
	open: [],
	appeared: [],
	resumeTouched: false,
};
const root = (id: string): NewConversation => ({ id, parent: { kind: "none" } });
const unread = (id: string): NewConversation => ({ id, parent: { kind: "unread" } });
const child = (id: string, of = "a"): NewConversation => ({ id, parent: { kind: "child", of } });

const wait = (...candidates: string[]): Binding => ({ kind: "wait", candidates });
const bound = (id: string, by: "stdout" | "open-file" | "new-file" | "resumed", insteadOf?: string): Binding => ({
	kind: "bound",
	id,
	by,
	...(insteadOf === undefined ? {} : { insteadOf }),
});

const cases: readonly (readonly [string, Partial<DiscoveryFacts>, Binding])[] = [
	["nothing seen yet", {}, wait()],
	["one new database open", { open: ["a"], appeared: [root("a")] }, bound("a", "open-file")],
	["one open before its metadata can be read", { open: ["a"], appeared: [unread("a")] }, bound("a", "open-file")],
	[
		"others appear, ours is open",
		{ open: ["b"], appeared: [root("a"), root("b"), root("c")] },
		bound("b", "open-file"),
	],
	["others appear, ours is not open yet", { open: [], appeared: [root("a")] }, wait()],
	["a subagent's is open as well", { open: ["b", "a"], appeared: [root("a"), child("b")] }, bound("a", "open-file")],
	["only a subagent's is open", { open: ["b"], appeared: [child("b")] }, wait()],
	["two open, neither known to be a child", { open: ["a", "b"], appeared: [root("a"), unread("b")] }, wait("a", "b")],
	["an old database is open beside ours", { open: ["old", "a"], appeared: [root("a")] }, bound("a", "open-file")],
	["an old database alone is open", { open: ["old"] }, wait()],
	["the resumed one is open", { resume: "r", open: ["r"] }, bound("r", "open-file")],
	[
		"the resumed one and a subagent's",
		{ resume: "r", open: ["x", "r"], appeared: [unread("x")] },
		bound("r", "open-file"),
	],
	["the resumed one is not open yet", { resume: "r", open: [], resumeTouched: true }, wait()],
	[
		"agy refused the resumed one and opened another",
		{ resume: "r", resumeRefused: true, open: ["a"], appeared: [root("a")] },
		bound("a", "open-file", "r"),
	],
	[
		"agy says nothing, and opens another",
		{ resume: "r", open: ["a"], appeared: [root("a")] },
		bound("a", "open-file", "r"),
	],
	[
		"agy says nothing, and opens one that may be a subagent's",
		{ resume: "r", open: ["a"], appeared: [unread("a")] },
		wait("a"),
	],

	["unseen: nothing appeared", { open: undefined }, wait()],
	["unseen: exactly one appeared", { open: undefined, appeared: [root("a")] }, bound("a", "new-file")],
	["unseen: one that cannot be read yet", { open: undefined, appeared: [unread("a")] }, wait("a")],
	["unseen: two appeared", { open: undefined, appeared: [root("a"), root("b")] }, wait("a", "b")],
	["unseen: one, and its subagent's", { open: undefined, appeared: [child("b"), root("a")] }, bound("a", "new-file")],
	["unseen: only a subagent's of another agy", { open: undefined, appeared: [child("b", "z")] }, wait()],
	["unseen: the resumed one changed", { open: undefined, resume: "r", resumeTouched: true }, bound("r", "resumed")],
	["unseen: the resumed one did not change", { open: undefined, resume: "r", appeared: [root("a")] }, wait("r")],
	[
		"unseen: agy refused the resumed one",
		{ open: undefined, resume: "r", resumeRefused: true, appeared: [root("a")] },
		bound("a", "new-file", "r"),
	],
];

for (const [what, facts, expected] of cases) {
	test(what, () => assert.deepEqual(decideBinding({ ...nothing, ...facts }), expected));
}

test("the name that agy prints decides, also when it is not the one that was asked for", () => {
	assert.deepEqual(bindingByName("a", undefined), bound("a", "stdout"));
	assert.deepEqual(bindingByName("a", "a"), bound("a", "stdout"));
	assert.deepEqual(bindingByName("b", "a"), bound("b", "stdout", "a"));
});
