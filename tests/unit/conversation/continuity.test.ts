import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@earendil-works/pi-ai";
import fc from "fast-check";
import type { Binding } from "../../../src/conversation/binding.ts";
import { type Decision, decideContinuity, type Situation } from "../../../src/conversation/continuity.ts";
import { fingerprints } from "../../../src/conversation/fingerprint.ts";
import { endsWithOurToolResult, readTranscript } from "../../../src/conversation/transcript.ts";
import { branchSummary, command, compaction, ours, result, theirs, user } from "./messages.ts";

function bound(id: string, seen: Message[], more: Partial<Binding> = {}): Binding {
	return {
		conversationId: id,
		seen: printsOf(seen),
		state: "clean",
		lastStep: 3,
		family: "gemini",
		cwd: "/project",
		instructions: "",
		updatedAt: 1,
		...more,
	};
}

function printsOf(messages: Message[]): string[] {
	return fingerprints(readTranscript(messages, "antigravity"));
}

function situation(messages: Message[], bindings: Binding[], more: Partial<Situation> = {}): Situation {
	return {
		entries: readTranscript(messages, "antigravity"),
		endsWithOurToolResult: endsWithOurToolResult(messages, "antigravity"),
		bindings,
		isGone: () => false,
		isBusy: () => false,
		cwd: "/project",
		family: "gemini",
		rebuildOnFamilyChange: false,
		...more,
	};
}

/** A decision in one line: what, on which conversation or why, the kinds of what goes into the digest, the words. */
function inWords(decision: Decision): string {
	if (decision.kind === "nothing-to-say") return decision.kind;
	const on = "binding" in decision ? decision.binding.conversationId : "reason" in decision ? decision.reason : "";
	const digest = "unseen" in decision ? decision.unseen.map((entry) => entry.kind).join(",") : "";
	const ask = decision.ask === "go-on" ? "go on" : decision.ask.map((entry) => JSON.stringify(entry.text)).join("+");
	return [decision.kind, on, digest && `(${digest})`, ask].filter((part) => part !== "").join(" ");
}

const u1 = user("one");
const a1 = ours("first");
const u2 = user("two");
const a2 = ours("second");
const u3 = user("three");

interface Case {
	readonly name: string;
	readonly transcript: Message[];
	readonly bindings?: Binding[];
	readonly facts?: Partial<Situation>;
	readonly expected: string;
}

const cases: Case[] = [
	{ name: "the first prompt of a session", transcript: [u1], expected: 'fresh "one"' },
	{ name: "an empty transcript", transcript: [], expected: "nothing-to-say" },
	{
		name: "the next prompt",
		transcript: [u1, a1, u2],
		bindings: [bound("c1", [u1, a1])],
		expected: 'continue c1 "two"',
	},
	{
		name: "several new messages at once",
		transcript: [u1, a1, u2, u3],
		bindings: [bound("c1", [u1, a1])],
		expected: 'continue c1 "two"+"three"',
	},
	{
		name: "another model answered in between",
		transcript: [u1, a1, u2, theirs("x"), u3],
		bindings: [bound("c1", [u1, a1])],
		expected: 'continue-with-digest c1 (user,foreign-answer) "three"',
	},
	{
		name: "the user ran a command in between",
		transcript: [u1, a1, command("ls", "a"), u2],
		bindings: [bound("c1", [u1, a1])],
		expected: 'continue-with-digest c1 (command) "two"',
	},
	{
		name: "a command after the prompt",
		transcript: [u1, a1, u2, command("ls", "a")],
		bindings: [bound("c1", [u1, a1])],
		expected: 'continue-with-digest c1 (command) "two"',
	},
	{
		name: "a branch summary in between",
		transcript: [u1, a1, branchSummary("detour"), u2],
		bindings: [bound("c1", [u1, a1])],
		expected: 'continue-with-digest c1 (summary) "two"',
	},
	{
		name: "switched to in the middle of another model's tool loop",
		transcript: [u1, a1, u2, theirs("I look", { calls: ["t"] }), result("t", "files")],
		bindings: [bound("c1", [u1, a1])],
		expected: "continue-with-digest c1 (user,foreign-answer,tool-result) go on",
	},
	{
		name: "the same without a conversation",
		transcript: [u1, theirs("I look", { calls: ["t"] }), result("t", "files")],
		expected: "rebuild no-conversation (user,foreign-answer,tool-result) go on",
	},
	{
		name: "a fork: a history and no conversation",
		transcript: [u1, a1, u2],
		expected: 'rebuild no-conversation (user,answer) "two"',
	},
	{
		name: "another branch",
		transcript: [u1, a1, u3],
		bindings: [bound("c1", [u1, a1, u2, a2])],
		expected: 'rebuild diverged (user,answer) "three"',
	},
	{
		name: "back at the very first prompt",
		transcript: [u3],
		bindings: [bound("c1", [u1, a1])],
		expected: 'fresh "three"',
	},
	{
		name: "forward again to the branch left",
		transcript: [u1, a1, u2, a2, user("four")],
		bindings: [bound("c1", [u1, a1, u2, a2]), bound("c2", [u1, a1, u3], { updatedAt: 9 })],
		expected: 'continue c1 "four"',
	},
	{
		name: "of two that fit, the one that has seen more",
		transcript: [u1, a1, u2, a2, u3],
		bindings: [bound("c1", [u1, a1], { updatedAt: 9 }), bound("c2", [u1, a1, u2, a2])],
		expected: 'continue c2 "three"',
	},
	{
		name: "of two that have seen the same, the one used last",
		transcript: [u1, a1, u2],
		bindings: [bound("c1", [u1, a1], { state: "dead" }), bound("c2", [u1, a1], { updatedAt: 2 })],
		expected: 'continue c2 "two"',
	},
	{
		name: "the same question answered otherwise on another branch",
		transcript: [u1, ours("another first"), u2],
		bindings: [bound("c1", [u1, a1])],
		expected: 'rebuild diverged (user,answer) "two"',
	},
	{
		name: "a compaction",
		transcript: [compaction("early"), a1, u2],
		bindings: [bound("c1", [u1, a1])],
		expected: 'rebuild compacted (summary,answer) "two"',
	},
	{
		name: "the turn after the rebuild",
		transcript: [compaction("early"), u2, a2, u3],
		bindings: [bound("c2", [compaction("early"), u2, a2])],
		expected: 'continue c2 "three"',
	},
	{
		name: "an edited first prompt",
		transcript: [user("one!"), a1, u2],
		bindings: [bound("c1", [u1, a1])],
		expected: 'rebuild diverged (user,answer) "two"',
	},
	{
		name: "a deleted database",
		transcript: [u1, a1, u2],
		bindings: [bound("c1", [u1, a1])],
		facts: { isGone: (id) => id === "c1" },
		expected: 'rebuild database-gone (user,answer) "two"',
	},
	{
		name: "a conversation in use elsewhere",
		transcript: [u1, a1, u2],
		bindings: [bound("c1", [u1, a1])],
		facts: { isBusy: (binding) => binding.conversationId === "c1" },
		expected: 'rebuild in-use (user,answer) "two"',
	},
	{
		name: "another folder",
		transcript: [u1, a1, u2],
		bindings: [bound("c1", [u1, a1])],
		facts: { cwd: "/other" },
		expected: 'rebuild folder-changed (user,answer) "two"',
	},
	{
		name: "another family",
		transcript: [u1, a1, u2],
		bindings: [bound("c1", [u1, a1])],
		facts: { family: "claude" },
		expected: 'continue c1 "two"',
	},
	{
		name: "another family where the setting asks for a new conversation",
		transcript: [u1, a1, u2],
		bindings: [bound("c1", [u1, a1])],
		facts: { family: "claude", rebuildOnFamilyChange: true },
		expected: 'rebuild family-changed (user,answer) "two"',
	},
	{
		name: "a quota ended the last turn",
		transcript: [u1, a1, u2],
		bindings: [bound("c1", [u1, a1], { state: "quota-poisoned" })],
		expected: 'rebuild quota (user,answer) "two"',
	},
	{
		name: "a conversation that cannot go on",
		transcript: [u1, a1, u2],
		bindings: [bound("c1", [u1, a1], { state: "dead" })],
		expected: 'rebuild dead (user,answer) "two"',
	},
	{
		name: "a first turn that died has nothing to carry",
		transcript: [u1],
		bindings: [bound("c1", [u1], { state: "quota-poisoned" })],
		expected: 'fresh "one"',
	},
	{
		name: "a retry of a prompt that agy has",
		transcript: [u1, a1, u2],
		bindings: [bound("c1", [u1, a1, u2], { state: "prompt-seen-unanswered" })],
		expected: "continue c1 go on",
	},
	{
		name: "a retry of a prompt that agy never got",
		transcript: [u1, a1, u2],
		bindings: [bound("c1", [u1, a1])],
		expected: 'continue c1 "two"',
	},
	{
		name: "after an abort: what agy had said is known to it",
		transcript: [u1, ours("half", { cards: ["k"] }), result("k", "x"), ours("", { stop: "aborted" }), u2],
		bindings: [bound("c1", [u1], { state: "interrupted" })],
		expected: 'continue c1 "two"',
	},
	{
		name: "after an abort, another model, and back",
		transcript: [u1, ours("half", { cards: ["k"] }), result("k", "x"), u2, theirs("x"), u3],
		bindings: [bound("c1", [u1], { state: "interrupted" })],
		expected: 'continue-with-digest c1 (user,foreign-answer) "three"',
	},
	{
		name: "after a crash of pi: what agy may not have got is told",
		transcript: [u1, a1, u2, u3],
		bindings: [bound("c1", [u1, a1], { sent: printsOf([u1, a1, u2]) })],
		expected: 'continue c1 "two"+"three"',
	},
	{
		name: "after a crash in the first turn, half-way",
		transcript: [u1, ours("half", { cards: ["k"] }), result("k", "x"), u2],
		bindings: [bound("c1", [], { sent: printsOf([u1]), state: "interrupted" })],
		expected: 'continue-with-digest c1 (user,answer) "two"',
	},
	{
		name: "after a crash in the turn that came after an abort",
		transcript: [u1, ours("half", { cards: ["k"] }), result("k", "x"), u2, u3],
		bindings: [bound("c1", [u1], { sent: printsOf([u1, ours("half"), u2]), state: "interrupted" })],
		expected: 'continue c1 "two"+"three"',
	},
	{
		name: "after a crash in the first turn of a new conversation whose history begins with an answer",
		transcript: [a1, u2, u3],
		bindings: [bound("c1", [], { sent: printsOf([a1, u2]), state: "interrupted" })],
		expected: 'continue-with-digest c1 (answer) "two"+"three"',
	},
	{
		name: "after a crash, another branch",
		transcript: [u1, a1, u3],
		bindings: [bound("c1", [u1, a1], { sent: printsOf([u1, a1, u2]) })],
		expected: 'rebuild diverged (user,answer) "three"',
	},
	{
		name: "nothing new after our answer",
		transcript: [u1, a1],
		bindings: [bound("c1", [u1, a1])],
		expected: "nothing-to-say",
	},
	{
		name: "the result of our card, and no run to take it",
		transcript: [u1, ours("", { cards: ["k"] }), result("k", "x")],
		bindings: [bound("c1", [u1], { state: "interrupted" })],
		expected: "nothing-to-say",
	},
	{
		name: "steering after the result of our card",
		transcript: [u1, ours("", { cards: ["k"] }), result("k", "x"), u2],
		bindings: [bound("c1", [u1], { state: "interrupted" })],
		expected: 'continue c1 "two"',
	},
];

for (const { name, transcript, bindings = [], facts = {}, expected } of cases) {
	test(name, () => assert.equal(inWords(decideContinuity(situation(transcript, bindings, facts))), expected));
}

/** Transcripts that end with words of the user. */
const transcripts = fc
	.array(
		fc.oneof(
			fc.constantFrom("p", "q", "r").map((text) => user(text)),
			fc.constantFrom("x", "y").map((text) => ours(text)),
			fc.constantFrom("x", "y").map((text) => theirs(text)),
			fc.constantFrom("ls", "pwd").map((line) => command(line, "out")),
			fc.constantFrom("s").map(compaction),
		),
		{ maxLength: 12 },
	)
	.map((messages) => [...messages, user("now")]);

test("a conversation is continued only if all it has seen is a prefix of the transcript", () => {
	fc.assert(
		fc.property(transcripts, transcripts, (seen, transcript) => {
			const binding = bound("c", seen);
			const decision = decideContinuity(situation(transcript, [binding]));
			const prints = printsOf(transcript);
			const isPrefix = binding.seen.every((print, index) => print === prints[index]);
			assert.equal("binding" in decision, isPrefix);
		}),
	);
});

test("every entry is known, in the digest, or among the words: none is lost and none comes twice", () => {
	fc.assert(
		fc.property(transcripts, fc.nat(), (transcript, cut) => {
			const prints = printsOf(transcript);
			const binding: Binding = { ...bound("c", []), seen: prints.slice(0, cut % prints.length) };
			const facts = situation(transcript, [binding]);
			const decision = decideContinuity(facts);
			assert.ok(decision.kind !== "nothing-to-say" && decision.ask !== "go-on");
			const unseen = "unseen" in decision ? decision.unseen : [];
			const told = new Set([...unseen, ...decision.ask]);
			assert.equal(told.size, unseen.length + decision.ask.length);
			const untold = facts.entries.filter((entry) => !told.has(entry));
			assert.deepEqual(untold, facts.entries.slice(0, untold.length));
			assert.deepEqual(fingerprints(untold), binding.seen);
		}),
	);
});
