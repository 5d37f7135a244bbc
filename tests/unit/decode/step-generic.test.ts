import assert from "node:assert/strict";
import { test } from "node:test";
import { encode, type Plain, wrapStep } from "../../support/agy-proto.ts";
import { calling, rawField, STATUS, toolOf } from "./step-rows.ts";

test("a generic tool: its call, its result, its title, its progress and its pictures", () => {
	const stepRenderInfo = { titlePrefix: "Listed", title: "3 subagents", progress: { progress: 1, progressTotal: 3 } };
	const media = [
		{ mimeType: "image/png", uri: "file:///t/a.png" },
		{ mimeType: "text/plain", uri: "file:///t/b.txt" },
	];
	const body = toolOf({
		type: 132,
		metadata: calling("manage_subagents", { Action: "list" }),
		generic: { args: { Action: "list" }, result: { result: "three", stepRenderInfo, media } },
	});
	assert.deepEqual([body.toolKind, body.name, body.summary], ["other", "manage_subagents", "Listed 3 subagents"]);
	assert.deepEqual([body.output, body.progress, body.imagePaths], ["three", "1/3", ["/t/a.png"]]);
	assert.deepEqual(body.args, { Action: "list" });
});

test("a generic tool without a call has the arguments of its step; without a title, agy's label", () => {
	const body = toolOf({ type: 132, metadata: { toolSummary: "Check it" }, generic: { args: { A: "1" } } });
	assert.deepEqual([body.name, body.args, body.summary, body.output], ["generic", { A: "1" }, "Check it", undefined]);
	const rendered = { result: { stepRenderInfo: { markdown: "- a list" } } };
	assert.equal(toolOf({ type: 132, generic: rendered }).output, "- a list");
});

test("a built-in tool that runs as a generic step is known by its name", () => {
	const generic = { args: { CommandLine: "ls", Cwd: "/r" } };
	const body = toolOf({ type: 132, status: STATUS.running, metadata: { toolCall: { name: "run_command" } }, generic });
	assert.deepEqual([body.toolKind, body.summary, body.args], ["command", "ls", { CommandLine: "ls", Cwd: "/r" }]);
	const args = { TargetFile: "/r/a", TargetContent: "1", ReplacementContent: "2" };
	const edit = toolOf({ type: 132, metadata: calling("replace_file_content", args), generic: {} });
	assert.deepEqual([edit.toolKind, edit.diff?.path, edit.diff?.added, edit.diff?.removed], ["edit", "/r/a", 1, 1]);
	const created = toolOf({
		type: 132,
		metadata: { toolCall: { name: "write_to_file" } },
		generic: { args: { TargetFile: "/n", CodeContent: "x" } },
	});
	assert.deepEqual([created.diff?.change, created.diff?.added], ["created", 1]);
	const overwritten = { TargetFile: "/n", CodeContent: "x", Overwrite: "true" };
	const other = toolOf({
		type: 132,
		metadata: { toolCall: { name: "write_to_file" } },
		generic: { args: overwritten },
	});
	assert.deepEqual(other.diff, { path: "/n", change: "edited", added: 0, removed: 0 });
});

test("arguments that are nested beyond use count as none", () => {
	const call = (depth: number) => ({ name: "x", argumentsJson: `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}` });
	const argsAt = (depth: number) => toolOf({ type: 132, metadata: { toolCall: call(depth) } }).args;
	assert.deepEqual(Object.keys(argsAt(100)), ["a"]);
	assert.deepEqual(argsAt(5_000), {});
});

function wrapping(inner: Plain, outer: Plain & { status?: number } = {}, typeUrl?: string) {
	const payload = { ...wrapStep(inner), ...(typeUrl === undefined ? {} : { typeUrl }) };
	const generic = { args: { FromWrapper: "yes" }, result: { result: "text of the wrapper", payload } };
	return toolOf({ type: 132, generic, ...outer });
}

test("a wrapped step is read as if it were the row, with the row's status and metadata", () => {
	const runCommand = { commandLine: "make", combinedOutput: { full: "built" } };
	const inner = { type: 21, status: 1, metadata: calling("inner", { A: 1 }), runCommand };
	const done = wrapping(inner, { metadata: calling("run_command", { CommandLine: "make" }) });
	assert.deepEqual([done.toolKind, done.name, done.callId], ["command", "run_command", "call-1"]);
	assert.deepEqual([done.summary, done.output, done.exitCode], ["make", "built", 0]);
	assert.deepEqual(done.args, { CommandLine: "make" });
	assert.equal(wrapping(inner, { status: STATUS.running }).exitCode, undefined);
});

test("what the wrapped step leaves out, the wrapper and the row fill in", () => {
	const bare = wrapping({ type: 21, runCommand: {} });
	assert.deepEqual([bare.name, bare.output, bare.args], ["run_command", "text of the wrapper", { FromWrapper: "yes" }]);
	const inner = {
		type: 21,
		metadata: calling("run_command", {}),
		error: { shortError: "broken" },
		taskDetails: { id: "t1" },
	};
	const kept = wrapping(inner);
	assert.deepEqual([kept.callId, kept.error?.message, kept.task?.id], ["call-1", "broken", "t1"]);
	assert.equal(wrapping(inner, { error: { shortError: "outer" } }).error?.message, "outer");
});

test("a wrapped edit has its diff", () => {
	const lines = [{ text: "hi", type: 1 }];
	const edit = { absoluteUri: "file:///r/a", createFile: true, diff: { unifiedDiff: { lines } } };
	const body = wrapping({ type: 5, codeAction: { actionResult: { edit } } });
	assert.deepEqual([body.diff?.change, body.diff?.path, body.diff?.added], ["created", "/r/a", 1]);
});

test("the type may be written with another prefix; another type, or a step that is no tool, is not unwrapped", () => {
	const inner = { type: 21, runCommand: { commandLine: "make" } };
	assert.equal(wrapping(inner, {}, "type.googleapis.com/exa.gemini_coder.Step").toolKind, "command");
	for (const body of [
		wrapping(inner, {}, "type.googleapis.com/other.Step"),
		wrapping({ type: 15 }),
		wrapping({ type: 250 }),
	]) {
		assert.deepEqual([body.toolKind, body.name, body.output], ["other", "generic", "text of the wrapper"]);
	}
});

test("a wrapper in a wrapper is opened; a hundred of them end somewhere", () => {
	const wrap = (inner: Plain) => ({ type: 132, generic: { result: { payload: wrapStep(inner) } } });
	const command = { type: 21, runCommand: { commandLine: "deep" } };
	assert.equal(toolOf(wrap(wrap(command))).summary, "deep");
	let deep: Plain & { type: number } = command;
	for (let depth = 0; depth < 100; depth++) deep = wrap(deep);
	assert.equal(toolOf(deep).toolKind, "other");
});

test("an MCP call: server, tool, arguments, result, progress and pictures", () => {
	const mcpTool = {
		serverName: "github",
		toolCall: { name: "list_issues", argumentsJson: '{"state":"open"}' },
		resultString: "12 issues",
		progress: 3,
		progressTotal: 10,
		progressMessage: "fetching",
		media: [{ mimeType: "image/png", uri: "file:///t/m.png" }],
		images: [{ uri: "/t/i.png" }, { base64Data: "…" }, { uri: "https://x.example/i.png" }],
	};
	const body = toolOf({ type: 38, mcpTool });
	assert.deepEqual([body.toolKind, body.name, body.summary], ["mcp", "call_mcp_tool", "github/list_issues"]);
	assert.deepEqual(body.mcp, { server: "github", tool: "list_issues" });
	assert.deepEqual(body.args, { ServerName: "github", ToolName: "list_issues", Arguments: { state: "open" } });
	assert.deepEqual([body.output, body.progress], ["12 issues", "3/10 fetching"]);
	assert.deepEqual(body.imagePaths, ["/t/i.png", "/t/m.png"]);
	const withUri = { serverName: "s", progress: 0.333333, resultUri: "file:///t/result.txt" };
	const stored = toolOf({ type: 38, mcpTool: withUri });
	assert.deepEqual([stored.output, stored.progress, stored.mcp], ["/t/result.txt", "0.33", { server: "s", tool: "" }]);
	const refused = toolOf({ type: 38, mcpTool: { ...mcpTool, userRejected: true } });
	assert.deepEqual(refused.error?.denied, { by: "permission", action: "mcp", target: "github/list_issues" });
});

test("an MCP call that has only begun, or runs as a generic step, is known by its arguments", () => {
	const metadata = calling("call_mcp_tool", { ServerName: "github", ToolName: "list_issues", Arguments: {} });
	for (const body of [toolOf({ type: 38, status: STATUS.pending, metadata }), toolOf({ type: 132, metadata })]) {
		assert.deepEqual(body.mcp, { server: "github", tool: "list_issues" });
		assert.deepEqual([body.toolKind, body.summary], ["mcp", "github/list_issues"]);
	}
});

test("subagents: their conversations with their roles", () => {
	const invokeSubagent = {
		subagents: [{ role: "Reviewer", initialPrompt: "Look" }, { typeName: "tester" }],
		results: [{ conversationId: "c1" }, { conversationId: "c2" }, { conversationId: "c3" }, {}],
	};
	const body = toolOf({ type: 127, invokeSubagent });
	assert.deepEqual([body.toolKind, body.name, body.summary], ["subagent", "invoke_subagent", "Reviewer, tester"]);
	assert.deepEqual(body.subagents, [
		{ conversationId: "c1", role: "Reviewer" },
		{ conversationId: "c2", role: "tester" },
		{ conversationId: "c3", role: undefined },
	]);
	const older = toolOf({ type: 127, invokeSubagent: { subagentName: "helper", prompt: "Do", conversationId: "c9" } });
	assert.deepEqual(older.subagents, [{ conversationId: "c9", role: "helper" }]);
});

test("subagents of a generic step are told in its result", () => {
	const started = (result: string) =>
		toolOf({ type: 132, metadata: calling("invoke_subagent", {}), generic: { result: { result } } }).subagents;
	const role = "Reviewer";
	assert.deepEqual(started(`Started:\n${JSON.stringify([{ role, conversationId: "c1" }, { name: "no id" }])}`), [
		{ conversationId: "c1", role },
	]);
	assert.deepEqual(started('{"conversation_id":"c2"}'), [{ conversationId: "c2", role: undefined }]);
	assert.deepEqual([started("no JSON"), started("[broken"), started("{}"), started("[1,null]")], [[], [], [], []]);
});

test("a picture that was made: the file, else the paths the step names", () => {
	const generateImage = {
		prompt: "a cat",
		imageName: "cat",
		imagePaths: ["/in.png"],
		generatedMedia: { uri: "file:///out.png" },
	};
	const body = toolOf({ type: 91, generateImage });
	assert.deepEqual(
		[body.toolKind, body.name, body.summary, body.imagePaths],
		["image", "generate_image", "cat", ["/out.png"]],
	);
	assert.deepEqual(
		toolOf({ type: 91, generateImage: { prompt: "a dog", imagePaths: ["/a.png", "junk"] } }).imagePaths,
		["/a.png"],
	);
	assert.equal(toolOf({ type: 91, generateImage: { prompt: "a dog" } }).summary, "a dog");
});

test("the task list, a note for the user, a wait, an agency call, a tool search", () => {
	const task = toolOf({ type: 81, taskBoundary: { taskName: "Fix it", taskStatus: "reading", taskSummary: "So far" } });
	assert.deepEqual([task.name, task.summary, task.output], ["task_boundary", "Fix it: reading", "So far"]);
	const note = toolOf({ type: 82, notifyUser: { notificationContent: "Please look\nat this" } });
	assert.deepEqual([note.name, note.summary, note.output], ["notify_user", "Please look …", "Please look\nat this"]);
	const wait = toolOf({ type: 102, wait: { durationMs: 1500n } });
	assert.deepEqual([wait.summary, wait.args], ["1.5 s", { DurationMs: 1500 }]);
	const agency = toolOf({ type: 103 }, rawField(116, { 1: "builder", 2: "compile" }));
	assert.deepEqual([agency.name, agency.summary], ["agency_tool_call", "builder.compile"]);
	assert.deepEqual(agency.args, { AgentName: "builder", FunctionName: "compile" });
	assert.equal(toolOf({ type: 140 }, rawField(157, { 1: "find_tool" })).summary, "find_tool");
});

test("an agency call may hold a wrapped step in its response", () => {
	const step = encode("Step", { type: 21, runCommand: { commandLine: "make", combinedOutput: { full: "built" } } });
	const any = Buffer.concat([
		rawField(1, new TextEncoder().encode("type.googleapis.com/gemini_coder.Step")),
		rawField(2, step),
	]);
	const body = toolOf({ type: 103 }, rawField(116, { 1: "builder", 4: any }));
	assert.deepEqual([body.toolKind, body.summary, body.output], ["command", "make", "built"]);
});
