import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLedger } from "../../../src/ledger/ledger.ts";
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
	rebuild,
	result,
	row,
	said,
	stdoutStep,
	textOf,
	tool,
	usage,
	userInput,
} from "./make.ts";

describe("a model call", () => {
	test("streams thinking, then text, then its usage, then its end", () => {
		const events = feed(
			createLedger(),
			bound,
			row(0, "done", userInput),
			row(1, "generating", planner({ thinking: "Hm" })),
			row(1, "generating", planner({ thinking: "Hm, yes", text: "The" })),
			row(1, "done", answer("The end", { thinking: "Hm, yes" }), { usage: usage("r1") }),
		);
		const shape = events.filter((event) => event.type !== "activity").map((event) => event.type);
		assert.deepEqual(shape, [
			"conversation",
			"generation",
			"thinking",
			"thinking",
			"text",
			"text",
			"usage",
			"generation",
		]);
		assert.equal(textOf(events), "The end");
		assert.equal(rebuild(events).thinking.get(1), "Hm, yes");
		assert.deepEqual(ofType(events, "usage")[0], {
			type: "usage",
			step: { trajectory: "trajectory-1", index: 1 },
			usage: { input: 10, output: 5, reasoning: 2, cacheRead: 3, cacheWrite: 0 },
			responseId: "r1",
			isAnswer: true,
		});
	});

	test("that is written empty first is filled later", () => {
		const events = feed(
			createLedger(),
			bound,
			row(1, "done", planner()),
			row(1, "generating", planner({ text: "Fil" })),
			row(1, "done", answer("Filled"), { usage: usage("r1") }),
			closed,
		);
		assert.equal(textOf(events), "Filled");
		assert.deepEqual(
			ofType(events, "generation").map((event) => event.state),
			["started", "done"],
		);
	});

	test("that failed is told, and its repetition is a call of its own", () => {
		const ledger = createLedger();
		const failed = feed(ledger, bound, row(0, "done", userInput), row(1, "done", planner({ stopReason: 18 })));
		assert.deepEqual(
			ofType(failed, "generation").map((event) => event.state),
			["started", "failed"],
		);
		assert.deepEqual(noticeCodes(failed), []);
		assert.equal(ofType(failed, "activity").at(-1)?.doing, "retrying");

		const error = { userMessage: "", short: "unavailable", full: "", details: "", modelMessage: "", code: 503 };
		feed(ledger, row(2, "done", { kind: "error-message", error }));
		assert.deepEqual(ledger.facts().openErrors, [error]);
		const repeated = feed(
			ledger,
			row(3, "generating", planner({ text: "Now it" })),
			row(3, "done", answer("Now it works")),
			closed,
		);
		assert.equal(textOf(repeated), "Now it works");
		assert.deepEqual(
			ofType(repeated, "notice").map(({ text }) => text),
			["A model call failed (unavailable, HTTP 503); agy repeated it."],
		);
		assert.deepEqual(ledger.facts().openErrors, []);
	});

	test("that failed and was not repeated is left to the turn's failure", () => {
		const events = feed(createLedger(), bound, row(1, "done", planner({ stopReason: 18 })), closed);
		assert.deepEqual(noticeCodes(events), []);
	});

	test("that failed without a recorded error is explained by its stop reason", () => {
		const failed = row(1, "done", planner({ stopReason: 19 }));
		const events = feed(createLedger(), bound, failed, row(2, "generating", planner({ text: "Ag" })), failed);
		assert.deepEqual(
			ofType(events, "notice").map(({ text }) => text),
			["A model call failed (it went in circles); agy repeated it."],
		);
	});

	test("with an unreadable tool call keeps its text and counts as failed", () => {
		const events = feed(createLedger(), bound, row(1, "done", planner({ text: "I will", stopReason: 17 })), closed);
		assert.equal(textOf(events), "I will");
		assert.equal(ofType(events, "generation").at(-1)?.state, "failed");
	});

	test("that ran out of tokens says so", () => {
		const events = feed(createLedger(), bound, row(1, "done", answer("And then", { stopReason: 3 })));
		assert.equal(ofType(events, "generation").at(-1)?.cutShort, true);
		assert.deepEqual(noticeCodes(events), ["cut-short"]);
	});

	test("names the tools it asked for, in order", () => {
		const calls = ["a", "b"].map((id) => ({ id, name: "view_file", args: {} }));
		const events = feed(createLedger(), bound, row(1, "done", answer("", { toolCalls: calls })));
		assert.deepEqual(ofType(events, "generation").at(-1)?.toolCallIds, ["a", "b"]);
	});

	test("that agy left unfinished when it was killed counts as failed and keeps its text", () => {
		const events = feed(createLedger(), bound, row(1, "generating", planner({ text: "Half" })), closed);
		assert.equal(textOf(events), "Half");
		assert.equal(ofType(events, "generation").at(-1)?.state, "failed");
	});

	test("whose text is replaced tells the whole new text", () => {
		const events = feed(
			createLedger(),
			bound,
			row(1, "generating", planner({ text: "It is blue" })),
			row(1, "done", answer("It is grey")),
		);
		assert.deepEqual(
			ofType(events, "rewrite").map(({ block, text }) => [block, text]),
			[["text", "It is grey"]],
		);
		assert.equal(textOf(events), "It is grey");
	});
});

describe("usage", () => {
	test("of one response is reported once, however often agy repeats it", () => {
		const record = {
			idx: 0,
			usage: usage("r1"),
			stepIndices: [1],
			model: "Gemini",
			error: "",
		};
		const events = feed(
			createLedger(),
			bound,
			row(1, "done", answer("Hi"), { usage: usage("r1") }),
			row(1, "done", answer("Hi"), { usage: usage("r1") }),
			{ source: "generation", record },
			said(1, "DONE", "Hi", { usage: { input: 10, output: 5, thinking: 2, cacheRead: 3 } }),
			closed,
		);
		assert.equal(ofType(events, "usage").length, 1);
	});

	test("of a title says nothing about the context", () => {
		const title = { kind: "checkpoint", title: "A talk", compaction: false } as const;
		const events = feed(
			createLedger(),
			bound,
			row(1, "done", answer("Hi"), { usage: usage("r1") }),
			row(2, "done", title, { usage: usage("r2") }),
			row(2, "done", title, { usage: usage("r2") }),
		);
		assert.deepEqual(
			ofType(events, "usage").map((event) => [event.responseId, event.isAnswer]),
			[
				["r1", true],
				["r2", false],
			],
		);
		assert.deepEqual(
			ofType(events, "title").map((event) => event.text),
			["A talk"],
		);
	});

	test("is taken from agy's record of the call where the row has none, in either order", () => {
		const record = {
			idx: 0,
			usage: usage("r1"),
			stepIndices: [1],
			model: "",
			error: "",
		};
		const rowFirst = feed(
			createLedger(),
			bound,
			row(1, "done", answer("Hi")),
			{ source: "generation", record },
			closed,
		);
		const recordFirst = feed(
			createLedger(),
			bound,
			{ source: "generation", record },
			row(1, "done", answer("Hi")),
			closed,
		);
		assert.equal(ofType(rowFirst, "usage").length, 1);
		assert.equal(ofType(recordFirst, "usage").length, 1);
	});

	test("is taken from stdout's steps when the database says nothing", () => {
		const counted = { input: 7, output: 5, thinking: 4, cacheRead: 1 };
		const events = feed(createLedger(), bound, databaseLost, said(1, "DONE", "Hi", { usage: counted }), closed);
		assert.deepEqual(ofType(events, "usage")[0]?.usage, {
			input: 7,
			output: 5,
			reasoning: 4,
			cacheRead: 1,
			cacheWrite: 0,
		});
	});

	test("of the whole conversation is what is left: the turns before are subtracted", () => {
		const total = { input: 100, output: 50, thinking: 40, cacheRead: 30 };
		const before = { input: 90, output: 45, thinking: 38, cacheRead: 30 };
		const baseline = { maxStep: 4, maxExecutor: 0, maxGeneration: 1 };
		const ledger = createLedger({ baseline, usageBefore: before });
		const events = feed(ledger, bound, said(6, "DONE", "Hi"), result("Hi\n", { usage: total }), closed);
		assert.deepEqual(
			ofType(events, "usage").map((event) => event.usage),
			[{ input: 10, output: 5, reasoning: 2, cacheRead: 0, cacheWrite: 0 }],
		);
	});

	test("of the whole conversation is not shown as this turn's when the turns before are unknown", () => {
		const baseline = { maxStep: 4, maxExecutor: 0, maxGeneration: 1 };
		const total = { input: 100, output: 50, thinking: 40, cacheRead: 30 };
		const events = feed(
			createLedger({ baseline }),
			bound,
			said(6, "DONE", "Hi"),
			result("Hi", { usage: total }),
			closed,
		);
		assert.deepEqual(ofType(events, "usage"), []);
	});
});

describe("a continued conversation", () => {
	const baseline = { maxStep: 5, maxExecutor: 1, maxGeneration: 2, trajectories: ["trajectory-1"] };

	test("never replays old steps, not even when agy rewrites them", () => {
		const ledger = createLedger({ baseline });
		const events = feed(
			ledger,
			bound,
			row(3, "done", answer("An old answer")),
			row(5, "cancelled", tool()),
			said(3, "DONE", "An old answer"),
			executor(5, 1),
			row(6, "done", userInput),
			row(7, "done", answer("New")),
			closed,
		);
		assert.equal(textOf(events), "New");
		assert.deepEqual(ofType(events, "tool"), []);
		assert.equal(ledger.facts().executor, undefined);
		assert.equal(ledger.facts().lastStep, 7);
	});

	test("shows a row of another trajectory whatever its index", () => {
		const events = feed(
			createLedger({ baseline }),
			bound,
			row(3, "done", answer("After a rewind"), { trajectory: "trajectory-2" }),
		);
		assert.equal(textOf(events), "After a rewind");
		assert.deepEqual(ofType(events, "text")[0]?.step, { trajectory: "trajectory-2", index: 3 });
	});

	test("that is rewound in the middle of a turn does not say again what was said before", () => {
		const ledger = createLedger();
		const doomed = row(1, "done", answer("Doomed."));
		const events = feed(ledger, bound, doomed, { source: "rewound", rows: 1 }, row(1, "done", answer("Instead.")));
		events.push(...feed(ledger, result("Doomed.Instead."), closed));
		assert.deepEqual(
			ofType(events, "text").map(({ delta }) => delta),
			["Doomed.", "Instead."],
		);
		assert.deepEqual(noticeCodes(events), []);
	});

	test("that is rewound shows the rows that reuse the indices", () => {
		const { trajectories: _, ...known } = baseline;
		const ledger = createLedger({ baseline: known });
		const events = feed(ledger, bound, { source: "rewound", rows: 3 }, row(4, "done", answer("Again")), closed);
		assert.equal(textOf(events), "Again");
		assert.equal(ledger.facts().lastStep, 4);
	});

	test("that is rewound past a tool forgets the step, but not that it may have had effects", () => {
		const toolsRan = (status: "waiting" | "done") => {
			const ledger = createLedger();
			feed(ledger, bound, row(2, status, tool()), { source: "rewound", rows: 2 });
			assert.equal(ledger.facts().lastStep, 1);
			return ledger.facts().toolsRan;
		};
		assert.deepEqual([toolsRan("waiting"), toolsRan("done")], [false, true]);
	});

	test("that agy did not continue begins at its first step", () => {
		const events = feed(
			createLedger({ baseline }),
			stdoutStep({ stepType: "user_input", index: 0 }),
			{ source: "conversation", id: CONVERSATION, insteadOf: "another" },
			row(2, "done", answer("I know nothing")),
			closed,
		);
		assert.deepEqual(events[0], { type: "conversation", id: CONVERSATION, insteadOf: "another" });
		assert.equal(textOf(events), "I know nothing");
	});

	test("whose index is reused within the run ends the tool that stood there", () => {
		const events = feed(
			createLedger(),
			bound,
			row(2, "running", tool()),
			row(2, "done", answer("Instead"), { trajectory: "trajectory-2" }),
			closed,
		);
		assert.deepEqual(
			ofType(events, "tool").map((event) => event.state),
			["running", "cancelled"],
		);
		assert.equal(textOf(events), "Instead");
	});
});
