import assert from "node:assert/strict";
import { test } from "node:test";
import { generateDiffString } from "@earendil-works/pi-coding-agent";
import { diffLines } from "diff";
import type { DiffLine, FileDiff } from "../../../src/engine/events.ts";
import { displayDiff } from "../../../src/tools/diff-view.ts";

function fileDiff(before: string, after: string): FileDiff {
	const lines = diffLines(before, after).flatMap((part): DiffLine[] => {
		const kind = part.added ? "add" : part.removed ? "remove" : "context";
		return part.value
			.replace(/\n$/, "")
			.split("\n")
			.map((text) => ({ kind, text }));
	});
	const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
	return { path: "/p/x.ts", change: "edited", lines, added: count("add"), removed: count("remove") };
}

function numbered(from: number, to: number, changed: Record<number, string> = {}): string {
	const lines: string[] = [];
	for (let line = from; line <= to; line++) lines.push(changed[line] ?? `line ${line}`);
	return `${lines.join("\n")}\n`;
}

test("a change looks as in pi's own edit tool", () => {
	const before = numbered(1, 40);
	const after = numbered(1, 40, { 10: "ten", 30: "thirty\nand more" });
	const ours = displayDiff(fileDiff(before, after));
	const theirs = generateDiffString(before, after).diff;
	const withoutGaps = (diff: string | undefined) => diff?.split("\n").filter((line) => !line.includes("..."));
	assert.deepEqual(withoutGaps(ours), withoutGaps(theirs));
});

test("what is far from a change is folded", () => {
	const diff = displayDiff(fileDiff(numbered(1, 40), numbered(1, 40, { 20: "twenty" })));
	assert.equal(diff?.split("\n").length, 1 + 4 + 2 + 4 + 1);
});

test("a new file is all added", () => {
	const diff = displayDiff({
		path: "/p/new",
		change: "created",
		added: 2,
		removed: 0,
		lines: [
			{ kind: "add", text: "one" },
			{ kind: "add", text: "two\r\n" },
		],
	});
	assert.equal(diff, "+1 one\n+2 two");
});

test("nothing is drawn where the step carries no lines", () => {
	assert.equal(displayDiff({ path: "/p/a.png", change: "edited", added: 0, removed: 0 }), undefined);
});

test("a huge diff and a huge line are cut short, and escape sequences do not reach the screen", () => {
	const lines: DiffLine[] = Array.from({ length: 5000 }, () => ({
		kind: "add",
		text: `\u001b[2J${"x".repeat(10_000)}`,
	}));
	const diff = displayDiff({ path: "/p/big", change: "created", added: 5000, removed: 0, lines }) ?? "";
	assert.match(diff, /4400 more lines/);
	assert.ok(diff.length < 400_000);
	assert.ok(!diff.includes("\u001b"));
});
