import assert from "node:assert/strict";
import { test } from "node:test";
import { describeAskFailure } from "../../../src/command/ask-failure-words.ts";
import type { AskFailure } from "../../../src/run/agy/ask-agy.ts";

const all: readonly AskFailure[] = [
	{ kind: "not-installed", searched: ["/a"] },
	{ kind: "cannot-start", path: "/a", cause: "it is not allowed to be executed" },
	{ kind: "not-signed-in" },
	{ kind: "no-network" },
	{ kind: "timed-out", seconds: 30 },
	{ kind: "too-much-output" },
	{ kind: "cancelled" },
	{ kind: "too-old", needs: "1.1.11", version: "1.1.8" },
	{ kind: "not-understood" },
	{ kind: "exit", code: 42 },
];

test("every failure says what is wrong and what to do, without agy's own output", () => {
	for (const failure of all) {
		const { problem, remedy } = describeAskFailure(failure);
		assert.match(problem, /^\S.*\.$/, failure.kind);
		assert.match(remedy, /^\S.*\.$/, failure.kind);
	}
});

test("a long search is counted, not listed", () => {
	const searched = ["/bin", "/usr/bin", "/usr/local/bin", "/home/me/.local/bin"].map((folder) => `${folder}/agy`);
	const { problem } = describeAskFailure({ kind: "not-installed", searched });
	assert.equal(problem, "agy was not found (looked in 4 places; `/agy doctor --verbose` lists them).");
});
