import assert from "node:assert/strict";
import { test } from "node:test";
import { WorkingLine } from "../../../src/provider/working-line.ts";
import { formatDuration } from "../../../src/words/duration.ts";
import { FakeClock } from "../../support/fake-clock.ts";

function setUp() {
	const clock = new FakeClock();
	const shown: (string | undefined)[] = [];
	const line = new WorkingLine(clock, "/home/me/project", (text) => shown.push(text));
	return { clock, line, shown };
}

test("tells what agy does and, after a moment, for how long", () => {
	const { clock, line, shown } = setUp();
	line.update({ type: "activity", doing: "running-tool", detail: "npm test" });
	clock.advance(12_000);
	assert.equal(shown[0], "agy: running npm test");
	assert.equal(shown.at(-1), "agy: running npm test · 12 s");
});

test("starts counting again with the next activity, not with the same one told twice", () => {
	const { clock, line, shown } = setUp();
	line.update({ type: "activity", doing: "thinking" });
	clock.advance(5_000);
	line.update({ type: "activity", doing: "thinking" });
	assert.equal(shown.at(-1), "agy: thinking · 5 s");
	line.update({ type: "activity", doing: "writing" });
	assert.equal(shown.at(-1), "agy: writing");
});

test("has words for everything that makes a person wonder", () => {
	const { line, shown } = setUp();
	line.update({ type: "activity", doing: "waiting-for-slot" });
	line.update({ type: "activity", doing: "waiting-for-permission", detail: "/home/me/project/src/x.ts" });
	line.update({ type: "activity", doing: "retrying", detail: "quota error" });
	line.update({ type: "activity", doing: "waiting-for-background" });
	assert.deepEqual(shown, [
		"agy: waiting for a slot",
		"agy: waiting for permission: src/x.ts",
		"agy: retrying after quota error",
		"agy: waiting for background tasks",
	]);
});

test("says of each tool what it does with what", () => {
	const { line, shown } = setUp();
	const path = "/home/me/project/src/x.ts";
	line.update({ type: "activity", doing: "running-tool", tool: "read", detail: path });
	line.update({ type: "activity", doing: "running-tool", tool: "edit", detail: path });
	line.update({ type: "activity", doing: "running-tool", tool: "grep", detail: '"sum" in src' });
	line.update({ type: "activity", doing: "running-tool", tool: "command", detail: `cat ${path}` });
	line.update({ type: "activity", doing: "running-tool", detail: "browser_click" });
	assert.deepEqual(shown, [
		"agy: reading src/x.ts",
		"agy: editing src/x.ts",
		'agy: searching for "sum" in src',
		`agy: running cat ${path}`,
		"agy: running browser_click",
	]);
});

test("leaves pi's own words and no timer behind", () => {
	const { clock, line, shown } = setUp();
	line.update({ type: "activity", doing: "thinking" });
	line.clear();
	line.clear();
	assert.deepEqual(shown, ["agy: thinking", undefined]);
	assert.equal(clock.pending, 0);
});

test("durations are said in two units at most", () => {
	const said = [400, 12_000, 185_000, 3 * 3_600_000 + 38 * 60_000, 50 * 3_600_000, 60_000].map(formatDuration);
	assert.deepEqual(said, ["0 s", "12 s", "3 min 5 s", "3 h 38 min", "2 d 2 h", "1 min"]);
});
