import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AgyEvent, FileDiff, ToolEvent } from "../../../src/engine/events.ts";
import { toPiUsage } from "../../../src/provider/pi-usage.ts";
import type { AskDetails } from "../../../src/tools/ask-antigravity/details.ts";
import { readAskDetails } from "../../../src/tools/ask-antigravity/details.ts";
import { boundedAnswer, growingAnswer, reportDetails, reportText } from "../../../src/tools/ask-antigravity/report.ts";
import type { Delegation } from "../../../src/tools/ask-antigravity/request.ts";
import { changedFiles, ranCommands, shownStep } from "../../../src/tools/ask-antigravity/work-done.ts";
import { WorkLog } from "../../../src/tools/ask-antigravity/work-log.ts";
import { at, text, tool, usage } from "../../support/fake-engine.ts";

const cwd = "/home/me/project";
const delegation: Delegation = {
	task: "look",
	model: { slug: "gemini-3.8-flash-high", base: "gemini-3.8-flash", effort: "high" },
	mode: "accept-edits",
	permissions: "skip",
	cwd,
	context: "none",
	compact: false,
};

function logOf(...events: AgyEvent[]): WorkLog {
	const log = new WorkLog();
	for (const event of events) log.take(event);
	return log;
}

function edit(index: number, path: string, diff: Partial<FileDiff> = {}, more: Partial<ToolEvent> = {}): ToolEvent {
	const full = { path, change: "edited" as const, added: 1, removed: 1, ...diff };
	return tool(index, "done", { kind: "edit", name: "edit_file", summary: path, diff: full, ...more });
}

function ended(outcome: Extract<AgyEvent, { type: "end" }>["outcome"]): AgyEvent {
	return { type: "end", outcome, progress: { lastStep: 9, promptSeen: true, toolsRan: true, textSeen: true } };
}

function detailsOf(...events: AgyEvent[]): AskDetails {
	const log = logOf(...events);
	return reportDetails(delegation, log, { startedAt: 1_000, now: 66_000 }, log.answer);
}

describe("the answer", () => {
	test("is what was said after the last step", () => {
		const log = logOf(
			text(1, "I look. "),
			tool(2, "done"),
			text(3, "It is "),
			text(3, "fixed."),
			text(4, " And tested."),
		);
		assert.equal(log.answer, "It is fixed.\n\nAnd tested.");
	});

	test("is what was said last where nothing follows the last step", () => {
		assert.equal(logOf(text(1, "I look."), text(2, "Now I run it."), tool(3, "done")).answer, "Now I run it.");
	});

	test("does not move when a step that began before it ends after it", () => {
		const log = logOf(tool(1, "running"), text(2, "All "), tool(1, "done"), text(2, "good."));
		assert.equal(log.answer, "All good.");
	});

	test("is replaced when agy rewrites it; its thinking is not part of it", () => {
		const log = logOf(
			text(1, "Wrong."),
			{ type: "rewrite", block: "text", step: at(1), text: "Right." },
			{ type: "rewrite", block: "thinking", step: at(1), text: "Hm." },
			{ type: "thinking", step: at(1), delta: "Hm." },
		);
		assert.equal(log.answer, "Right.");
	});

	test("is empty when agy said nothing", () => {
		assert.equal(logOf(tool(1, "done"), text(2, " \n")).answer, "");
	});
});

test("usage is summed over all model calls, side calls included", () => {
	const log = logOf(
		usage(1, { input: 100, output: 10, cacheRead: 5, reasoning: 4 }),
		usage(2, { input: 200, output: 20, cacheWrite: 7 }),
		usage(3, { input: 1, output: 1 }, false),
	);
	assert.deepEqual(log.usage, { input: 301, output: 31, reasoning: 4, cacheRead: 5, cacheWrite: 7 });
	assert.ok(log.usage);
	const { totalTokens, cost, ...counts } = toPiUsage(log.usage);
	assert.deepEqual([counts.input, counts.output, totalTokens, cost.total], [301, 31, 344, 0]);
	assert.equal(logOf(text(1, "x")).usage, undefined);
});

describe("the files changed", () => {
	test("are each told once, with the counts of all their edits", () => {
		const steps = [
			edit(1, `${cwd}/src/a.ts`, { added: 3, removed: 1 }),
			edit(2, "/etc/b", { added: 1, removed: 0 }),
			edit(3, `${cwd}/src/a.ts`, { added: 2, removed: 2 }),
		];
		assert.deepEqual(changedFiles(steps, cwd), [
			{ path: "src/a.ts", change: "edited", added: 5, removed: 3 },
			{ path: "/etc/b", change: "edited", added: 1, removed: 0 },
		]);
	});

	test("an edit that failed or is not over changed nothing", () => {
		assert.deepEqual(
			changedFiles([edit(1, "/a", {}, { state: "failed" }), edit(2, "/b", {}, { state: "running" })], cwd),
			[],
		);
	});

	test("a new file that is edited is still new, and one that is deleted is gone", () => {
		const change = (...changes: FileDiff["change"][]) =>
			changedFiles(
				changes.map((one, index) => edit(index, "/a", { change: one })),
				cwd,
			)[0]?.change;
		assert.equal(change("created", "edited"), "created");
		assert.equal(change("created", "deleted"), "deleted");
		assert.equal(change("deleted", "edited"), "edited");
		assert.equal(change("edited", "moved", "edited"), "moved");
	});
});

test("the commands run are told with their exit codes; refused ones did not run", () => {
	const denied = { message: "no", denied: { by: "permission" as const } };
	const steps = [
		tool(1, "done", { summary: "npm test", exitCode: 1 }),
		tool(2, "failed", { summary: "rm -rf x", error: denied }),
		tool(3, "background", { summary: "npm start" }),
		tool(4, "done", { kind: "read", summary: "a" }),
	];
	assert.deepEqual(ranCommands(steps, cwd), [
		{ command: "npm test", exitCode: 1, state: "done" },
		{ command: "npm start", state: "background" },
	]);
});

describe("a shown step", () => {
	test("has a diff of bounded length", () => {
		const lines = Array.from({ length: 500 }, (_, line) => ({ kind: "add" as const, text: `line ${line}` }));
		const { diff, title } = shownStep(edit(1, `${cwd}/a.ts`, { lines, added: 500, removed: 0 }), cwd);
		assert.equal(title, "edit a.ts +500");
		assert.match(diff ?? "", /\+ {2}1 line 0\n[\s\S]*\n \.\.\. 380 more lines$/);
	});

	test("has the end of a command's output, without control characters", () => {
		const output = `${"x".repeat(1_000_000)}\n${Array.from({ length: 20 }, (_, line) => `\u001b[31mline ${line}`).join("\n")}\n`;
		const shown = shownStep(tool(1, "done", { output, exitCode: 2 }), cwd);
		assert.deepEqual(
			shown.output?.split("\n"),
			Array.from({ length: 8 }, (_, line) => `line ${line + 12}`),
		);
		assert.deepEqual([shown.state, shown.outcome], ["failed", "exit 2"]);
	});
});

describe("the report", () => {
	const work = [
		{ type: "conversation", id: "c-1" },
		edit(1, `${cwd}/a.ts`, { added: 4, removed: 0, change: "created" }),
		tool(2, "done", { summary: "npm test", exitCode: 0 }),
		{ type: "notice", level: "warning", code: "denied-action", text: "Denied by a hook: rm" },
		{ type: "notice", level: "warning", code: "cut-short", text: "The answer is cut short." },
		{ type: "notice", level: "info", code: "self-answered-question", text: "agy asked, and answered itself." },
		{ type: "notice", level: "info", code: "compaction", text: "agy compacted its context." },
		text(3, "Done."),
	] satisfies AgyEvent[];

	test("of an answer has the answer first, then the work, then how to go on", () => {
		assert.equal(
			reportText(detailsOf(...work, ended({ kind: "answered" }))),
			[
				"Done.",
				"Files changed:\n- a.ts (created) +4",
				"Commands run:\n- npm test (exit 0)",
				"Not allowed:\n- Denied by a hook: rm",
				"Notes:\n- The answer is cut short.\n- agy asked, and answered itself.",
				"[gemini-3.8-flash high · accept-edits · 1 min 5 s · conversationId c-1]",
			].join("\n\n"),
		);
	});

	test("of a failure has the cause and the remedy first, and the work that was done", () => {
		const failure = { kind: "not-signed-in" as const, expired: true };
		const report = reportText(detailsOf(...work, ended({ kind: "failed", failure })));
		assert.match(
			report,
			/^agy's sign-in has expired\. Tell the user to run `agy` .* What agy had said:\n\nDone\.\n\nFiles changed:\n- a\.ts/,
		);
	});

	test("of one that ran out of time tells the calling model how to allow more", () => {
		const failure = { kind: "deadline", which: "total", seconds: 60 } as const;
		assert.match(reportText(detailsOf(ended({ kind: "failed", failure }))), /with `timeoutMinutes`\./);
	});

	test("of a cancelled delegation has what came", () => {
		const report = reportText(detailsOf(...work, ended({ kind: "cancelled", by: "user" })));
		assert.match(report, /^The delegation was cancelled\. What agy had said:\n\nDone\.\n\nFiles changed/);
	});

	test("says so when agy ended without words", () => {
		assert.match(reportText(detailsOf(ended({ kind: "answered" }))), /^agy ended without words\./);
	});

	test("lists a bounded number of things", () => {
		const many = Array.from({ length: 100 }, (_, index) => edit(index, `/f${index}`));
		const report = reportText(detailsOf(...many, ended({ kind: "answered" })));
		assert.match(report, /- \/f39 \+1 -1\n- … and 60 more/);
		assert.doesNotMatch(report, /\/f40 /);
	});

	test("its details survive pi's session file, with the last steps only", () => {
		const steps = Array.from({ length: 100 }, (_, index) => tool(index, "done", { summary: `echo ${index}` }));
		const details = detailsOf(...steps, usage(1, { input: 1 }), ended({ kind: "answered" }));
		assert.deepEqual(readAskDetails(JSON.parse(JSON.stringify(details))), details);
		assert.equal(details.earlierSteps, 40);
		assert.equal(details.steps[0]?.title, "run echo 40");
	});
});

test("a long answer is cut between lines, a long line in its middle, and a growing one from its start", () => {
	assert.deepEqual(boundedAnswer("short"), { text: "short", isCut: false });
	const lines = boundedAnswer("0123456789\n".repeat(10_000));
	assert.equal(lines.isCut, true);
	assert.ok(Buffer.byteLength(lines.text) <= 50 * 1024 && lines.text.endsWith("0123456789"));
	const line = boundedAnswer("é".repeat(100_000));
	assert.ok(line.isCut && Buffer.byteLength(line.text) <= 50 * 1024 && /bytes left out/.test(line.text));
	assert.equal(growingAnswer(`${"x".repeat(100_000)}end`).length, 4096);
	assert.equal(boundedAnswer("\u001b[2Jclear").text, "clear");
});
