import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAge, formatToolDuration } from "../../../src/words/duration.ts";

test("what was a moment ago is just now", () => {
	assert.deepEqual([-3_000, 0, 4_999].map(formatAge), ["just now", "just now", "just now"]);
	assert.deepEqual([5_000, 90 * 60 * 1000].map(formatAge), ["5 s ago", "1 h 30 min ago"]);
});

test("a card's time is written as in pi's own cards", () => {
	const times = [1_000, 59_949, 59_950, 90_400, 2 * 3_600_000 + 184_000].map(formatToolDuration);
	assert.deepEqual(times, ["1.0s", "59.9s", "1m 0s", "1m 30s", "2h 3m 4s"]);
});
