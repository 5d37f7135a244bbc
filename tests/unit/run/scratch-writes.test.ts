import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolEvent } from "../../../src/engine/events.ts";
import { scratchNotice } from "../../../src/run/scratch-writes.ts";

const folders = { scratch: "/h/.gemini/antigravity-cli/scratch", brain: "/h/.gemini/antigravity-cli/brain" };
const wrote = (path: string, state: ToolEvent["state"] = "done"): ToolEvent => ({
	type: "tool",
	step: { trajectory: "t", index: 2 },
	callId: "c",
	name: "write_to_file",
	kind: "edit",
	args: {},
	summary: path,
	state,
	diff: { path, change: "created", added: 1, removed: 0 },
});

test("a file in one of agy's scratch folders is told", () => {
	for (const path of [`${folders.scratch}/a.txt`, `${folders.brain}/some-id/scratch/a.txt`]) {
		assert.ok(scratchNotice(wrote(path), folders)?.text.includes(path));
	}
});

test("other files, unfinished writes and other events are not", () => {
	assert.equal(scratchNotice(wrote("/project/scratch/a.txt"), folders), undefined);
	assert.equal(scratchNotice(wrote(`${folders.brain}/some-id/plan.md`), folders), undefined);
	assert.equal(scratchNotice(wrote(`${folders.scratch}-2/a.txt`), folders), undefined);
	assert.equal(scratchNotice(wrote(`${folders.scratch}/a.txt`, "failed"), folders), undefined);
	assert.equal(scratchNotice({ type: "title", text: "x" }, folders), undefined);
});
