import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AgyEvent } from "../../../src/engine/events.ts";
import { createLedger } from "../../../src/ledger/ledger.ts";
import {
	answer,
	bound,
	closed,
	databaseLost,
	feed,
	noticeCodes,
	ofType,
	planner,
	rebuild,
	result,
	row,
	said,
	silent,
	textOf,
	tool,
	toolSaid,
	userInput,
} from "./make.ts";

describe("stdout as the safety net", () => {
	test("waits for the conversation before it tells of a step", () => {
		const ledger = createLedger();
		assert.deepEqual(feed(ledger, said(1, "ACTIVE", "Hi")), []);
		assert.equal(textOf(feed(ledger, bound, databaseLost)), "Hi");
	});

	test("is not ahead of the thoughts and steps that its words follow", () => {
		const ahead = [
			bound,
			said(1, "DONE", "Look."),
			toolSaid(2, "DONE"),
			said(3, "ACTIVE", "Fou"),
			said(3, "DONE", "nd."),
		];
		const order = (events: readonly AgyEvent[]) =>
			events.flatMap((event) =>
				event.type === "text" || event.type === "thinking" || event.type === "tool"
					? [`${event.type} ${event.step.index}`]
					: [],
			);

		const alive = createLedger();
		assert.deepEqual(order(feed(alive, ...ahead)), []);
		assert.deepEqual(order(feed(alive, row(1, "generating", planner({ thinking: "Hm." })))), ["thinking 1"]);
		assert.deepEqual(order(feed(alive, row(1, "generating", answer("L", { thinking: "Hm." })))), ["text 1"]);
		assert.deepEqual(order(feed(alive, row(2, "done", tool()))), ["tool 2"]);
		assert.deepEqual(order(feed(alive, row(3, "generating", planner({ text: "F" })))), ["text 3"]);

		for (const end of [databaseLost, closed]) {
			const events = feed(createLedger(), ...ahead, end);
			assert.deepEqual([order(events), textOf(events)], [["text 1", "tool 2", "text 3"], "Look.Found."]);
		}
	});

	test("delivers the text live, and says where it came from", () => {
		const ledger = createLedger();
		assert.equal(textOf(feed(ledger, bound, databaseLost, said(1, "ACTIVE", "Hel"))), "Hel");
		const rest = feed(ledger, said(1, "DONE", "lo\n"), result("Hello\n"), {
			source: "closed",
			agyLives: false,
			databaseProblem: "x.db is locked",
		});
		assert.equal(ofType(rest, "generation").at(-1)?.state, "done");
		assert.deepEqual(noticeCodes(rest), ["recovered-text"]);
		assert.match(ofType(rest, "notice")[0]?.text ?? "", /x\.db is locked/);
	});

	test("delivers a response that neither source showed, once", () => {
		const events = feed(createLedger(), bound, row(0, "done", userInput), result("Hello\n"), closed);
		assert.equal(textOf(events), "Hello");
		assert.deepEqual(noticeCodes(events), ["recovered-text"]);
		assert.deepEqual(
			ofType(events, "generation").map((event) => event.state),
			["started", "done"],
		);
	});

	test("goes on in the model call that the database left unfinished", () => {
		const events = feed(
			createLedger(),
			bound,
			row(1, "generating", planner({ text: "Hello" })),
			result("Hello world\n"),
			closed,
		);
		assert.deepEqual([...rebuild(events).text], [[1, "Hello world"]]);
		assert.deepEqual(
			ofType(events, "generation").map((event) => event.state),
			["started", "done"],
		);
	});

	test("adds nothing to what the database showed", () => {
		for (const response of ["Look.Found.\n", "Found.", "Look.\n\nFound.\n", ""]) {
			const rows = [row(1, "done", answer("Look.")), row(2, "done", tool()), row(3, "done", answer("Found."))];
			const events = feed(createLedger(), bound, ...rows, result(response), closed);
			assert.equal(textOf(events), "Look.Found.");
			assert.deepEqual(noticeCodes(events), []);
		}
	});

	test("shows text of a row whose type is not known", () => {
		const events = feed(
			createLedger(),
			bound,
			row(1, "done", silent),
			said(1, "DONE", "Hello\n"),
			result("Hello\n"),
			closed,
		);
		assert.equal(textOf(events).trim(), "Hello");
		assert.deepEqual(noticeCodes(events), ["recovered-text"]);
	});

	test("is not taken back by a finished row in which its text cannot be found", () => {
		for (const order of [0, 1]) {
			const both = [said(1, "DONE", "Hello\n"), row(1, "done", answer(""))];
			const events = feed(createLedger(), bound, ...(order === 0 ? both : both.reverse()), result("Hello\n"), closed);
			assert.equal(textOf(events), "Hello");
			assert.deepEqual(ofType(events, "rewrite"), []);
			assert.deepEqual(noticeCodes(events), ["recovered-text"]);
		}
	});

	test("is taken back when the model call that said it failed", () => {
		const events = feed(
			createLedger(),
			bound,
			said(1, "ACTIVE", "Hel"),
			row(1, "done", planner({ stopReason: 18 })),
			closed,
		);
		assert.equal(textOf(events), "");
	});

	test("does not mix in the steps of a subagent", () => {
		const events = feed(
			createLedger(),
			bound,
			databaseLost,
			said(1, "DONE", "Mine"),
			said(1, "DONE", "Theirs", { conversationId: "other" }),
		);
		assert.equal(textOf(events), "Mine");
	});

	test("nothing comes after the end", () => {
		const ledger = createLedger();
		feed(ledger, bound, closed);
		assert.deepEqual(feed(ledger, row(1, "done", answer("Late")), result("Late"), closed), []);
	});
});
