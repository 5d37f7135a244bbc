import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import {
	type AssistantMessage,
	createAssistantMessageEventStream,
	fauxAssistantMessage,
	type Message,
	normalizeContext,
	type SimpleStreamOptions,
} from "@earendil-works/pi-ai";
import type { ActivityEvent } from "../../../src/engine/events.ts";
import { classify } from "../../../src/provider/failure-text.ts";
import { MessageWriter } from "../../../src/provider/message-writer.ts";
import { SessionRuns } from "../../../src/provider/session-runs.ts";
import { CARD_TOOL } from "../../../src/provider/step-card.ts";
import { runTurn, runWordsOnly, type TurnParts, type TurnSession } from "../../../src/provider/turn.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { FakeEngine, generation, text, tool } from "../../support/fake-engine.ts";
import { FakePlanner } from "../../support/fake-planner.ts";
import { model } from "../../support/pi-model.ts";

function setUp() {
	const clock = new FakeClock();
	const engine = new FakeEngine();
	const planner = new FakePlanner();
	const activities: ActivityEvent[] = [];
	const titles: string[] = [];
	const notices: string[] = [];
	const parts: TurnParts = {
		engine,
		planner,
		clock,
		catalogue: {
			learn: async () => {},
			resolve: (id, effort) =>
				id === model.id
					? { choice: { slug: `${id}-${effort ?? "medium"}` }, family: "gemini" }
					: { unknown: id, available: [model.id], alike: [] },
		},
	};
	const session: TurnSession = {
		id: "s1",
		cwd: process.cwd(),
		runs: new SessionRuns(),
		mode: "accept-edits",
		permissions: "skip",
		display: () => "cards",
		activity: (event) => activities.push(event),
		title: (title) => titles.push(title),
		notice: ({ text }) => notices.push(text),
		runStarted() {},
		runEnded() {},
	};

	async function call(messages: Message[], options: SimpleStreamOptions = {}, modelId = model.id) {
		const stream = createAssistantMessageEventStream();
		const writer = new MessageWriter(stream, { ...model, id: modelId }, clock.now());
		const context = normalizeContext({ messages });
		await runTurn(parts, session, { model: { ...model, id: modelId }, context, options, writer });
		return writer;
	}
	return { clock, engine, planner, parts, session, call, activities, titles, notices };
}

function user(content: string): Message {
	return { role: "user", content, timestamp: 0 };
}

function results(message: AssistantMessage): Message[] {
	return message.content.flatMap((block): Message[] =>
		block.type === "toolCall"
			? [
					{
						role: "toolResult",
						toolCallId: block.id,
						toolName: block.name,
						content: [{ type: "text", text: "ok" }],
						isError: false,
						timestamp: 0,
					},
				]
			: [],
	);
}

/** A turn whose first message ended with one card that pi has executed. */
async function parked() {
	const setting = setUp();
	const first = await setting.call([user("go")]);
	setting.engine.last.emit({ type: "conversation", id: "c1" }, tool(2, "running"), generation(1, "done", ["call-2"]));
	await turnOfTheLoop();
	assert.equal(first.message.stopReason, "toolUse");
	for (const block of first.message.content) {
		if (block.type === "toolCall") setting.session.runs.card(block.id)?.markExecuted();
	}
	const transcript: Message[] = [user("go"), first.message, ...results(first.message)];
	return { ...setting, run: setting.engine.last, transcript };
}

describe("a new turn", () => {
	test("sends the plan's prompt and streams the answer", async () => {
		const { call, engine, planner } = setUp();
		const writer = await call([user("2+2?")], { reasoning: "high" });
		assert.equal(engine.last.request.prompt, "2+2?");
		assert.equal(engine.last.request.model?.slug, "gemini-3.8-flash-high");
		engine.last.emit({ type: "conversation", id: "c1" }, text(1, "4"));
		engine.last.end();
		await turnOfTheLoop();
		assert.equal(writer.words, "4");
		assert.deepEqual(planner.conversations, ["c1"]);
		assert.deepEqual(
			planner.ends.map(({ end, answer }) => [end.outcome.kind, answer]),
			[["answered", "4"]],
		);
	});

	test("asks for exactly the effort that was chosen, and for none where there is none", async () => {
		const { call, engine } = setUp();
		for (const [reasoning, asked] of [
			["minimal", "low"],
			["xhigh", "xhigh"],
			["max", "max"],
		] as const) {
			await call([user("2+2?")], { reasoning });
			assert.equal(engine.last.request.model?.slug, `gemini-3.8-flash-${asked}`);
		}
	});

	test("lets extensions see and replace the prompt, and hear of the response", async () => {
		const { call, engine } = setUp();
		const seen: unknown[] = [];
		await call([user("hello")], {
			onPayload: (payload) => {
				seen.push(payload);
				return { prompt: "HELLO" };
			},
			onResponse: (response) => {
				seen.push(response.status);
			},
		});
		assert.equal(engine.last.request.prompt, "HELLO");
		engine.last.emit({ type: "conversation", id: "c1" });
		await turnOfTheLoop();
		assert.deepEqual(seen, [
			{ prompt: "hello", cwd: process.cwd(), model: "gemini-3.8-flash-medium", conversation: undefined },
			200,
		]);
	});

	test("passes on what the planner and agy have to say beside the answer", async () => {
		const { call, engine, planner, activities, titles, notices } = setUp();
		planner.notices = ["A new conversation was started."];
		const writer = await call([user("go")]);
		engine.last.emit({ type: "activity", doing: "starting" }, { type: "title", text: "Sums" });
		await turnOfTheLoop();
		assert.deepEqual(writer.message.content, [{ type: "thinking", thinking: "A new conversation was started." }]);
		assert.deepEqual(notices, planner.notices, "thinking may be hidden");
		assert.equal(activities[0]?.doing, "starting");
		assert.deepEqual(titles, ["Sums"]);
	});

	test("ends a run that nobody came back to", async () => {
		const { run, call, engine } = await parked();
		await call([user("something else")]);
		assert.equal(run.cancelledBy, "owner-gone");
		assert.equal(engine.runs.length, 2);
	});
});

describe("what cannot be sent is refused at once, without starting agy", () => {
	test("no words", async () => {
		const { call, engine } = setUp();
		const writer = await call([user("  ")]);
		assert.match(writer.message.errorMessage ?? "", /Write a message/);
		assert.equal(engine.runs.length, 0);
	});

	test("a model that does not exist", async () => {
		const { call, engine } = setUp();
		const writer = await call([user("hi")], {}, "gemini-99");
		assert.match(writer.message.errorMessage ?? "", /does not know the model gemini-99.*gemini-3\.8-flash/);
		assert.equal(engine.runs.length, 0);
	});

	test("a directory that is gone", async () => {
		const { session, parts, engine } = setUp();
		const gone: TurnSession = { ...session, cwd: "/no/such/place", display: () => "cards" };
		const stream = createAssistantMessageEventStream();
		const writer = new MessageWriter(stream, model, 0);
		const context = normalizeContext({ messages: [user("hi")] });
		await runTurn(parts, gone, { model, context, options: {}, writer });
		assert.match(writer.message.errorMessage ?? "", /\/no\/such\/place cannot be read/);
		assert.equal(engine.runs.length, 0);
	});

	test("what the planner refuses", async () => {
		const { call, engine, planner } = setUp();
		planner.refuseWith = { kind: "conversation-locked", id: "c9" };
		const writer = await call([user("hi")]);
		assert.match(writer.message.errorMessage ?? "", /Another process is using/);
		assert.equal(engine.runs.length, 0);
	});
});

describe("the results of our cards", () => {
	test("continue the run that waits for them, and never start another", async () => {
		const { run, call, transcript, engine } = await parked();
		const writer = await call(transcript);
		run.emit(tool(2, "done"), text(3, "All passes."));
		run.end();
		await turnOfTheLoop();
		assert.equal(writer.words, "All passes.");
		assert.equal(engine.runs.length, 1);
	});

	test("bring the end of a run that ended meanwhile", async () => {
		const { run, call, transcript, engine } = await parked();
		run.emit(tool(2, "done"), text(3, "Done."));
		run.end({ kind: "failed", failure: { kind: "overloaded" } }, { toolsRan: true });
		await turnOfTheLoop();
		const writer = await call(transcript);
		assert.equal(writer.words, "Done.");
		assert.equal(classify(writer.message.errorMessage ?? ""), "final");
		assert.equal(engine.runs.length, 1);
	});

	test("end with an error when there is no such run", async () => {
		const { transcript } = await parked();
		const { call, engine } = setUp();
		const writer = await call(transcript);
		assert.match(writer.message.errorMessage ?? "", /no longer running/);
		assert.equal(engine.runs.length, 0);
	});

	test("with no run and new words are a new turn", async () => {
		const { transcript } = await parked();
		const { call, engine } = setUp();
		await call([...transcript, user("go on")]);
		assert.equal(engine.last.request.prompt, "go on");
	});

	test("of a foreign tool are a new turn too", async () => {
		const { call, engine } = setUp();
		const foreign: Message = {
			role: "toolResult",
			toolCallId: "x",
			toolName: "read",
			content: [],
			isError: false,
			timestamp: 0,
		};
		await call([user("read it"), fauxAssistantMessage("reading"), foreign]);
		assert.equal(engine.runs.length, 1);
	});

	test("that pi never executed are a veto", async () => {
		const { call, engine, planner } = setUp();
		const first = await call([user("go")]);
		engine.last.emit(tool(2, "running"), generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		const blocked = results(first.message).map((result) => ({
			...result,
			content: [{ type: "text" as const, text: "not on my watch" }],
		}));
		const writer = await call([user("go"), first.message, ...(blocked as Message[])]);
		assert.equal(engine.last.cancelledBy, "veto");
		assert.match(writer.message.errorMessage ?? "", /"run npm test" \(not on my watch\).*already begun/);
		assert.equal(planner.ends.length, 1);
		assert.equal(engine.runs.length, 1);
	});
});

test("words that come with the results interrupt agy and start a new run, with what was said kept", async () => {
	const { run, call, transcript, engine, planner } = await parked();
	run.emit(tool(2, "done"), text(3, "Now I will delete "), tool(4, "running", { summary: "rm -rf dist" }));
	await turnOfTheLoop();
	const writer = await call([...transcript, user("stop, only list them")]);
	assert.equal(run.cancelledBy, "steering");
	assert.equal(engine.last.request.prompt, "stop, only list them");
	engine.last.emit(text(7, "Here they are."));
	engine.last.end();
	await turnOfTheLoop();
	assert.deepEqual(writer.message.content, [
		{ type: "text", text: "Now I will delete " },
		{ type: "thinking", thinking: "run rm -rf dist" },
		{ type: "text", text: "Here they are." },
	]);
	assert.deepEqual(
		planner.ends.map(({ end }) => end.outcome.kind),
		["cancelled", "answered"],
	);
	assert.equal(CARD_TOOL, "agy_step");
});

describe("an abort", () => {
	test("while the turn is planned starts nothing", async () => {
		const { parts, session, engine, planner } = setUp();
		const writer = new MessageWriter(createAssistantMessageEventStream(), model, 0);
		const context = normalizeContext({ messages: [user("go")] });
		const running = runTurn(parts, session, { model, context, options: {}, writer });
		writer.abort();
		await running;
		assert.equal(engine.runs.length, 0);
		assert.equal(planner.ends.length, planner.planned.length);
	});

	test("stops agy also after the message ended with a card", async () => {
		const { call, engine, session } = setUp();
		const controller = new AbortController();
		await call([user("go")], { signal: controller.signal });
		engine.last.emit(tool(2, "running"), generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		controller.abort();
		assert.equal(engine.last.cancelledBy, "user");
		await session.runs.current?.closed;
	});
});

describe("a call that is no turn", () => {
	test("runs words-only, without cards, and is thrown away", async () => {
		const { parts, session, engine, planner } = setUp();
		const writer = new MessageWriter(createAssistantMessageEventStream(), model, 0);
		const context = normalizeContext({ messages: [user("Summarise.")] });
		await runWordsOnly(parts, session, { model, context, options: {}, writer });
		assert.equal(engine.last.request.purpose, "words-only");
		assert.equal(engine.last.request.permissions, "deny");
		engine.last.emit(tool(2, "done"), text(3, "A summary."));
		engine.last.end();
		await turnOfTheLoop();
		assert.deepEqual(writer.message.content, [{ type: "text", text: "A summary." }]);
		assert.equal(planner.discarded, 1);
		assert.equal(session.runs.current, undefined);
	});

	test("ends with pi", async () => {
		const { parts, session, engine } = setUp();
		const writer = new MessageWriter(createAssistantMessageEventStream(), model, 0);
		const context = normalizeContext({ messages: [user("Summarise.")] });
		await runWordsOnly(parts, session, { model, context, options: {}, writer });
		await session.runs.shutDown();
		assert.equal(engine.last.cancelledBy, "shutdown");
		assert.equal(writer.message.stopReason, "aborted");
	});
});
