import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { ToolResultMessage } from "@earendil-works/pi-ai";
import type { PiCall } from "../../../src/bridge/parked-calls.ts";
import type { BridgedCalls } from "../../../src/bridge/run-tools.ts";
import type { EndEvent, ToolEvent } from "../../../src/engine/events.ts";
import type { StepDisplay } from "../../../src/provider/message-boundary.ts";
import type { MessageWriter } from "../../../src/provider/message-writer.ts";
import { generation, text, tool, usage } from "../../support/fake-engine.ts";
import { beginRun } from "./begin-run.ts";

/** agy's calls, as a test makes them. */
class FakeCalls implements BridgedCalls {
	readonly begun: string[] = [];
	readonly results: ToolResultMessage[] = [];
	readonly dropped = new Set<string>();
	ended = 0;
	remark: string | undefined;
	call: (call: PiCall) => void = () => {};

	onCall(listener: (call: PiCall) => void): void {
		this.call = listener;
	}
	begin(id: string): boolean {
		if (this.dropped.has(id) || this.ended > 0) return false;
		this.begun.push(id);
		return true;
	}
	has(id: string): boolean {
		return this.begun.includes(id);
	}
	finish(result: ToolResultMessage): void {
		this.results.push(result);
	}
	isOwnStep({ mcp }: ToolEvent): boolean {
		return mcp?.server === "pi_tools";
	}
	end(event: EndEvent | undefined): string | undefined {
		this.ended++;
		return event && this.remark;
	}
}

function begin(display: StepDisplay = "cards") {
	const calls = new FakeCalls();
	return { ...beginRun(display, calls), calls };
}

/** What a message holds and how it ended, in short. */
function shown({ message }: MessageWriter): string[] {
	const parts = message.content.map((part) => {
		if (part.type === "toolCall") return `${part.name} ${JSON.stringify(part.arguments)}`;
		return part.type === "text" ? part.text : `(${part.thinking})`;
	});
	return [...parts, message.stopReason];
}

function search(id: string, query = id): PiCall {
	return { id, tool: "search", args: { query } };
}

function ownStep(index: number, state: ToolEvent["state"]): ToolEvent {
	return tool(index, state, { name: "call_mcp_tool", kind: "mcp", mcp: { server: "pi_tools", tool: "search" } });
}

describe("a call of a pi tool", () => {
	test("ends the message as a real tool call, with the words and the usage before it", async () => {
		const { run, calls, message } = begin();
		const writer = message();
		calls.call(search("id-1"));
		run.emit(generation(1, "started"), text(1, "I will search."), ownStep(2, "waiting"));
		await turnOfTheLoop();
		assert.equal(writer.closed, false);
		run.emit(usage(1, { input: 5 }), generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		assert.deepEqual(shown(writer), ["I will search.", 'search {"query":"id-1"}', "toolUse"]);
		assert.equal(writer.message.usage.input, 5);
		assert.deepEqual(calls.begun, ["id-1"]);
	});

	test("need not wait when the model call was seen first", async () => {
		const { run, calls, message } = begin();
		const writer = message();
		run.emit(text(1, "So."), ownStep(2, "running"), generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		calls.call(search("id-1"));
		assert.deepEqual(shown(writer), ["So.", 'search {"query":"id-1"}', "toolUse"]);
	});

	test("waits a moment and no longer for a model call that is never seen", async () => {
		const { clock, calls, message } = begin();
		const writer = message();
		calls.call(search("id-1"));
		clock.advance(200);
		assert.deepEqual(shown(writer), ['search {"query":"id-1"}', "toolUse"]);
	});

	test("is not shown a second time by agy's own step, and the run goes on in the next message", async () => {
		const { run, calls, message } = begin();
		const first = message();
		run.emit(ownStep(2, "running"), generation(1, "done", ["call-2"]));
		await turnOfTheLoop();
		calls.call(search("id-1"));
		assert.ok(first.closed);
		run.emit(ownStep(2, "done"), generation(3, "started"), text(3, "Found."), generation(3, "done", []));
		const second = message();
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(shown(second), ["Found.", "stop"]);
	});

	for (const display of ["cards", "inline", "off"] as const) {
		test(`stands with agy's own steps of the same model call (${display})`, async () => {
			const { run, calls, message } = begin(display);
			const writer = message();
			calls.call(search("id-1"));
			run.emit(tool(2, "running"), ownStep(3, "running"));
			await turnOfTheLoop();
			assert.equal(writer.closed, false);
			calls.call(search("id-2"));
			run.emit(generation(1, "done", ["call-2", "call-3", "call-4"]));
			await turnOfTheLoop();
			const own = {
				cards: ['agy_step {"summary":"npm test","kind":"command","tool":"run_command"}'],
				inline: [],
				off: [],
			};
			const lines = display === "inline" ? ["(run npm test)"] : [];
			const searches = ['search {"query":"id-1"}', 'search {"query":"id-2"}'];
			assert.deepEqual(shown(writer), [...lines, ...own[display], ...searches, "toolUse"]);
		});
	}

	test("that agy took back while the message was gathered does not run, and the message goes on", async () => {
		const { clock, run, calls, message } = begin();
		const writer = message();
		calls.call(search("id-1"));
		calls.dropped.add("id-1");
		clock.advance(200);
		assert.equal(writer.closed, false);
		run.emit(text(1, "Never mind."));
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(shown(writer), ["Never mind.", "stop"]);
	});

	test("that comes with the end of agy does not run", async () => {
		const { run, calls, message } = begin();
		const writer = message();
		run.emit(text(1, "Bye."));
		await turnOfTheLoop();
		run.end();
		calls.call(search("id-1"));
		await turnOfTheLoop();
		assert.deepEqual(shown(writer), ["Bye.", "stop"]);
		assert.deepEqual(calls.begun, []);
	});

	test("that agy took back does not hold back its end", async () => {
		const { run, calls, message } = begin();
		const writer = message();
		run.emit(text(1, "Never mind."));
		await turnOfTheLoop();
		calls.call(search("id-1"));
		calls.dropped.add("id-1");
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(shown(writer), ["Never mind.", "stop"]);
	});

	test("does not run when the message it was to end is aborted", async () => {
		const { live, calls, clock, message } = begin();
		const writer = message();
		calls.call(search("id-1"));
		live.abort();
		clock.advance(1000);
		assert.deepEqual([shown(writer), calls.begun], [["aborted"], []]);
		await live.closed;
	});

	test("that waits in a parked run does not run when that is cancelled, nor does one that comes then", async () => {
		const { clock, live, calls, message, ends } = begin();
		message();
		calls.call(search("id-1"));
		clock.advance(200);
		calls.call(search("id-2"));
		live.cancel("steering");
		calls.call(search("id-3"));
		assert.equal(live.state, "over");
		assert.ok(calls.ended > 0, "whoever waits is answered");
		await live.closed;
		assert.deepEqual([calls.begun, ends.length, clock.pending], [["id-1"], 1, 0]);
	});

	test("that comes while pi runs others waits for the next message, and lets cards go that wait with them", async () => {
		const { clock, run, live, calls, message } = begin();
		const first = message();
		run.emit(tool(2, "running"), generation(1, "done", ["call-2", "call-3"]));
		await turnOfTheLoop();
		calls.call(search("id-1"));
		assert.ok(first.closed);
		calls.call(search("id-2"));
		clock.advance(150);
		const [cardCall] = first.message.content.filter((part) => part.type === "toolCall");
		assert.equal(live.card(cardCall?.id ?? "")?.end, "background");
		const second = message();
		clock.advance(200);
		assert.deepEqual(shown(second), ['search {"query":"id-2"}', "toolUse"]);
	});
});

describe("the end", () => {
	test("of a run that is cancelled answers whoever waits, also while pi runs the tool", async () => {
		const { clock, run, live, calls, message } = begin();
		message();
		calls.call(search("id-1"));
		clock.advance(200);
		const abort = new AbortController();
		live.watch(abort.signal);
		abort.abort();
		assert.ok(calls.ended > 0);
		assert.equal(run.cancelledBy, "user");
		await live.recorded;
	});

	test("of a run that never came for the tools is remarked on", async () => {
		const { run, calls, message } = begin();
		const writer = message();
		calls.remark = "agy did not connect.";
		run.emit(text(1, "Hello."), generation(1, "done", []));
		run.end();
		await turnOfTheLoop();
		assert.deepEqual(shown(writer), ["Hello.", "(agy did not connect.)", "stop"]);
	});
});
