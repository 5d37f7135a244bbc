import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ToolEvent } from "../../../src/engine/events.ts";
import { stepOutcome, stepTitle } from "../../../src/words/step-title.ts";
import { tool } from "../../support/fake-engine.ts";

const CWD = "/home/me/project";

const titles: [Partial<ToolEvent>, string][] = [
	[{ kind: "command", summary: `cat ${CWD}/a.txt\n  | wc` }, `run cat ${CWD}/a.txt | wc`],
	[{ kind: "read", summary: `${CWD}/src/a b.ts` }, "read src/a b.ts"],
	[{ kind: "read", summary: "/etc/hosts" }, "read /etc/hosts"],
	[{ kind: "read", summary: join(homedir(), "notes/a b.md") }, `read ${join("~", "notes/a b.md")}`],
	[{ kind: "read", summary: `${CWD}-other/x` }, `read ${CWD}-other/x`],
	[{ kind: "list", summary: CWD }, "list ."],
	[{ kind: "grep", summary: `"sum" in ${CWD}/src` }, 'search "sum" in src'],
	[{ kind: "edit", summary: `${CWD}/x.ts`, diff: diff("edited", 3, 1) }, "edit x.ts +3 -1"],
	[{ kind: "edit", summary: `${CWD}/x.ts`, diff: diff("created", 3, 0) }, "create x.ts +3"],
	[{ kind: "edit", summary: `${CWD}/x.ts`, diff: diff("deleted", 0, 9) }, "delete x.ts -9"],
	[{ kind: "edit", summary: `${CWD}/x.ts`, diff: diff("moved", 0, 0) }, "move x.ts"],
	[{ kind: "other", name: "task_boundary", summary: "" }, "task_boundary"],
	[{ kind: "other", name: "x", summary: "\u001b[31mred\u0007" }, "x red"],
	[{ kind: "other", name: "\u001b[2Jwipe\nit", summary: "" }, "wipe it"],
];

function diff(change: "created" | "edited" | "deleted" | "moved", added: number, removed: number) {
	return { path: `${CWD}/x.ts`, change, added, removed };
}

for (const [step, title] of titles) {
	test(title, () => assert.equal(stepTitle(tool(1, "done", step), CWD), title));
}

test("the outcome names what a person would ask for", () => {
	assert.equal(stepOutcome(tool(1, "running")), "");
	assert.equal(stepOutcome(tool(1, "done", { exitCode: 1, startedAt: 0, endedAt: 61_000 })), "exit 1 · 1 min 1 s");
	assert.equal(stepOutcome(tool(1, "cancelled")), "cancelled");
	assert.equal(stepOutcome(tool(1, "failed", { error: { message: "no such file\nat x" } })), "failed: no such file");
	assert.equal(
		stepOutcome(tool(1, "failed", { error: { message: "not allowed", denied: { by: "hook" } } })),
		"refused: not allowed",
	);
});
