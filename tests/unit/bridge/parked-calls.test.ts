import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type CallResult, LONGEST_WAIT_MS, ParkedCalls, type Reply } from "../../../src/bridge/parked-calls.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const LIMIT_MS = 150_000;

function begin() {
	const clock = new FakeClock();
	let number = 0;
	const calls = new ParkedCalls({ clock, answerAfterMs: LIMIT_MS, newId: () => `id-${++number}` });
	return { clock, calls };
}

/** Parks a call and keeps what it is answered. */
function ask(calls: ParkedCalls, tool = "search", args = {}) {
	const replies: Reply[] = [];
	return { ...calls.park(tool, args, (reply) => replies.push(reply)), replies };
}

function waitFor(calls: ParkedCalls, handle: string) {
	const replies: Reply[] = [];
	const drop = calls.wait(handle, (reply) => replies.push(reply));
	return { replies, drop };
}

function result(text: string): CallResult {
	return { content: [{ type: "text", text }], isError: false };
}

function handleOf(reply: Reply | undefined): string {
	if (reply?.kind !== "still-running") assert.fail(`not a handle: ${reply?.kind}`);
	return reply.handle;
}

describe("a call", () => {
	test("is answered by its result, whatever the order", () => {
		const { calls } = begin();
		const asked = ["a", "b", "c"].map((query) => ask(calls, "search", { query }));
		for (const { call } of asked) assert.ok(calls.begin(call.id));
		for (const { call } of asked.toReversed()) calls.finish(call.id, result(`for ${call.args.query}`));
		assert.deepEqual(
			asked.map(({ replies }) => replies),
			["a", "b", "c"].map((query) => [{ kind: "result", result: result(`for ${query}`) }]),
		);
		assert.deepEqual(calls.undelivered(), []);
	});

	test("is answered once: later results and results of nobody's calls change nothing", () => {
		const { calls, clock } = begin();
		const { call, replies } = ask(calls);
		calls.begin(call.id);
		calls.finish(call.id, result("first"));
		calls.finish(call.id, result("second"));
		calls.finish("somebody else's", result("?"));
		clock.advance(LIMIT_MS * 2);
		assert.deepEqual(replies, [{ kind: "result", result: result("first") }]);
		assert.equal(clock.pending, 0);
	});

	test("that agy takes back before pi has it never runs", () => {
		const { calls } = begin();
		const { call, drop } = ask(calls);
		drop();
		assert.equal(calls.begin(call.id), false);
		assert.equal(calls.has(call.id), false);
	});

	test("that agy lost while pi runs it is joined by the same call again", () => {
		const { calls } = begin();
		const first = ask(calls, "search", { query: "x" });
		calls.begin(first.call.id);
		first.drop();
		const other = ask(calls, "search", { query: "y" });
		const again = ask(calls, "search", { query: "x" });
		assert.equal(other.isNew, true);
		assert.equal(again.isNew, false);
		assert.equal(again.call.id, first.call.id);
		calls.finish(first.call.id, result("found"));
		assert.deepEqual(again.replies, [{ kind: "result", result: result("found") }]);
		assert.deepEqual(first.replies, []);
	});

	test("that equals one which is being waited for is a call of its own", () => {
		const { calls } = begin();
		const first = ask(calls);
		calls.begin(first.call.id);
		assert.equal(ask(calls).isNew, true);
	});
});

describe("a call that takes long", () => {
	test("is answered with a handle just before the limit, and goes on", () => {
		const { calls, clock } = begin();
		const { call, replies } = ask(calls);
		calls.begin(call.id);
		clock.advance(LIMIT_MS - 1);
		assert.deepEqual(replies, []);
		clock.advance(1);
		const handle = handleOf(replies[0]);

		const waiting = waitFor(calls, handle);
		clock.advance(LIMIT_MS);
		assert.equal(handleOf(waiting.replies[0]), handle);
		const again = waitFor(calls, handle);
		calls.finish(call.id, result("at last"));
		assert.deepEqual(again.replies, [{ kind: "result", result: result("at last") }]);
		assert.deepEqual(calls.undelivered(), []);
	});

	test("gives its result to a wait that comes after it", () => {
		const { calls, clock } = begin();
		const { call, replies } = ask(calls);
		calls.begin(call.id);
		clock.advance(LIMIT_MS);
		calls.finish(call.id, result("done"));
		assert.equal(replies.length, 1);
		assert.deepEqual(waitFor(calls, handleOf(replies[0])).replies, [{ kind: "result", result: result("done") }]);
	});

	test("is waited for half an hour at most", () => {
		const { calls, clock } = begin();
		const { call, replies } = ask(calls);
		calls.begin(call.id);
		clock.advance(LIMIT_MS);
		const handle = handleOf(replies[0]);
		let rounds = 0;
		for (let last: Reply | undefined; last?.kind !== "too-long"; rounds++) {
			const { replies: answers } = waitFor(calls, handle);
			clock.advance(LIMIT_MS);
			last = answers[0];
			assert.ok(last, "every wait is answered");
		}
		assert.equal(rounds, LONGEST_WAIT_MS / LIMIT_MS - 1);
		assert.deepEqual(waitFor(calls, handle).replies, []);
		clock.advance(0);
		assert.deepEqual(calls.undelivered(), [call]);
	});

	test("is not run again by the same call without the handle", () => {
		const { calls, clock } = begin();
		const first = ask(calls);
		calls.begin(first.call.id);
		clock.advance(LIMIT_MS);
		assert.equal(ask(calls).isNew, false);
	});

	test("cannot be waited for by a handle that nobody gave", () => {
		const { calls } = begin();
		assert.deepEqual(waitFor(calls, "search-1").replies, [{ kind: "unknown-handle", handle: "search-1" }]);
		ask(calls);
		assert.deepEqual(waitFor(calls, "search-1").replies, [{ kind: "unknown-handle", handle: "search-1" }]);
	});
});

describe("the end of the run", () => {
	test("answers everybody who waits as cancelled, and nothing more begins", () => {
		const { calls, clock } = begin();
		const running = ask(calls, "search", { query: "running" });
		const queued = ask(calls, "search", { query: "queued" });
		calls.begin(running.call.id);
		calls.close();
		calls.close();
		assert.deepEqual(running.replies, [{ kind: "cancelled" }]);
		assert.deepEqual(queued.replies, [{ kind: "cancelled" }]);
		assert.equal(calls.begin(queued.call.id), false);
		assert.deepEqual(ask(calls).replies, [{ kind: "cancelled" }]);
		assert.equal(clock.pending, 0);
	});

	test("leaves what pi still runs to be told later", () => {
		const { calls } = begin();
		const { call } = ask(calls);
		ask(calls, "search", { query: "queued" });
		calls.begin(call.id);
		calls.close();
		calls.finish(call.id, result("late"));
		assert.deepEqual(calls.undelivered(), [call]);
	});
});
