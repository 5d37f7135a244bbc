import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@earendil-works/pi-ai";
import { answerFingerprint, fingerprints, hash } from "../../../src/conversation/fingerprint.ts";
import { readTranscript } from "../../../src/conversation/transcript.ts";
import { command, ours, pixel, result, theirs, user } from "./messages.ts";

const prints = (...messages: Message[]) => fingerprints(readTranscript(messages, "antigravity"));

test("words, attachments and answers count", () => {
	const base = prints(user("a"), ours("b"));
	assert.equal(base.length, 2);
	assert.notDeepEqual(prints(user("a2"), ours("b")), base);
	assert.notDeepEqual(prints(user("a", pixel), ours("b")), base);
	assert.notDeepEqual(prints(user("a"), ours("b2")), base);
	assert.notDeepEqual(prints(user("a", { ...pixel, data: "AAAA" })), prints(user("a", pixel)));
});

test("a user and an answer with the same words differ", () => {
	assert.notEqual(prints(user("a"))[0], prints(ours("a"))[0]);
});

test("foreign answers, tool output, commands and thinking do not count", () => {
	assert.deepEqual(
		prints(user("a"), theirs("x", { calls: ["t"] }), result("t", "y"), command("ls", "z"), user("b")),
		prints(user("a"), user("b")),
	);
});

test("where cards split an answer does not matter", () => {
	const whole = prints(user("go"), ours("One. Two. Three."));
	const split = prints(
		user("go"),
		ours("One. ", { cards: ["c1"] }),
		result("c1", ""),
		ours("\nTwo.\n", { cards: ["c2"] }),
		result("c2", ""),
		ours("Three."),
	);
	assert.deepEqual(split, whole);
	assert.equal(whole[1], answerFingerprint("One.\n\nTwo. Three.\n"));
});

test("an answer that shows nothing has none", () => {
	assert.equal(answerFingerprint(" \n"), undefined);
});

test("borders between hashed texts count", () => {
	assert.notEqual(hash("ab", "c"), hash("a", "bc"));
});

test("fingerprints do not change from release to release", () => {
	assert.deepEqual(prints(user("hello"), ours("world")), ["272d4d56f348517d56089b4f", "faebb3d78547527cb1ec72eb"]);
});
