import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLedger } from "../../../src/ledger/ledger.ts";
import { backgroundTasks } from "../../../src/ledger/notices.ts";
import {
	answer,
	bound,
	CONVERSATION,
	closed,
	databaseLost,
	executor,
	feed,
	noticeCodes,
	ofType,
	planner,
	row,
	silent,
	tool,
	toolSaid,
	toolStates,
} from "./make.ts";

const task = { id: `${CONVERSATION}/task-1` };

describe("a tool", () => {
	test("is told whole each time something about it changes", () => {
		const events = feed(
			createLedger(),
			bound,
			row(2, "pending", tool()),
			row(2, "running", tool({ output: "1 ok\n" })),
			row(2, "running", tool({ output: "1 ok\n" })),
			row(2, "done", tool({ output: "1 ok\n2 ok\n", exitCode: 0, endedAt: 9 })),
		);
		assert.deepEqual(
			ofType(events, "tool").map(({ state, output, exitCode }) => ({ state, output, exitCode })),
			[
				{ state: "running", output: undefined, exitCode: undefined },
				{ state: "running", output: "1 ok\n", exitCode: undefined },
				{ state: "done", output: "1 ok\n2 ok\n", exitCode: 0 },
			],
		);
	});

	test("that exits with an error is done; one that agy could not run has failed", () => {
		const ledger = createLedger();
		const events = feed(
			ledger,
			bound,
			row(2, "done", tool({ exitCode: 1 })),
			row(3, "error", tool({ callId: "call-2", error: { message: "no such file" } })),
			row(4, "cancelled", tool({ callId: "call-3" })),
		);
		assert.deepEqual(toolStates(events), ["done", "failed", "cancelled"]);
		assert.equal(ledger.facts().toolsDone, 1);
	});

	test("ends once, whatever agy writes afterwards", () => {
		const events = feed(
			createLedger(),
			bound,
			row(2, "done", tool({ output: "a" })),
			row(2, "done", tool({ output: "ab" })),
			row(2, "cancelled", tool()),
			closed,
		);
		assert.deepEqual(toolStates(events), ["done"]);
	});

	test("may finish after later steps exist, next to others", () => {
		const events = feed(
			createLedger(),
			bound,
			row(2, "running", tool({ callId: "slow" })),
			row(3, "done", tool({ callId: "quick" })),
			row(4, "done", answer("Meanwhile")),
			row(2, "done", tool({ callId: "slow" })),
		);
		assert.deepEqual(toolStates(events, "slow"), ["running", "done"]);
		assert.deepEqual(toolStates(events, "quick"), ["done"]);
	});

	test("takes from the model's call, found by its id, what its row leaves out", () => {
		const calls = [
			{ id: "b", name: "view_file", args: { AbsolutePath: "/b" } },
			{ id: "a", name: "view_file", args: { AbsolutePath: "/a" } },
		];
		const events = feed(
			createLedger(),
			bound,
			row(1, "done", answer("", { toolCalls: calls })),
			row(2, "done", tool({ callId: "a", name: "", args: {} })),
		);
		const [told] = ofType(events, "tool");
		assert.deepEqual([told?.name, told?.args], ["view_file", { AbsolutePath: "/a" }]);
	});

	test("that is committed before its model call is done is told at once", () => {
		const ledger = createLedger();
		const events = feed(ledger, bound, row(1, "generating", planner({ text: "I run it" })), row(2, "pending", tool()));
		assert.deepEqual(toolStates(events), ["running"]);
	});

	test("whose row is written empty first is told when it is filled", () => {
		const ledger = createLedger();
		const empty = tool({ callId: undefined, args: {}, summary: "", startedAt: undefined });
		assert.deepEqual(ofType(feed(ledger, bound, row(2, "pending", empty)), "tool"), []);
		assert.deepEqual(toolStates(feed(ledger, row(2, "running", tool())), "call-1"), ["running"]);
	});

	test("whose row stays empty is told when the next model call shows that it is over", () => {
		const ledger = createLedger();
		const empty = tool({ callId: undefined, args: {}, summary: "", startedAt: undefined });
		const events = feed(ledger, bound, row(2, "done", empty), row(3, "generating", planner({ text: "So" })));
		assert.deepEqual(toolStates(events, "step-2"), ["done"]);
	});

	test("that waits for a permission nobody can give ends as denied", () => {
		const wait = { for: "permission", action: "command", target: "rm -r x" } as const;
		const ledger = createLedger();
		const events = feed(ledger, bound, row(2, "waiting", tool({ wait })), closed);
		const last = ofType(events, "tool").at(-1);
		assert.equal(last?.state, "failed");
		assert.deepEqual(last?.error?.denied, { by: "permission", action: "command", target: "rm -r x" });
		assert.deepEqual(noticeCodes(events), ["denied-action"]);
		assert.equal(ledger.facts().toolsRan, false);
	});

	test("that is open when agy is gone is cancelled, with the reason", () => {
		const ledger = createLedger();
		const events = feed(ledger, bound, row(2, "running", tool()), closed);
		const last = ofType(events, "tool").at(-1);
		assert.equal(last?.state, "cancelled");
		assert.match(last?.error?.message ?? "", /agy ended/);
		assert.equal(ledger.facts().toolsRan, true);
	});

	test("that stdout saw finish is done, although its row never said so", () => {
		const events = feed(
			createLedger(),
			bound,
			row(2, "running", tool()),
			toolSaid(2, "DONE", { toolOutput: "ok\n" }),
			closed,
		);
		const last = ofType(events, "tool").at(-1);
		assert.deepEqual([last?.state, last?.output], ["done", "ok\n"]);
	});

	test("that asked a question and answered it itself says so once", () => {
		const asked = tool({ toolKind: "question", questions: [{ question: "Which?", answers: ["The first"] }] });
		const events = feed(createLedger(), bound, row(2, "done", asked), row(2, "done", asked));
		assert.deepEqual(noticeCodes(events), ["self-answered-question"]);
	});
});

describe("a tool that only stdout tells of", () => {
	const parameters = { toolName: "run_command", toolParameters: { CommandLine: "echo hi" } };

	test("is told live when the database is lost", () => {
		const events = feed(
			createLedger(),
			bound,
			databaseLost,
			toolSaid(3, "ACTIVE", parameters),
			toolSaid(3, "DONE", { toolOutput: "hi\n" }),
			closed,
		);
		assert.deepEqual(toolStates(events), ["running", "done"]);
		const last = ofType(events, "tool").at(-1);
		assert.deepEqual(
			[last?.name, last?.kind, last?.summary, last?.output],
			["run_command", "command", "echo hi", "hi\n"],
		);
	});

	test("is upgraded by its row, under the id it was told with", () => {
		const events = feed(
			createLedger(),
			bound,
			databaseLost,
			toolSaid(3, "ACTIVE", parameters),
			row(3, "done", tool({ callId: "real", exitCode: 3 })),
			closed,
		);
		assert.deepEqual(
			ofType(events, "tool").map(({ callId, state, exitCode }) => [callId, state, exitCode]),
			[
				["step-3", "running", undefined],
				["step-3", "done", 3],
			],
		);
	});

	test("is told when its row is of a kind we do not know, in either order", () => {
		const stdoutFirst = feed(createLedger(), bound, toolSaid(3, "DONE", parameters), row(3, "done", silent));
		const rowFirst = feed(createLedger(), bound, row(3, "done", silent), toolSaid(3, "DONE", parameters));
		assert.deepEqual(toolStates(stdoutFirst), ["done"]);
		assert.deepEqual(toolStates(rowFirst), ["done"]);
	});

	test("of which neither source says what it is, is none: agy's own silent rows are not shown", () => {
		const nameless = toolSaid(3, "DONE", { toolName: undefined });
		for (const order of [
			[nameless, row(3, "done", silent)],
			[row(3, "done", silent), nameless],
		]) {
			const ledger = createLedger();
			const events = feed(ledger, bound, ...order, row(4, "done", answer("Done.")));
			assert.deepEqual(ofType(events, "tool"), []);
			assert.equal(ledger.facts().toolsRan, false);
			assert.deepEqual(ofType(feed(ledger, closed), "tool"), []);
		}
	});

	test("waits for its row while the database is alive", () => {
		const ledger = createLedger();
		assert.deepEqual(ofType(feed(ledger, bound, toolSaid(3, "ACTIVE", parameters)), "tool"), []);
		assert.deepEqual(toolStates(feed(ledger, row(3, "running", tool())), "call-1"), ["running"]);
	});

	test("that stdout alone calls refused is denied what it needs permission for", () => {
		const ledger = createLedger();
		const error = { type: "TOOL_ERROR", message: "User denied permission to run command: ls" };
		feed(ledger, bound, databaseLost, toolSaid(2, "ERROR", { error, toolParameters: { CommandLine: "ls" } }));
		const [denied] = ledger.facts().denied;
		assert.deepEqual([denied?.action, denied?.target], ["command", "ls"]);
	});

	test("that a hook refused is denied", () => {
		const error = { type: "TOOL_ERROR", message: "tool call denied by pre-tool hook:" };
		const ledger = createLedger();
		feed(ledger, bound, databaseLost, toolSaid(3, "ERROR", { ...parameters, error }), closed);
		assert.deepEqual(
			ledger.facts().denied.map(({ by, reason }) => ({ by, reason })),
			[{ by: "hook", reason: undefined }],
		);
		for (const [message, reason] of [
			["tool call denied by pre-tool hook", undefined],
			["tool call denied by jsonhook__mine: not on Fridays", "not on Fridays"],
		] as const) {
			const fromRow = createLedger();
			feed(fromRow, bound, row(3, "error", tool({ error: { message, denied: { by: "hook" } } })));
			assert.equal(fromRow.facts().denied[0]?.reason, reason);
		}
		assert.equal(ledger.facts().toolsRan, false);
	});
});

describe("a background task", () => {
	test("ends when its row does, however late", () => {
		const ledger = createLedger();
		const started = feed(ledger, bound, row(2, "running", tool({ task })), row(3, "done", answer("It runs.")));
		assert.deepEqual(toolStates(started), ["background"]);
		assert.equal(ledger.facts().backgroundTools.length, 1);
		assert.equal(ledger.facts().answerComplete, true);
		assert.deepEqual(toolStates(feed(ledger, row(2, "done", tool({ task, exitCode: 0 })))), ["done"]);
		assert.equal(ledger.facts().backgroundTools.length, 0);
	});

	test("is also what still runs when the turn is over, whatever agy calls it", () => {
		const ledger = createLedger();
		feed(ledger, bound, row(2, "running", tool({})), row(3, "done", answer("It runs.")));
		assert.equal(ledger.facts().openTools.length, 1);
		feed(ledger, executor(3));
		assert.equal(ledger.facts().openTools.length, 0);
		assert.equal(ledger.facts().backgroundTools.length, 1);
		assert.equal(ledger.facts().answerComplete, true);
	});

	test("is nothing that waits for a permission", () => {
		const ledger = createLedger();
		feed(ledger, bound, row(2, "waiting", tool({})), executor(2));
		assert.equal(ledger.facts().openTools.length, 1);
	});

	test("that reports its end is waited for no longer, and its row may still say how it ended", () => {
		const message = { kind: "system-message", text: "Task finished", hidden: false } as const;
		for (const sender of [task.id, "task-1"]) {
			const ledger = createLedger();
			const events = feed(ledger, bound, row(2, "running", tool({ task })), row(4, "done", { ...message, sender }));
			assert.equal(ledger.facts().backgroundTools.length, 0);
			assert.deepEqual(noticeCodes(events), []);
			const late = feed(ledger, row(2, "done", tool({ task, exitCode: 7 })), closed);
			assert.deepEqual(
				ofType(late, "tool").map(({ state, exitCode }) => [state, exitCode]),
				[["done", 7]],
			);
		}
	});

	test("that reported its end is done, also when its row never says so", () => {
		const body = { kind: "system-message", text: "", sender: task.id, hidden: false } as const;
		const events = feed(createLedger(), bound, row(2, "running", tool({ task })), row(4, "done", body), closed);
		assert.deepEqual(toolStates(events), ["background", "done"]);
	});

	test("is told by its report where nothing else tells of its result", () => {
		const body = { kind: "system-message", text: "2 passed", sender: task.id, hidden: false } as const;
		const running = row(2, "running", tool({ task, output: undefined }));
		const events = feed(createLedger(), bound, running, row(4, "done", body), closed);
		assert.equal(ofType(events, "tool").at(-1)?.output, "2 passed");
	});

	test("that has ended needs no message about it", () => {
		const body = { kind: "system-message", text: "finished", sender: task.id, hidden: false } as const;
		const events = feed(createLedger(), bound, row(2, "done", tool({ task })), row(4, "done", body), closed);
		assert.deepEqual(noticeCodes(events), []);
	});

	test("is named by its summary, else by its tool", () => {
		const unnamed = tool({ callId: "call-2", name: "serve", toolKind: "other", summary: "", task });
		const ledger = createLedger();
		feed(ledger, bound, row(2, "running", tool({ task })), row(3, "running", unnamed));
		assert.match(backgroundTasks(ledger.facts().backgroundTools).text, /: npm test; serve$/);
	});

	test("that goes on after the turn is told as such", () => {
		const events = feed(createLedger(), bound, row(2, "running", tool({ task })), { source: "closed", agyLives: true });
		const last = ofType(events, "tool").at(-1);
		assert.equal(last?.state, "cancelled");
		assert.match(last?.error?.message ?? "", /may finish it/);
	});
});

test("a subagent is told when it starts and when it reports back", () => {
	const body = tool({ toolKind: "subagent", subagents: [{ conversationId: "child", role: "reviewer" }] });
	const report = { kind: "system-message", text: "Done", sender: "child", hidden: false } as const;
	const events = feed(
		createLedger(),
		bound,
		toolSaid(2, "ACTIVE", { subagentConversationId: "child" }),
		row(2, "running", body),
		row(2, "done", body),
		row(3, "done", report),
	);
	assert.deepEqual(
		ofType(events, "subagent").map(({ conversationId, role, state }) => [conversationId, role, state]),
		[
			["child", undefined, "running"],
			["child", "reviewer", "done"],
		],
	);
	assert.deepEqual(
		ofType(events, "notice").map(({ text }) => text),
		["reviewer reported: Done"],
	);
});

test("a subagent's report that its step already shows is not said again", () => {
	const body = tool({ toolKind: "subagent", subagents: [{ conversationId: "child", role: "reviewer" }] });
	const report = { kind: "system-message", text: "Done", sender: "child", hidden: false } as const;
	const events = feed(createLedger(), bound, row(2, "done", { ...body, output: "Done." }), row(3, "done", report));
	assert.deepEqual(noticeCodes(events), []);
});
