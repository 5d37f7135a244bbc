import assert from "node:assert/strict";
import type { AssistantMessage, AssistantMessageEvent, AssistantMessageEventStream } from "@earendil-works/pi-ai";

/** Everything a stream says until it ends. */
export async function collect(stream: AssistantMessageEventStream): Promise<AssistantMessageEvent[]> {
	const events: AssistantMessageEvent[] = [];
	for await (const event of stream) events.push(event);
	return events;
}

/**
 * Fails unless `events` are one well-formed message: one start, blocks opened and closed once and in order, one end, and the
 * content that the events tell is the message's. A rewrite changes text that was told already; then only blocks' number and
 * kind are compared.
 */
export function checkStream(events: readonly AssistantMessageEvent[], options: { rewrites?: boolean } = {}): void {
	assert.equal(events[0]?.type, "start");
	const last = events.at(-1);
	assert.ok(last?.type === "done" || last?.type === "error", "the last event ends the message");
	const message: AssistantMessage = last.type === "done" ? last.message : last.error;
	assert.equal(message.stopReason, last.reason);
	const told: { kind: string; text: string; closed: boolean }[] = [];
	for (const event of events.slice(1, -1)) {
		assert.ok("contentIndex" in event, `${event.type} within the message`);
		const [kind, phase] = event.type.split("_") as [string, string];
		const block = told[event.contentIndex];
		if (phase === "start") {
			assert.equal(event.contentIndex, told.length, "blocks open in order");
			assert.ok(told.at(-1)?.closed ?? true, "the block before is closed");
			told.push({ kind, text: "", closed: false });
			continue;
		}
		assert.ok(block !== undefined && block.kind === kind && !block.closed, `${event.type} in an open block`);
		if ("delta" in event) block.text += event.delta;
		else block.closed = true;
		if ("content" in event && !options.rewrites) assert.equal(event.content, block.text);
	}
	assert.ok(
		told.every((block) => block.closed),
		"every block is closed",
	);
	const content = message.content.map((block) => {
		if (block.type === "text") return { kind: "text", text: block.text };
		if (block.type === "thinking") return { kind: "thinking", text: block.thinking };
		return { kind: "toolcall", text: JSON.stringify(block.arguments) };
	});
	const expected = told.map(({ kind, text }) => ({ kind, text }));
	if (options.rewrites) assert.deepEqual(content.map(kindOf), expected.map(kindOf));
	else assert.deepEqual(content, expected);
}

function kindOf(block: { kind: string }): string {
	return block.kind;
}
