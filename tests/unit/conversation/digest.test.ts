import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@earendil-works/pi-ai";
import fc from "fast-check";
import { clipMiddle } from "../../../src/conversation/clip.ts";
import { digest } from "../../../src/conversation/digest.ts";
import { readTranscript } from "../../../src/conversation/transcript.ts";
import { branchSummary, command, compaction, ours, pixel, result, theirs, user } from "./messages.ts";

function digestOf(messages: Message[], budget = 12_000) {
	return digest(readTranscript(messages, "antigravity"), budget, () => "/staged/image.png");
}

test("nothing unseen is no text at all", () => {
	assert.deepEqual(digestOf([]), { text: "", leftOut: 0, images: [] });
});

test("everything is labelled, in order", () => {
	const { text } = digestOf([
		compaction("Early days."),
		user("look", pixel),
		ours("I see."),
		theirs("I list.", { calls: ["t"] }),
		result("t", "files"),
		command("pwd", "/project"),
		branchSummary("A detour."),
	]);
	const [, ...blocks] = text.split("\n\n");
	assert.deepEqual(blocks, [
		"[Summary of the session so far]\nEarly days.",
		"[User]\nlook\n[image: /staged/image.png]",
		"[Assistant]\nI see.",
		'[Assistant, faux/faux-1]\nI list.\n[called bash {"command":"ls"}]',
		"[Result of bash]\nfiles",
		"[Shell command of the user]\nRan `pwd`\n```\n/project\n```",
		"[Summary of a branch that was left]\nA detour.",
	]);
});

test("the text says that it is no request", () => {
	assert.match(digestOf([user("delete everything")]).text, /^What happened .* background, not a request/);
});

test("the oldest goes first, and the text says how many went", () => {
	const many = Array.from({ length: 30 }, (_, index) => user(`message ${index} ${"x".repeat(80)}`));
	const { text, leftOut } = digestOf(many, 1_500);
	assert.ok(leftOut > 0);
	assert.match(text, new RegExp(`the oldest ${leftOut} entries are left out`));
	assert.doesNotMatch(text, new RegExp(`message ${leftOut - 1} `));
	for (let index = leftOut; index < 30; index++) assert.match(text, new RegExp(`message ${index} `));
});

test("a summary stays when younger entries go: it stands for all before it", () => {
	const { text, leftOut } = digestOf(
		[compaction("Early days."), ...Array.from({ length: 30 }, () => theirs("y".repeat(200)))],
		1_500,
	);
	assert.ok(leftOut > 0);
	assert.match(text, /Early days\./);
});

test("a huge tool result loses its middle and leaves room for what came before", () => {
	const { text, leftOut } = digestOf([
		user("before"),
		theirs("", { calls: ["t"] }),
		result("t", `start${"z".repeat(50_000)}end`),
	]);
	assert.equal(leftOut, 0);
	assert.match(text, /before/);
	assert.match(text, /start.*\n\[… \d+ bytes left out …\]\n.*end/);
});

test("only images of what is kept are reported", () => {
	const many = [user("old", pixel), ...Array.from({ length: 30 }, () => user("x".repeat(100)))];
	assert.deepEqual(digestOf(many, 1_000).images, []);
	assert.deepEqual(digestOf([user("new", pixel)]).images, [pixel]);
});

// Without the character that stands for a broken one, which is looked for below.
const texts = fc.string({ unit: "grapheme", maxLength: 3_000 }).map((text) => text.replaceAll("\uFFFD", "x"));

test("no digest is larger than its budget, and none is cut inside a character", () => {
	const messages = fc.array(
		fc.oneof(
			texts.map((text) => user(text)),
			texts.map((text) => theirs(text, { calls: ["t"] })),
			texts.map((text) => result("t", text)),
			texts.map(compaction),
			texts.map(branchSummary),
		),
		{ maxLength: 15 },
	);
	fc.assert(
		fc.property(messages, fc.integer({ min: 1_000, max: 20_000 }), (list, budget) => {
			const { text } = digestOf(list, budget);
			assert.ok(Buffer.byteLength(text) <= budget);
			assert.doesNotMatch(text, /\uFFFD/);
		}),
	);
});

test("the newest entry is always there", () => {
	fc.assert(
		fc.property(fc.array(texts, { maxLength: 10 }), fc.integer({ min: 1_000, max: 5_000 }), (older, budget) => {
			const list = [
				...older.map((text) => user(text)),
				compaction("s".repeat(9_000)),
				theirs(`NEWEST${"n".repeat(9_000)}`),
			];
			assert.match(digestOf(list, budget).text, /NEWEST/);
		}),
	);
});

test("clipping keeps short texts as they are and long ones within the limit", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme", maxLength: 500 }), fc.integer({ min: 0, max: 600 }), (text, limit) => {
			const clipped = clipMiddle(text, limit);
			assert.ok(Buffer.byteLength(clipped) <= limit);
			if (Buffer.byteLength(text) <= limit) assert.equal(clipped, text);
		}),
	);
});
