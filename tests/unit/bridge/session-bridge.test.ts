import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { normalizeContext, type ToolResultMessage, type TranscriptContext } from "@earendil-works/pi-ai";
import { LoopGuard } from "../../../src/bridge/loop-guard.ts";
import { BridgeServer } from "../../../src/bridge/server.ts";
import { SessionBridge } from "../../../src/bridge/session-bridge.ts";
import { defaultSettings, type Settings } from "../../../src/config/schema.ts";
import type { RunRequest } from "../../../src/engine/engine.ts";
import type { EndEvent } from "../../../src/engine/events.ts";
import { silentLog } from "../../../src/engine/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { FakeEngine, tool } from "../../support/fake-engine.ts";
import { runRequest } from "../../support/run-request.ts";

const REQUEST = runRequest({ prompt: "go" });
const ANSWERED: EndEvent = {
	type: "end",
	outcome: { kind: "answered" },
	progress: { lastStep: 1, promptSeen: true, toolsRan: false, textSeen: true },
};

function begin(t: TestContext, changes: Partial<Settings> = {}) {
	const clock = new FakeClock();
	const server = new BridgeServer(clock);
	const active = new Set(["read", "search"]);
	const env: NodeJS.ProcessEnv = {};
	const guard = new LoopGuard(env);
	const settings = () => ({ ...defaultSettings, ...changes });
	const activeTools = () => [...active];
	const bridge = new SessionBridge({ server, guard, settings, clock, log: silentLog, activeTools });
	t.after(async () => {
		bridge.close();
		await server.close();
	});
	return { bridge, active, guard, clock };
}

function context(results: ToolResultMessage[] = []): TranscriptContext {
	const parameters = { type: "object", properties: {} };
	const tools = ["read", "search"].map((name) => ({ name, description: `${name}s`, parameters }));
	return normalizeContext({ systemPrompt: "", messages: results, tools });
}

function resultOf(id: string, text: string): ToolResultMessage {
	const content: ToolResultMessage["content"] = [{ type: "text", text }];
	return { role: "toolResult", toolCallId: id, toolName: "search", content, isError: false, timestamp: 0 };
}

const never = new AbortController().signal;

describe("a turn's request", () => {
	test("gets a server for the tools that are offered", async (t) => {
		const { bridge } = begin(t);
		const { request, tools } = await bridge.prepareRun(REQUEST, context());
		assert.match(request.toolServer?.url("workspace-file") ?? "", /^http:\/\/127\.0\.0\.1:\d+\/mcp\/workspace-file$/);
		assert.equal(request.ownTools, undefined);
		assert.equal(request.prompt, "go");
		assert.deepEqual(
			tools?.connected().map(({ name }) => name),
			["search", "wait"],
		);
		assert.equal(request.toolServer?.connectedBy, undefined);
		await initialize(request);
		assert.equal(request.toolServer?.connectedBy, "workspace-plugin");
	});

	test("stays as it is when nothing is offered, or when agy has caused it", async (t) => {
		const off = begin(t, { bridge: "off" });
		assert.deepEqual(await off.bridge.prepareRun(REQUEST, context()), { request: REQUEST });
		const { bridge, guard } = begin(t);
		guard.enter();
		assert.deepEqual(await bridge.prepareRun(REQUEST, context()), { request: REQUEST });
	});

	test("switches agy's own tools off where pi's are to be used, even when pi's cannot be offered", async (t) => {
		const { bridge, guard } = begin(t, { toolsRunIn: "pi" });
		const { request, tools } = await bridge.prepareRun(REQUEST, context());
		assert.equal(request.ownTools, "off");
		assert.equal(tools?.connected().length, 3);
		guard.enter();
		const alone = await bridge.prepareRun(REQUEST, context());
		assert.deepEqual(alone, { request: { ...REQUEST, ownTools: "off" } });
	});

	test("tells once what came after the last turn was over", async (t) => {
		const { bridge, clock } = begin(t);
		const { tools } = await bridge.prepareRun(REQUEST, context());
		const ids: string[] = [];
		tools?.onCall(({ id }) => ids.push(id));
		const answer = tools?.call("search", { q: "x" }, never);
		assert.ok(tools?.begin(ids[0] ?? ""));
		clock.advance(150_000);
		assert.match(JSON.stringify(await answer), /still running/);
		tools?.end(ANSWERED);
		tools?.finish(resultOf(ids[0] ?? "", "late but here"));
		const next = await bridge.prepareRun(REQUEST, context([resultOf(ids[0] ?? "", "late but here")]));
		assert.match(next.request.prompt, /search \{"q":"x"\}:\nlate but here[\s\S]*go$/);
		const third = await bridge.prepareRun(REQUEST, context([resultOf(ids[0] ?? "", "late but here")]));
		assert.equal(third.request.prompt, "go");
	});
});

describe("a call", () => {
	test("of a tool that is not offered, or not any more, never reaches pi", async (t) => {
		const { bridge, active } = begin(t);
		const { tools } = await bridge.prepareRun(REQUEST, context());
		let calls = 0;
		tools?.onCall(() => calls++);
		active.delete("search");
		for (const name of ["read", "agy_step", "nothing", "search"]) {
			assert.equal((await tools?.call(name, {}, never))?.isError, true, name);
		}
		assert.equal(calls, 0);
	});

	test("gets the structured content that pi's tool had beside its text", async (t) => {
		const { bridge } = begin(t);
		const { tools } = await bridge.prepareRun(REQUEST, context());
		let id = "";
		tools?.onCall((call) => {
			id = call.id;
		});
		const answer = tools?.call("search", {}, never);
		tools?.begin(id);
		bridge.toolEnded("another", { structuredContent: { hits: 0 } });
		bridge.toolEnded(id, { content: [], structuredContent: { hits: 1 } });
		tools?.finish(resultOf(id, "one"));
		assert.deepEqual(await answer, { content: [{ type: "text", text: "one" }], structuredContent: { hits: 1 } });
	});

	test("is known again when agy tells its own step of it, under any of the server's names", async (t) => {
		const { tools } = await begin(t).bridge.prepareRun(REQUEST, context());
		const isOwn = (server: string, name = "search") =>
			tools?.isOwnStep(tool(2, "running", { name: "call_mcp_tool", mcp: { server, tool: name } }));
		for (const server of ["pi_tools", "pi_pi_tools", "pi_tools_4711"]) assert.ok(isOwn(server), server);
		for (const server of ["tracker", "my_tools", "api_tools2", "pi_tools_extra"])
			assert.equal(isOwn(server), false, server);
		assert.ok(isOwn("tools"), "an agy that does not put the plugin's name before it");
		assert.equal(isOwn("tools", "another's"), false);
		const args = { ServerName: "pi_tools", ToolName: "search" };
		assert.ok(tools?.isOwnStep(tool(2, "running", { name: "call_mcp_tool", args })));
	});

	test("that never came to pi is no step of ours once it has ended, so that it is seen at all", async (t) => {
		const { bridge, active } = begin(t);
		const { tools } = await bridge.prepareRun(REQUEST, context());
		const step = { name: "call_mcp_tool", mcp: { server: "pi_tools", tool: "search" } };
		const ends = () => tools?.isOwnStep(tool(2, "done", step));
		assert.equal(ends(), false, "agy could not call it");
		void tools?.call("search", {}, never);
		assert.equal(ends(), true);
		const error = { message: "denied", denied: { by: "hook" as const } };
		assert.equal(tools?.isOwnStep(tool(2, "failed", { ...step, error })), false);
		active.delete("search");
		void tools?.call("search", {}, never);
		assert.equal(ends(), false, "it is switched off");
	});
});

describe("a run that never connected", () => {
	test("is remarked on once, if it worked", async (t) => {
		const { bridge } = begin(t);
		const first = await bridge.prepareRun(REQUEST, context());
		const cancelled: EndEvent = { ...ANSWERED, outcome: { kind: "cancelled", by: "user" } };
		assert.equal(first.tools?.end(cancelled), undefined);
		const second = await bridge.prepareRun(REQUEST, context());
		assert.match(second.tools?.end(ANSWERED) ?? "", /did not connect to pi's tools.*bridgeGlobalConfig/);
		assert.equal(second.tools?.end(ANSWERED), undefined);
		const third = await bridge.prepareRun(REQUEST, context());
		assert.equal(third.tools?.end(ANSWERED), undefined);
	});
	test("is not remarked on when it did", async (t) => {
		const { tools } = await begin(t).bridge.prepareRun(REQUEST, context());
		tools?.connected();
		assert.equal(tools?.end(ANSWERED), undefined);
	});
});

describe("the report", () => {
	test("says what is offered, what not, and whether agy connected", async (t) => {
		const { bridge } = begin(t);
		assert.deepEqual(bridge.report(), {
			state: "agy is offered 1 of pi's tools. It has had no turn yet.",
			tools: ["search"],
			leftOut: [{ name: "read", reason: "agy has its own" }],
			contact: "no turn yet",
		});
		const { request } = await bridge.prepareRun(REQUEST, context());
		assert.match(bridge.report().state, /did not connect/);
		assert.equal(bridge.report().contact, "not connected");
		await initialize(request);
		assert.match(bridge.report().state, /connected to them \(workspace-plugin\)/);
		assert.equal(bridge.report().contact, "connected");
	});
	test("says why nothing can work", (t) => {
		const denied = begin(t, { permissions: "deny", toolsRunIn: "pi" });
		assert.match(denied.bridge.report().state, /own tools are switched off\. .*agy refuses to call them/);
		denied.guard.enter();
		assert.match(denied.bridge.report().state, /^Nothing is offered/);
		assert.deepEqual(denied.bridge.report().tools, []);
		assert.equal(begin(t, { bridge: "off" }).bridge.report().state, "agy is offered none of pi's tools.");
	});
});

describe("trying it out", () => {
	test("ends agy as soon as it connects", async (t) => {
		const { bridge, clock } = begin(t);
		const engine = new FakeEngine(({ request }) => {
			clock.advance(700);
			void initialize(request);
		});
		const model = { slug: "gemini-3.8-flash-low" };
		const trial = await bridge.selfTest(engine, { cwd: "/project", model });
		assert.deepEqual(trial, { kind: "connected", by: "workspace-plugin", ms: 700 });
		assert.equal(engine.last.cancelledBy, "shutdown");
		assert.deepEqual(engine.last.request.model, model);
	});
	test("tells that agy did not, and why it could not", async (t) => {
		const { bridge } = begin(t);
		const silent = new FakeEngine((run) => run.end());
		assert.deepEqual(await bridge.selfTest(silent, { cwd: "/project" }), { kind: "not-connected" });
		const failure = { kind: "not-signed-in", expired: false } as const;
		const failing = new FakeEngine((run) => run.end({ kind: "failed", failure }));
		assert.deepEqual(await bridge.selfTest(failing, { cwd: "/project" }), { kind: "failed", failure });
	});
	test("starts nothing when nothing is offered", async (t) => {
		const { bridge } = begin(t, { bridge: "off" });
		const engine = new FakeEngine();
		assert.equal(await bridge.selfTest(engine, { cwd: "/project" }), undefined);
		assert.deepEqual(engine.runs, []);
	});
});

/** agy's first request. Its answer may be cut off: what counts is that it came. */
async function initialize({ toolServer }: RunRequest): Promise<void> {
	const params = { protocolVersion: "2026-07-28", capabilities: {}, clientInfo: { name: "agy", version: "1.3.3" } };
	await fetch(toolServer?.url("workspace-plugin") ?? "", {
		method: "POST",
		headers: {
			...toolServer?.headers,
			"content-type": "application/json",
			accept: "application/json, text/event-stream",
		},
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
	})
		.then((response) => response.text())
		.catch(() => {});
}
