import assert from "node:assert/strict";
import { test } from "node:test";
import { LineTail } from "../../../../src/run/process/output-lines.ts";

function collect(...chunks: (string | Uint8Array)[]): { lines: string[]; tail: string } {
	const lines: string[] = [];
	const reader = new LineTail((line) => lines.push(line), 10);
	for (const chunk of chunks) reader.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
	reader.end();
	return { lines, tail: reader.tail };
}

test("lines come out whole, however the bytes are cut", () => {
	const bytes = Buffer.from("é1\r\n\ntwo");
	const single = [...bytes].map((byte) => Uint8Array.of(byte));
	for (const chunks of [[bytes], single]) assert.deepEqual(collect(...chunks).lines, ["é1", "", "two"]);
});

test("a very long line is cut, and the next one is whole again", () => {
	const long = "x".repeat(10_000);
	assert.deepEqual(collect(long, long, long, "\nshort\n").lines, ["x".repeat(16 * 1024), "short"]);
});

test("only the end is kept", () => {
	assert.equal(collect("0123456789", "abcdef\n").tail, "789abcdef\n");
	assert.deepEqual(collect().lines, []);
});
