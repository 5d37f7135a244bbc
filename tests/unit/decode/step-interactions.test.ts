import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plain } from "../../support/agy-proto.ts";
import { calling, rawField, STATUS, toolOf } from "./step-rows.ts";

/** Not what could be guessed from the tool. */
const resource = { action: "unsandboxed", target: "npm" };
const permission = {
	resource,
	suggestedPersistPattern: "npm *",
	actionDescription: "Running the tests",
};
const requestedInteraction = { permission };
const command = { type: 21, runCommand: { commandLine: "npm test" } };

test("a step waits for permission while its status says so, and no longer", () => {
	const waiting = toolOf({ ...command, status: STATUS.waiting, requestedInteraction });
	const description = "Running the tests";
	assert.deepEqual(waiting.wait, { for: "permission", ...resource, description });
	for (const status of [STATUS.running, STATUS.done, STATUS.error]) {
		assert.equal(toolOf({ ...command, status, requestedInteraction }).wait, undefined);
	}
});

test("a request that does not spell out what it is for is told by its tool", () => {
	const wait = (step: Plain & { type: number }, extra?: Uint8Array) =>
		toolOf({ ...step, status: STATUS.waiting }, extra).wait;
	const asked = (action: string, target: string) => ({ for: "permission", action, target });
	const request = (field: number) => rawField(56, rawField(field, {}));
	assert.deepEqual(wait(command, request(3)), asked("command", "npm test"));
	assert.deepEqual(wait(command), asked("command", "npm test"));
	const mcpTool = { serverName: "github", toolCall: { name: "list_issues" } };
	assert.deepEqual(wait({ type: 38, mcpTool }, request(18)), asked("mcp", "github/list_issues"));
	const page = { type: 31, readUrlContent: { url: "https://d.example/" } };
	assert.deepEqual(wait(page, request(17)), asked("read_url", "https://d.example/"));
	const filePermission = { absolutePathUri: "file:///etc/hosts" };
	const view = { type: 8, viewFile: { absolutePathUri: "file:///etc" } };
	assert.deepEqual(wait({ ...view, requestedInteraction: { filePermission } }), asked("read_file", "/etc/hosts"));
	const filePermissionRequest = { absolutePathUri: "file:///etc/passwd" };
	assert.deepEqual(wait({ type: 8, viewFile: { filePermissionRequest } }), asked("read_file", "/etc/passwd"));
	assert.deepEqual(wait({ type: 5, codeAction: { filePermissionRequest } }), asked("write_file", "/etc/passwd"));
	assert.deepEqual(wait({ type: 250, metadata: calling("new_tool", { Url: "u" }) }), asked("new_tool", "u"));
	const bare = { permission: { reason: "Outside of the workspace" } };
	assert.deepEqual(wait({ ...command, requestedInteraction: bare }), {
		...asked("command", "npm test"),
		description: "Outside of the workspace",
	});
});

const questions = [
	{
		question: "Which?",
		options: [
			{ id: "1", text: "This" },
			{ id: "2", text: "That" },
		],
	},
	{
		question: "Why?",
		isMultiSelect: true,
		options: [
			{ id: "1", text: "Fast" },
			{ id: "2", text: "Small" },
		],
	},
];

test("a question waits for an answer", () => {
	const body = toolOf({ type: 138, status: STATUS.waiting, askQuestion: { questions } });
	assert.deepEqual([body.toolKind, body.name, body.summary], ["question", "ask_question", "Which? (+1)"]);
	assert.deepEqual(body.wait, { for: "answer", question: "Which? (+1)" });
	assert.deepEqual(body.questions, [
		{ question: "Which?", answers: [] },
		{ question: "Why?", answers: [] },
	]);
	assert.equal(body.output, undefined);
	const requested = toolOf({ type: 132, status: STATUS.waiting, requestedInteraction: { askQuestion: { questions } } });
	assert.deepEqual(requested.wait, { for: "answer", question: "Which?" });
	assert.equal(requested.questions.length, 2);
	const elicitation = { message: "Your name?", serverName: "s" };
	const mcp = toolOf({ type: 38, status: STATUS.waiting, requestedInteraction: { elicitation } });
	assert.deepEqual(mcp.wait, { for: "answer", question: "Your name?" });
});

test("answers are found by question, told in the words of the options, written ones too", () => {
	const responses = [
		{ question: "Why?", selectedOptionIds: ["2", "1"], writeInResponse: "and cheap" },
		{ question: "Which?", selectedOptionIds: ["9"] },
	];
	const completedInteractions = [{ response: { askQuestion: { responses } } }];
	const body = toolOf({ type: 138, askQuestion: { questions }, completedInteractions });
	assert.deepEqual(body.questions, [
		{ question: "Which?", answers: ["9"] },
		{ question: "Why?", answers: ["Small", "Fast", "and cheap"] },
	]);
	assert.equal(body.output, "Which?\n→ 9\nWhy?\n→ Small, Fast, and cheap");
	assert.equal(body.error, undefined);
});

test("answers may stand in the question itself; a skipped one has none", () => {
	const answered = [
		{ ...questions[0], selectedOptionIds: ["2"] },
		{ ...questions[1], selectedOptionIds: ["1"], skipped: true },
	];
	assert.deepEqual(toolOf({ type: 138, askQuestion: { questions: answered } }).questions, [
		{ question: "Which?", answers: ["That"] },
		{ question: "Why?", answers: [] },
	]);
});

test("a wrapped question is answered like one of its own", () => {
	const completedInteractions = [{ response: { askQuestion: { responses: [{ selectedOptionIds: ["1"] }] } } }];
	const body = toolOf({ type: 132, requestedInteraction: { askQuestion: { questions } }, completedInteractions });
	assert.deepEqual(body.questions[0], { question: "Which?", answers: ["This"] });
});

test("a failed tool: the words for a person first, everything else as detail", () => {
	const error = { userErrorMessage: "Could not run", shortError: "short", fullError: "full story", details: "{}" };
	const body = toolOf({ ...command, status: STATUS.error, error });
	assert.deepEqual(body.error, { message: "Could not run", detail: "full story" });
	const short = toolOf({ ...command, status: STATUS.error, error: { shortError: "short" } });
	assert.deepEqual(short.error, { message: "short" });
	assert.deepEqual(toolOf({ ...command, status: STATUS.error, error: { fullError: "full" } }).error, {
		message: "full",
	});
	const silent = toolOf({ ...command, status: STATUS.error });
	assert.deepEqual(silent.error, { message: "The step failed; agy recorded no reason." });
	assert.equal(toolOf({ ...command, status: STATUS.cancelled }).error, undefined);
});

const denied = { by: "permission", action: "command", target: "npm test" };

test("a refusal by flag, by decision, or by the answer to the request", () => {
	const refusals: Plain[] = [
		{ runCommand: { commandLine: "npm test", userRejected: true } },
		...[2, 4, 6, 8].map((autoRunDecision) => ({ runCommand: { commandLine: "npm test", autoRunDecision } })),
		{ completedInteractions: [{ response: { permission: {} } }] },
		{ completedInteractions: [{ response: { filePermission: { allow: false } } }] },
		{ completedInteractions: [{ response: { timedOut: true } }] },
		{ completedInteractions: [{ response: { permission: { allow: true } } }, { response: { permission: {} } }] },
	];
	for (const refusal of refusals) {
		const { error, exitCode } = toolOf({ ...command, ...refusal });
		assert.deepEqual(error, { message: "Permission denied: command npm test", denied }, JSON.stringify(refusal));
		assert.equal(exitCode, undefined);
	}
});

test("a refusal names what was asked for where the request says it", () => {
	const step = { ...command, requestedInteraction, completedInteractions: [{ response: { permission: {} } }] };
	assert.deepEqual(toolOf(step).error, {
		message: "Permission denied: unsandboxed npm",
		denied: { by: "permission", ...resource },
	});
});

test("an allowed call is not refused, nor is one that was asked again", () => {
	const allowed: Plain[] = [
		...[0, 1, 3, 5, 7].map((autoRunDecision) => ({ runCommand: { autoRunDecision } })),
		{ requestedInteraction, completedInteractions: [{ response: { permission: { allow: true } } }] },
		{ completedInteractions: [{ response: { permission: {} } }, { response: { permission: { allow: true } } }] },
		{ completedInteractions: [{ response: { askQuestion: { cancelled: true } } }] },
		{ completedInteractions: [{ request: requestedInteraction }] },
	];
	for (const step of allowed) assert.equal(toolOf({ ...command, ...step }).error, undefined, JSON.stringify(step));
});

test("a refusal told in words", () => {
	const words = (fullError: string) => toolOf({ ...command, status: STATUS.error, error: { fullError } }).error?.denied;
	for (const text of [
		"User denied permission to run command: npm test",
		"Permission denied by rule",
		'a tool required the "command" permission that headless mode cannot prompt for, so it was auto-denied',
	]) {
		assert.deepEqual(words(text), denied, text);
	}
	assert.deepEqual(words("Tool call denied by jsonhook__guard_PreToolUse_0_0: not on Fridays"), { by: "hook" });
	assert.deepEqual(words("tool call denied by pre-tool hook:"), { by: "hook" });
});

test("a file that the operating system refuses is a failure, no refusal of agy's", () => {
	const error = { fullError: "failed to read file: open /root/secret: permission denied" };
	const body = toolOf({ type: 8, status: STATUS.error, viewFile: { absolutePathUri: "file:///root/secret" }, error });
	assert.deepEqual(body.error, { message: error.fullError });
});
