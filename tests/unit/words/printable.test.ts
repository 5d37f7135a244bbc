import assert from "node:assert/strict";
import { test } from "node:test";
import { lastLines, printable, printableLine } from "../../../src/words/printable.ts";

test("nothing in a text can draw on the screen, and its lines and tabs stay", () => {
	assert.equal(printable("a\u001b[2Jb\u0007\tc\r\nd\re\u009b1m"), "ab\tc\nd\ne");
});

test("nothing in a text can turn the direction of writing, which would show another command than the one that runs", () => {
	assert.equal(printable("rm \u202egpj.a\u202c \u2066b\u2069"), "rm gpj.a b");
	assert.equal(printable("שלום 👩‍💻"), "שלום 👩‍💻");
});

test("a line stays one line", () => {
	assert.equal(printableLine(" one \n\n two\n"), "one two");
});

test("of a long output the last lines are taken, each of bounded length", () => {
	const output = `${"x".repeat(100_000)}\nsecond\n${"y".repeat(30)}\n\n`;
	assert.equal(lastLines(output, { lines: 2, length: 10 }), `second\n${"y".repeat(9)}…`);
});
