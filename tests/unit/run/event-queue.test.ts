import assert from "node:assert/strict";
import { test } from "node:test";
import { EventQueue } from "../../../src/run/event-queue.ts";

async function collect(queue: EventQueue<string>): Promise<string[]> {
	const items: string[] = [];
	for await (const item of queue) items.push(item);
	return items;
}

test("a late consumer gets everything in order", async () => {
	const queue = new EventQueue<string>();
	queue.push("a");
	queue.push("b");
	queue.end("c");
	assert.deepEqual(await collect(queue), ["a", "b", "c"]);
});

test("a waiting consumer gets each item when it comes", async () => {
	const queue = new EventQueue<string>();
	const iterator = queue[Symbol.asyncIterator]();
	const first = iterator.next();
	const second = iterator.next();
	queue.push("a");
	queue.end("b");
	assert.deepEqual(await Promise.all([first, second, iterator.next()]), [
		{ value: "a", done: false },
		{ value: "b", done: false },
		{ value: undefined, done: true },
	]);
});

test("there is one end, and nothing after it", async () => {
	const queue = new EventQueue<string>();
	assert.equal(queue.end("first"), true);
	assert.equal(queue.end("second"), false);
	queue.push("late");
	assert.equal(queue.ended, true);
	assert.deepEqual(await collect(queue), ["first"]);
});

test("everybody who waits is released by the end", async () => {
	const queue = new EventQueue<string>();
	const iterator = queue[Symbol.asyncIterator]();
	const waiting = [iterator.next(), iterator.next()];
	queue.end("last");
	assert.deepEqual(
		(await Promise.all(waiting)).map(({ done }) => done),
		[false, true],
	);
});

test("a consumer that stops early is reported, one that came to the end is not", async () => {
	let abandoned = 0;
	const left = new EventQueue<string>(() => abandoned++);
	left.push("a");
	for await (const _item of left) break;
	assert.equal(abandoned, 1);

	const finished = new EventQueue<string>(() => abandoned++);
	finished.end("a");
	await collect(finished);
	assert.equal(abandoned, 1);
});

test("a second consumer is refused", () => {
	const queue = new EventQueue<string>();
	queue[Symbol.asyncIterator]();
	assert.throws(() => queue[Symbol.asyncIterator](), /already have a consumer/);
});
