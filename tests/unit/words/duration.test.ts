import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAge } from "../../../src/words/duration.ts";

test("what was a moment ago is just now", () => {
	assert.deepEqual([-3_000, 0, 4_999].map(formatAge), ["just now", "just now", "just now"]);
	assert.deepEqual([5_000, 90 * 60 * 1000].map(formatAge), ["5 s ago", "1 h 30 min ago"]);
});
