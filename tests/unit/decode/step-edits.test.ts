import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileDiff } from "../../../src/engine/events.ts";
import { calling, rawField, STATUS, toolOf } from "./step-rows.ts";

const uri = "file:///repo/src/a%20b.ts";
const path = "/repo/src/a b.ts";
const diff = {
	unifiedDiff: {
		lines: [
			{ text: "same", type: 3 },
			{ text: "old", type: 2 },
			{ text: "new", type: 1 },
			{ type: 1 },
			{ text: "unspecified" },
		],
	},
};
const shown = (lines: FileDiff["lines"]) =>
	lines?.map(({ kind, text }) => ({ context: " ", add: "+", remove: "-" })[kind] + text);

test("an edit: the diff that agy recorded, line by line", () => {
	const body = toolOf({
		type: 5,
		metadata: calling("replace_file_content", { TargetFile: path }),
		codeAction: {
			actionSpec: { command: { isEdit: true, file: { absoluteUri: "file:///not/this" } } },
			actionResult: { edit: { absoluteUri: uri, diff, originalContent: "same\nold\nunspecified" } },
		},
	});
	assert.deepEqual([body.toolKind, body.name, body.summary], ["edit", "replace_file_content", path]);
	assert.equal(body.diff?.path, path);
	assert.equal(body.diff?.change, "edited");
	assert.deepEqual(shown(body.diff?.lines), [" same", "-old", "+new", "+", " unspecified"]);
	assert.deepEqual([body.diff?.added, body.diff?.removed], [2, 1]);
});

test("a new file, by the flag of its result or by the plan while it is still pending", () => {
	const lines = [{ text: "hi", type: 1 }];
	const done = toolOf({
		type: 5,
		codeAction: { actionResult: { edit: { absoluteUri: uri, createFile: true, diff: { unifiedDiff: { lines } } } } },
	});
	assert.deepEqual(done.diff, { path, change: "created", lines: [{ kind: "add", text: "hi" }], added: 1, removed: 0 });
	const pending = toolOf({
		type: 5,
		status: STATUS.pending,
		metadata: calling("write_to_file", { TargetFile: path, CodeContent: "one\r\ntwo\n" }),
		codeAction: { actionSpec: { createFile: { path: { absoluteUri: uri } } } },
	});
	assert.equal(pending.diff?.change, "created");
	assert.deepEqual(shown(pending.diff?.lines), ["+one", "+two"]);
});

test("a file that is overwritten is an edit, compared with what was there", () => {
	const body = toolOf({
		type: 5,
		metadata: calling("write_to_file", { CodeContent: "a\nB\nc\n" }),
		codeAction: {
			actionSpec: { createFile: { path: { absoluteUri: uri }, overwrite: true } },
			actionResult: { edit: { absoluteUri: uri, originalContent: "a\nb\nc\n" } },
		},
	});
	assert.equal(body.diff?.change, "edited");
	assert.deepEqual(shown(body.diff?.lines), [" a", "-b", "+B", " c"]);
});

test("without recorded lines the replaced passages are compared", () => {
	const chunks = [
		{ targetContent: "a\nb\n", replacementContent: "a\nc\n" },
		{ targetContent: "x", replacementContent: "" },
	];
	const spec = { command: { file: { absoluteUri: uri }, replacementChunks: chunks } };
	const body = toolOf({ type: 5, status: STATUS.waiting, codeAction: { actionSpec: spec } });
	assert.deepEqual(shown(body.diff?.lines), [" a", "-b", "+c", "-x"]);
	const args = { TargetFile: path, ReplacementChunks: [{ TargetContent: "p", ReplacementContent: "q" }, "junk"] };
	const called = toolOf({ type: 5, status: STATUS.pending, metadata: calling("multi_replace_file_content", args) });
	assert.deepEqual(shown(called.diff?.lines), ["-p", "+q"]);
});

test("a deleted file loses all its lines, where they are known", () => {
	const actionSpec = { deleteFile: { path: { absoluteUri: uri } } };
	const known = toolOf({ type: 5, codeAction: { actionSpec, actionResult: { edit: { originalContent: "1\n2\n" } } } });
	assert.deepEqual([known.diff?.change, shown(known.diff?.lines)], ["deleted", ["-1", "-2"]]);
	const unknown = toolOf({ type: 5, codeAction: { actionSpec } });
	assert.deepEqual(unknown.diff, { path, change: "deleted", added: 0, removed: 0 });
});

test("a file whose lines are not told has at least agy's own counts", () => {
	const codeAction = { actionResult: { edit: { absoluteUri: uri } }, diffStats: { additions: 12, deletions: 3 } };
	assert.deepEqual(toolOf({ type: 5, codeAction }).diff, { path, change: "edited", added: 12, removed: 3 });
});

test("two huge texts with nothing in common read as one removed and the other added", () => {
	const lines = (prefix: string) => Array.from({ length: 6000 }, (_, i) => `${prefix}${i}`).join("\n");
	const body = toolOf({
		type: 5,
		metadata: calling("write_to_file", { CodeContent: lines("a") }),
		codeAction: { actionResult: { edit: { absoluteUri: uri, originalContent: lines("b") } } },
	});
	assert.deepEqual([body.diff?.removed, body.diff?.added, body.diff?.lines?.length], [6000, 6000, 12_000]);
});

test("an edit that failed changed nothing", () => {
	const actionSpec = { command: { file: { absoluteUri: uri }, replacementChunks: [{ targetContent: "a" }] } };
	for (const status of [STATUS.error, STATUS.cancelled]) {
		assert.equal(toolOf({ type: 5, status, codeAction: { actionSpec } }).diff, undefined);
	}
});

test("a file change: created, edited, deleted", () => {
	const change = (fileChangeType: number) =>
		toolOf({ type: 86, fileChange: { absolutePathUri: uri, fileChangeType, diff } }).diff;
	assert.deepEqual(
		[0, 1, 2, 3, 9].map((type) => change(type)?.change),
		["edited", "created", "edited", "deleted", "edited"],
	);
	assert.equal(change(2)?.added, 2);
	const replacementChunks = [{ targetContent: "a", replacementContent: "b" }];
	const chunks = toolOf({ type: 86, fileChange: { absolutePathUri: uri, replacementChunks } });
	assert.deepEqual(shown(chunks.diff?.lines), ["-a", "+b"]);
	assert.equal(chunks.summary, path);
});

test("a file that is no text has no lines and no counts", () => {
	for (const text of ["\0\x01PNG", "\uFFFD\uFFFDPNG"]) {
		const lines = [{ text, type: 1 }];
		const body = toolOf({
			type: 5,
			codeAction: { actionResult: { edit: { absoluteUri: uri, diff: { unifiedDiff: { lines } } } } },
		});
		assert.deepEqual(body.diff, { path, change: "edited", binary: true, added: 0, removed: 0 });
	}
});

test("a move and a removed directory", () => {
	const moved = toolOf({ type: 87, move: { srcAbsolutePathUri: "file:///a", dstAbsolutePathUri: "file:///b" } });
	assert.equal(moved.summary, "/a → /b");
	assert.deepEqual(moved.diff, { path: "/a", change: "moved", movedTo: "/b", added: 0, removed: 0 });
	const removed = toolOf({ type: 92, deleteDirectory: { directoryPathUri: "file:///d" } });
	assert.equal(removed.summary, "/d");
	assert.deepEqual(removed.diff, { path: "/d", change: "deleted", added: 0, removed: 0 });
	assert.equal(toolOf({ type: 92, status: STATUS.error, deleteDirectory: { directoryPathUri: "/d" } }).diff, undefined);
});

test("binary content: its size, and its failure", () => {
	const body = toolOf({ type: 128 }, rawField(142, { 2: "/repo/logo.png", 4: 2048 }));
	assert.deepEqual([body.toolKind, body.summary, body.output], ["edit", "/repo/logo.png", "2048 bytes written"]);
	assert.equal(toolOf({ type: 128 }, rawField(142, { 3: "disk full" })).error?.message, "disk full");
});

test("paths that are no proper URI stay readable", () => {
	const at = (absoluteUri: string) =>
		toolOf({ type: 5, codeAction: { actionResult: { edit: { absoluteUri } } } }).diff?.path;
	assert.equal(at("/plain/path"), "/plain/path");
	assert.equal(at("file://server/share"), "server/share");
	assert.equal(at("file:///%E0%A4%A"), "/%E0%A4%A");
	assert.equal(at("file:///%E6%BC%A2%E5%AD%97/%23.ts"), "/漢字/#.ts");
});
