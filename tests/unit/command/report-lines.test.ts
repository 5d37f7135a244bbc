import assert from "node:assert/strict";
import { test } from "node:test";
import { visibleWidth } from "@earendil-works/pi-tui";
import { ReportLines, wrapLine } from "../../../src/command/report-lines.ts";

test("what fits stays as it is", () => {
	for (const line of ["", "✓ agy: 1.3.3", "  weekly  ██░░ 50 % left"]) assert.deepEqual(wrapLine(line, 40), [line]);
});

test("what does not fit goes on under its column, its mark or its indentation", () => {
	assert.deepEqual(wrapLine("  weekly  ██░░ 50 % left, resets Thu 3 Dec, 15:57", 30), [
		"  weekly  ██░░ 50 % left,",
		"          resets Thu 3 Dec,",
		"          15:57",
	]);
	assert.deepEqual(wrapLine("✓ file events: changes of agy's database are noticed at once", 40), [
		"✓ file events: changes of agy's database",
		"  are noticed at once",
	]);
	assert.deepEqual(wrapLine("    → Install the Antigravity CLI, or set AGY_BIN to its path.", 40), [
		"    → Install the Antigravity CLI, or",
		"      set AGY_BIN to its path.",
	]);
	assert.deepEqual(wrapLine("a sentence that is too long for it", 20), ["a sentence that is", "too long for it"]);
});

test("a path that is too long goes on behind a slash", () => {
	const path = "~/.gemini/conversations/152dc8f8-f89b-4dc5-8a7d-84212043be87.db";
	assert.deepEqual(wrapLine(`  ${path}`, 60), [
		"  ~/.gemini/conversations/",
		"  152dc8f8-f89b-4dc5-8a7d-84212043be87.db",
	]);
	assert.deepEqual(wrapLine(`where it is  ${path}`, 60), [
		"where it is  ~/.gemini/conversations/",
		"             152dc8f8-f89b-4dc5-8a7d-84212043be87.db",
	]);
	assert.deepEqual(wrapLine(`✗ it is here: ${path}, and broken`, 50), [
		"✗ it is here: ~/.gemini/conversations/",
		"  152dc8f8-f89b-4dc5-8a7d-84212043be87.db, and",
		"  broken",
	]);
});

test("a label that leaves no room beside it stands above", () => {
	assert.deepEqual(wrapLine("/agy conversation [show|new|use <id>]  Show, renew or choose it", 40), [
		"/agy conversation [show|new|use <id>]",
		"    Show, renew or choose it",
	]);
});

test("no line is wider than the screen", () => {
	const lines = [
		"/agy doctor  says a lot of things",
		`✗ x: ${"y".repeat(90)}`,
		"    /a/path/without/any/space/in/it",
		"  a  b c d",
	];
	for (const width of [1, 2, 7, 20, 33]) {
		for (const line of new ReportLines(lines).render(width)) {
			assert.ok(visibleWidth(line) <= Math.max(width, 1), `${width}: "${line}"`);
		}
	}
});
