import assert from "node:assert/strict";
import { test } from "node:test";
import { goDurationMs, oneLine, quotaPool } from "../../../../src/run/ending/sentence-parts.ts";

const HOUR = 3_600_000;

test("models are of one of two pools", () => {
	assert.equal(quotaPool("gemini-3.1-pro-low"), "Gemini Models");
	assert.equal(quotaPool("claude-opus-4-6-thinking"), "Claude and GPT models");
	assert.equal(quotaPool("gpt-oss-120b-medium"), "Claude and GPT models");
	assert.equal(quotaPool("other"), undefined);
	assert.equal(quotaPool(undefined), undefined);
});

test("durations are read as Go writes them, and nothing else is one", () => {
	assert.equal(goDurationMs("1h2m3s"), HOUR + 123_000);
	assert.equal(goDurationMs("1.5s"), 1_500);
	assert.equal(goDurationMs("250ms"), 250);
	assert.equal(goDurationMs("2d1h"), 49 * HOUR);
	for (const bad of ["", "5", "soon", "5x", "h5", undefined]) assert.equal(goDurationMs(bad), undefined);
});

test("what reaches a message is one short line", () => {
	const message = oneLine(`a\u001b[31m\r\n\tb${"x".repeat(1000)}`);
	assert.match(message, /^a \[31m b/);
	assert.equal(message.length, 300);
});
