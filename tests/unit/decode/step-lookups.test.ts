import assert from "node:assert/strict";
import { test } from "node:test";
import { calling, toolOf } from "./step-rows.ts";

test("a file that is read: its path, the lines asked for, its text", () => {
	const whole = toolOf({ type: 8, viewFile: { absolutePathUri: "file:///r/a.ts", endLine: 9, content: "text" } });
	assert.deepEqual([whole.toolKind, whole.name, whole.summary, whole.output], ["read", "view_file", "/r/a.ts", "text"]);
	const args = { AbsolutePath: "/r/a.ts", StartLine: 10, EndLine: 20 };
	const part = toolOf({
		type: 8,
		metadata: calling("view_file", args),
		viewFile: { absolutePathUri: "file:///r/a.ts" },
	});
	assert.deepEqual([part.summary, part.output, part.args], ["/r/a.ts:10-20", undefined, args]);
	assert.equal(toolOf({ type: 8, viewFile: { rawContent: "raw" } }).output, "raw");
});

test("a picture that is read is a picture", () => {
	const absolutePathUri = "file:///r/a.png";
	const picture = toolOf({ type: 8, viewFile: { absolutePathUri, mediaData: { mimeType: "image/png" } } });
	assert.deepEqual(picture.imagePaths, ["/r/a.png"]);
	const older = toolOf({ type: 8, viewFile: { absolutePathUri, binaryData: { mimeType: "image/png" } } });
	assert.deepEqual(older.imagePaths, ["/r/a.png"]);
	assert.equal(toolOf({ type: 8, viewFile: { absolutePathUri } }).imagePaths, undefined);
});

test("a directory: its entries, or the older list of names, or that it is not there", () => {
	const results = [
		{ name: "src", isDir: true },
		{ name: "a.ts", sizeBytes: 5n },
	];
	const body = toolOf({ type: 9, listDirectory: { directoryPathUri: "file:///r", results } });
	assert.deepEqual([body.toolKind, body.name, body.summary, body.output], ["list", "list_dir", "/r", "src/\na.ts"]);
	assert.equal(toolOf({ type: 9, listDirectory: { children: ["x", "y"] } }).output, "x\ny");
	const missing = toolOf({ type: 9, listDirectory: { directoryPathUri: "file:///no", dirNotFound: true } });
	assert.deepEqual([missing.output, missing.error], [undefined, { message: "The directory does not exist." }]);
});

test("a search in files: what and where, the hits, what went wrong", () => {
	const grep = { query: "needle", searchPathUri: "file:///r/src" };
	const results = [{ relativePath: "a.ts", lineNumber: 3, content: "a needle" }, { absolutePath: "/r/b.ts" }];
	const body = toolOf({ type: 7, grepSearch: { ...grep, results } });
	assert.deepEqual([body.toolKind, body.name, body.summary], ["grep", "grep_search", '"needle" in /r/src']);
	assert.equal(body.output, "a.ts:3:a needle\n/r/b.ts");
	assert.equal(toolOf({ type: 7, grepSearch: { ...grep, rawOutput: "raw" } }).output, "raw");
	assert.equal(toolOf({ type: 7, grepSearch: { ...grep, grepError: "bad regex" } }).error?.message, "bad regex");
	assert.equal(toolOf({ type: 7, grepSearch: { ...grep, timedOut: true } }).error?.message, "The search timed out.");
	assert.deepEqual(toolOf({ type: 7, grepSearch: grep }).error, undefined);
});

test("a search for files: what and where, the names found, what went wrong", () => {
	const find = { pattern: "*.ts", searchDirectory: "/r", extensions: ["ts"], truncatedOutput: "short" };
	const body = toolOf({ type: 25, find: { ...find, rawOutput: "a.ts\nb.ts" } });
	assert.deepEqual([body.toolKind, body.name, body.summary], ["find", "find_by_name", "*.ts in /r"]);
	assert.deepEqual(body.args, { Pattern: "*.ts", SearchDirectory: "/r", Extensions: ["ts"] });
	assert.equal(body.output, "a.ts\nb.ts");
	assert.equal(toolOf({ type: 25, find }).output, "short");
	assert.equal(toolOf({ type: 25, find: { findError: "no such directory" } }).error?.message, "no such directory");
});

test("a web search: the query, the summary and its sources", () => {
	const webDocuments = [{ title: "Docs", url: "https://d.example" }, { url: "https://e.example" }, {}];
	const body = toolOf({ type: 33, searchWeb: { query: "node sqlite", summary: "It works.", webDocuments } });
	assert.deepEqual([body.toolKind, body.name, body.summary], ["web", "search_web", '"node sqlite"']);
	assert.equal(body.output, "It works.\n\nDocs https://d.example\nhttps://e.example");
	assert.equal(toolOf({ type: 33, searchWeb: { query: "q" } }).output, undefined);
});

test("a page that is read, and one that was refused", () => {
	const page = { url: "https://d.example/", webDocument: { text: "# Docs" } };
	const body = toolOf({ type: 31, readUrlContent: page });
	assert.deepEqual([body.toolKind, body.summary, body.output], ["url", "https://d.example/", "# Docs"]);
	assert.equal(toolOf({ type: 31, readUrlContent: { webDocument: { summary: "short" } } }).output, "short");
	const refused = toolOf({ type: 31, readUrlContent: { url: "https://d.example/", userRejected: true } });
	assert.deepEqual(refused.error, {
		message: "Permission denied: read_url https://d.example/",
		denied: { by: "permission", action: "read_url", target: "https://d.example/" },
	});
});

test("a part of a page, and the browser's tools, are told by their calls", () => {
	const chunk = toolOf({
		type: 32,
		metadata: calling("view_content_chunk", { position: 2 }, { toolSummary: "Part 2" }),
	});
	assert.deepEqual([chunk.toolKind, chunk.name, chunk.summary], ["url", "view_content_chunk", "Part 2"]);
	const click = toolOf({ type: 79, metadata: calling("click_element", { Url: "https://d.example/" }) });
	assert.deepEqual([click.toolKind, click.name, click.summary], ["other", "click_element", "https://d.example/"]);
	const bare = toolOf({ type: 63 });
	assert.deepEqual([bare.toolKind, bare.name, bare.summary], ["other", "capture_browser_screenshot", ""]);
});
