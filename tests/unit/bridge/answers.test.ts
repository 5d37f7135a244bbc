import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ToolResultMessage } from "@earendil-works/pi-ai";
import { withLateResults } from "../../../src/bridge/late-results.ts";
import { mcpAnswer } from "../../../src/bridge/mcp-answer.ts";
import type { CallResult, Reply } from "../../../src/bridge/parked-calls.ts";

function answer(result: Partial<CallResult>) {
	return mcpAnswer({ kind: "result", result: { content: [], isError: false, ...result } }, "wait");
}

function words(reply: Reply): string {
	const [part] = mcpAnswer(reply, "wait").content;
	return part?.type === "text" ? part.text : "";
}

describe("pi's result, for agy", () => {
	test("keeps text and images in order", () => {
		const content: CallResult["content"] = [
			{ type: "text", text: "a" },
			{ type: "image", data: "aGk=", mimeType: "image/png" },
			{ type: "text", text: "b" },
		];
		assert.deepEqual(answer({ content }), { content });
	});
	test("says that it is an error", () => {
		const content: CallResult["content"] = [{ type: "text", text: "blocked by a hook" }];
		assert.deepEqual(answer({ content, isError: true }), { content, isError: true });
	});
	test("has structured content beside the text, and as text where there is none", () => {
		assert.deepEqual(answer({ content: [{ type: "text", text: "one" }], structuredContent: { hits: 1 } }), {
			content: [{ type: "text", text: "one" }],
			structuredContent: { hits: 1 },
		});
		assert.deepEqual(answer({ structuredContent: { hits: 1 } }).content, [{ type: "text", text: '{"hits":1}' }]);
	});
	test("has structured content that is no object as text only", () => {
		assert.deepEqual(answer({ structuredContent: [1, 2] }), { content: [{ type: "text", text: "[1,2]" }] });
	});
});

test("a handle names the tool to wait with, and which call not to repeat", () => {
	assert.match(
		words({ kind: "still-running", tool: "crawl", handle: "crawl-1" }),
		/"crawl-1".*"wait".*not call crawl again/,
	);
	assert.match(words({ kind: "too-long", tool: "crawl" }), /next message/);
});

test("what went wrong is an error", () => {
	for (const reply of [{ kind: "cancelled" }, { kind: "unknown-handle", handle: "x-9" }] as const) {
		assert.equal(mcpAnswer(reply, "wait").isError, true);
	}
});

describe("results that came too late", () => {
	const call = { id: "id-1", tool: "crawl", args: { site: "example.org" } };
	function resultOf(id: string, text: string, isError = false): ToolResultMessage {
		const content: ToolResultMessage["content"] = [{ type: "text", text }];
		return { role: "toolResult", toolCallId: id, toolName: "crawl", content, isError, timestamp: 0 };
	}

	test("are told with their call", () => {
		const text = withLateResults("go", [call], [resultOf("id-0", "another's"), resultOf("id-1", "ten pages")]);
		assert.match(text, /crawl \{"site":"example.org"\}:\nten pages\n[\s\S]*\ngo$/);
		assert.doesNotMatch(text, /another's/);
	});
	test("say that they failed", () => {
		assert.match(withLateResults("go", [call], [resultOf("id-1", "no network", true)]), /failed:\nno network/);
	});
	test("are nothing when pi has none of them", () => {
		assert.equal(withLateResults("go", [call], []), "go");
		assert.equal(withLateResults("go", [], [resultOf("id-1", "ten pages")]), "go");
	});
	test("are cut when they are long, so that agy takes the prompt with all of them", () => {
		const long = "x".repeat(1_000_000);
		assert.ok(withLateResults("go", [call], [resultOf("id-1", long)]).length < 10_000);
		const many = Array.from({ length: 8 }, (_, index) => ({ ...call, id: `id-${index}` }));
		const results = many.map(({ id }) => resultOf(id, long));
		for (const prompt of ["go", "y".repeat(18_000)]) {
			const text = withLateResults(prompt, many, results);
			assert.ok(text.length <= 25_000, `${text.length}`);
			assert.equal(text.match(/crawl/g)?.length, 8);
		}
	});
});
