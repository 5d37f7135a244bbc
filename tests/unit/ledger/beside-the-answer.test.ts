import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLedger } from "../../../src/ledger/ledger.ts";
import {
	answer,
	bound,
	closed,
	executor,
	feed,
	noticeCodes,
	ofType,
	planner,
	result,
	row,
	tool,
	userInput,
} from "./make.ts";

describe("beside the answer", () => {
	test("a compaction is told once", () => {
		const checkpoint = row(2, "done", { kind: "checkpoint", title: undefined, compaction: true });
		assert.deepEqual(noticeCodes(feed(createLedger(), bound, checkpoint, checkpoint)), ["compaction"]);
	});

	test("words of agy's that stand outside the answer cannot draw on pi's screen", () => {
		const title = { kind: "checkpoint", title: "A\u001b[2J\ntalk\u0007", compaction: false } as const;
		const message = { kind: "system-message", text: "Be\u001b[2J careful.", sender: "", hidden: false } as const;
		const events = feed(createLedger(), bound, row(2, "done", title), row(3, "done", message));
		assert.deepEqual(ofType(events, "title")[0]?.text, "A talk");
		assert.match(ofType(events, "notice")[0]?.text ?? "", /Be careful\./);
	});

	test("a visible message of the system is told, a hidden one is not", () => {
		const message = { kind: "system-message", text: "Careful.", sender: "", hidden: false } as const;
		const events = feed(
			createLedger(),
			bound,
			row(2, "done", message),
			row(2, "done", message),
			row(3, "done", { ...message, hidden: true }),
		);
		assert.deepEqual(noticeCodes(events), ["system-message"]);
	});

	test("denied actions of the result are told where no step told them", () => {
		const ledger = createLedger();
		const refused = tool({
			error: { message: "denied", denied: { by: "permission", action: "command", target: "rm x" } },
		});
		const deniedActions = [
			{ action: "command", displayName: "RunCommand" },
			{ action: "read_url", displayName: "ReadUrl" },
		];
		const events = feed(ledger, bound, row(2, "error", refused), result("", { deniedActions }), closed);
		assert.deepEqual(noticeCodes(events), ["denied-action", "denied-action"]);
		assert.deepEqual(
			ledger.facts().denied.map((denied) => denied.action),
			["command", "read_url"],
		);
		assert.equal(ledger.facts().toolsRan, false);
	});

	test("activity is told on change only", () => {
		const events = feed(
			createLedger(),
			bound,
			row(0, "done", userInput),
			row(1, "generating", planner({ thinking: "a" })),
			row(1, "generating", planner({ thinking: "ab" })),
			row(1, "generating", planner({ thinking: "ab", text: "x" })),
			row(1, "done", answer("x", { thinking: "ab", toolCalls: [{ id: "call-1", name: "run_command", args: {} }] })),
			row(2, "waiting", tool({ wait: { for: "permission", action: "command", target: "npm test" } })),
			row(2, "running", tool()),
			row(2, "done", tool()),
			row(3, "done", answer("y")),
			executor(3),
		);
		assert.deepEqual(
			ofType(events, "activity").map((event) => event.doing),
			["thinking", "writing", "thinking", "waiting-for-permission", "running-tool", "thinking", "finishing"],
		);
		const running = ofType(events, "activity").find((event) => event.doing === "running-tool");
		assert.deepEqual([running?.tool, running?.detail], ["command", "npm test"]);
	});

	test("the record of a turn's end is void when agy goes on", () => {
		const ledger = createLedger();
		feed(ledger, bound, row(1, "done", answer("Waiting for the build")), executor(1));
		assert.equal(ledger.facts().executor?.lastStepIdx, 1);
		assert.equal(ledger.facts().answerComplete, true);
		feed(ledger, row(2, "generating", planner({ text: "The build" })));
		assert.equal(ledger.facts().executor, undefined);
		assert.equal(ledger.facts().answerComplete, false);
	});
});
