import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { missingFromShown } from "../../../src/ledger/recovered-text.ts";

const missing = (response: string, ...shown: string[]) => missingFromShown(response, shown).map(({ text }) => text);

test("nothing is missing when the response repeats what was shown", () => {
	assert.deepEqual(missing("pong\n", "pong"), []);
	assert.deepEqual(missing("pong", "pong\n"), []);
	assert.deepEqual(missing("a\r\nb\r\n", "a\nb"), []);
	assert.deepEqual(missing("", "pong"), []);
	assert.deepEqual(missing("  \n", "pong"), []);
	assert.deepEqual(missing("", ...[]), []);
});

test("the response may hold the last text only, or all of them, however joined", () => {
	const shown = ["I will look.", "Now I know.", "It is 42."];
	assert.deepEqual(missing("It is 42.\n", ...shown), []);
	assert.deepEqual(missing("I will look.Now I know.It is 42.", ...shown), []);
	assert.deepEqual(missing("I will look.\n\nNow I know.\n\nIt is 42.\n", ...shown), []);
	assert.deepEqual(missing("Now I know.\nIt is 42.", ...shown), []);
});

test("a response cut short adds nothing", () => {
	assert.deepEqual(missing("I will look.\nNow I", "I will look.", "Now I know."), []);
});

test("everything is missing when nothing was shown", () => {
	assert.deepEqual(missing("It is 42.\n"), ["It is 42."]);
	assert.deepEqual(missing("It is 42.\n", "", ""), ["It is 42."]);
});

test("the rest of a text that was shown in part is missing, with its leading space", () => {
	assert.deepEqual(missingFromShown("Hello world\n", ["Hello"]), [{ text: " world", continuesLast: true }]);
});

test("the text of a later model call is missing when only the earlier one was shown", () => {
	assert.deepEqual(missing("I will look.\nIt is 42.\n", "I will look."), ["\nIt is 42."]);
	assert.deepEqual(missing("It is 42.\n", "I will look."), ["It is 42."]);
});

test("a text missing in the middle is found between the others", () => {
	assert.deepEqual(missing("One.\nTwo.\nThree.", "One.", "Three."), ["\nTwo."]);
});

test("a short answer is not taken for shown because it occurs in a longer text", () => {
	assert.deepEqual(missing("ok\n", "Looking around."), ["ok"]);
});

test("a short text does not claim a place inside a long one", () => {
	assert.deepEqual(missing("All is done now. done", "done", "All is done now."), []);
});

test("characters that were broken on the way count as the same text", () => {
	assert.deepEqual(missing("caf\uFFFD\uFFFD au lait\n", "café au lait"), []);
	assert.deepEqual(missing("café au lait\n", "caf\uFFFD\uFFFD au lait"), []);
	assert.deepEqual(missing("\uFFFD\uFFFD\n"), ["\uFFFD\uFFFD"]);
});

test("positions are right for emoji and other long characters", () => {
	assert.deepEqual(missing("👍🏽 ok 日本語", "👍🏽"), [" ok 日本語"]);
});

test("any run of texts is found again in their response, and any single missing one is recovered", () => {
	const word = fc.stringMatching(/^[a-z]{4,12}$/);
	fc.assert(
		fc.property(
			fc.uniqueArray(word, { minLength: 1, maxLength: 5 }),
			fc.constantFrom("", "\n", "\n\n"),
			fc.nat(),
			(words, glue, n) => {
				const texts = words.map((one, index) => `<${index}> ${one}.`);
				const response = `${texts.join(glue)}\n`;
				assert.deepEqual(missing(response, ...texts), []);
				assert.deepEqual(missing(response, ...texts.map((text) => `${text}\n`)), []);
				const hidden = n % texts.length;
				const shown = texts.filter((_, index) => index !== hidden);
				assert.deepEqual(
					missing(response, ...shown).map((text) => text.trim()),
					[texts[hidden]],
				);
			},
		),
	);
});
