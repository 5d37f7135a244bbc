import assert from "node:assert/strict";
import { request } from "node:http";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { ToolHandler } from "../../../src/bridge/mcp-session.ts";
import { BridgeServer, type ToolEndpoint } from "../../../src/bridge/server.ts";
import type { JsonObject } from "../../../src/engine/events.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

const AGY_VERSION = "2026-07-28";

class Handler implements ToolHandler {
	connections = 0;
	readonly calls: { name: string; args: JsonObject; signal: AbortSignal; answer: (result: CallToolResult) => void }[] =
		[];

	connected() {
		this.connections++;
		return [
			{ name: "search", description: "Searches.", inputSchema: { type: "object", title: "Nested" } },
			{ name: "odd", description: "Is odd.", inputSchema: { type: "string" } },
		];
	}

	call(name: string, args: JsonObject, signal: AbortSignal): Promise<CallToolResult> {
		return new Promise((answer) => this.calls.push({ name, args, signal, answer }));
	}
}

async function begin(t: TestContext) {
	const clock = new FakeClock();
	const server = new BridgeServer(clock);
	t.after(() => server.close());
	const handler = new Handler();
	const endpoint = await server.open(handler);
	return { clock, server, handler, endpoint };
}

/** A client as agy is one: it announces its own protocol version, in every request. */
async function connect(t: TestContext, endpoint: ToolEndpoint, registration = "workspace-plugin") {
	const asAgy: typeof fetch = (url, init) => {
		const headers = new Headers(init?.headers);
		headers.set("mcp-protocol-version", AGY_VERSION);
		const body = String(init?.body ?? "").replace(/"protocolVersion":"[^"]+"/, `"protocolVersion":"${AGY_VERSION}"`);
		return fetch(url, { ...init, headers, ...(init?.body ? { body } : {}) });
	};
	const client = new Client({ name: "agy", version: "1.3.3" });
	const options = { requestInit: { headers: endpoint.headers }, fetch: asAgy };
	const transport = new StreamableHTTPClientTransport(new URL(endpoint.url(registration)), options);
	await client.connect(transport);
	t.after(() => client.close());
	return { client, transport };
}

const initialize = JSON.stringify({
	jsonrpc: "2.0",
	id: 1,
	method: "initialize",
	params: { protocolVersion: AGY_VERSION, capabilities: {}, clientInfo: { name: "x", version: "1" } },
});

interface RawRequest {
	method?: string;
	body?: string;
	headers?: Record<string, string>;
}

/** One request by hand; gives the status and the body. */
function raw(url: string, { method = "POST", body = "{}", headers = {} }: RawRequest) {
	return new Promise<{ status: number; text: string }>((resolve, reject) => {
		const accept = "application/json, text/event-stream";
		const all = { "content-type": "application/json", accept, ...headers };
		const sent = request(url, { method, headers: all }, (response) => {
			let text = "";
			response.setEncoding("utf8").on("data", (chunk: string) => {
				text += chunk;
			});
			response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
		});
		sent.on("error", reject);
		sent.end(method === "GET" || method === "DELETE" ? undefined : body);
	});
}

async function until(condition: () => boolean): Promise<void> {
	const end = Date.now() + PATIENCE_MS;
	while (!condition()) {
		assert.ok(Date.now() < end, "it never came");
		await sleep(2);
	}
}

describe("agy", () => {
	test("connects with a version the SDK does not know, lists and calls", async (t) => {
		const { handler, endpoint } = await begin(t);
		const { client } = await connect(t, endpoint);
		const { tools } = await client.listTools();
		assert.deepEqual(tools, [
			{ name: "search", description: "Searches.", inputSchema: { type: "object", title: "Nested" } },
			{ name: "odd", description: "Is odd.", inputSchema: { type: "object" } },
		]);
		const calling = client.callTool({ name: "search", arguments: { query: { nested: [1, null] } } });
		await until(() => handler.calls.length === 1);
		assert.deepEqual(handler.calls[0]?.args, { query: { nested: [1, null] } });
		const content = [{ type: "text" as const, text: "found" }];
		handler.calls[0]?.answer({ content, structuredContent: { hits: 1 } });
		assert.deepEqual(await calling, { content, structuredContent: { hits: 1 } });
		assert.equal(endpoint.connectedBy, "workspace-plugin");
	});

	test("calls ten tools at once and gets each answer, whatever their order", async (t) => {
		const { handler, endpoint } = await begin(t);
		const { client } = await connect(t, endpoint);
		const calling = Array.from({ length: 10 }, (_, n) => client.callTool({ name: "search", arguments: { n } }));
		await until(() => handler.calls.length === 10);
		for (const { args, answer } of handler.calls.toReversed()) {
			answer({ content: [{ type: "text", text: `answer ${args.n}` }] });
		}
		const answers = await Promise.all(calling);
		assert.deepEqual(
			answers.map(({ content }) => content),
			answers.map((_, n) => [{ type: "text", text: `answer ${n}` }]),
		);
	});

	test("hears that pi is working", async (t) => {
		const { clock, handler, endpoint } = await begin(t);
		const { client } = await connect(t, endpoint);
		const heard: number[] = [];
		const onprogress = ({ progress }: { progress: number }) => heard.push(progress);
		const calling = client.callTool({ name: "search", arguments: {} }, undefined, { onprogress });
		await until(() => handler.calls.length === 1);
		for (const count of [1, 2]) {
			clock.advance(15_000);
			await until(() => heard.length === count);
		}
		handler.calls[0]?.answer({ content: [] });
		await calling;
		assert.deepEqual(heard, [1, 2]);
		assert.equal(clock.pending, 0);
	});

	test("can take a call back, and its connection can break", async (t) => {
		const { handler, endpoint } = await begin(t);
		const { client, transport } = await connect(t, endpoint);
		const stop = new AbortController();
		const taken = client.callTool({ name: "search", arguments: {} }, undefined, { signal: stop.signal });
		await until(() => handler.calls.length === 1);
		stop.abort();
		await assert.rejects(taken);
		await until(() => handler.calls[0]?.signal.aborted === true);

		const lost = client.callTool({ name: "search", arguments: {} });
		await until(() => handler.calls.length === 2);
		await transport.close();
		await assert.rejects(lost);
		await until(() => handler.calls[1]?.signal.aborted === true);
	});

	test("may connect again, also beside its old session", async (t) => {
		const { endpoint } = await begin(t);
		const [first, second] = [await connect(t, endpoint), await connect(t, endpoint)];
		await first.transport.terminateSession();
		assert.equal((await second.client.listTools()).tools.length, 2);
		await assert.rejects(first.client.listTools());
	});

	test("may think for minutes between two calls on one connection", async (t) => {
		const { endpoint } = await begin(t);
		const accept = "application/json, text/event-stream";
		const headers = { ...endpoint.headers, accept, "content-type": "application/json" };
		const answer = await fetch(endpoint.url("workspace-file"), { method: "POST", headers, body: initialize });
		await answer.text();
		const seconds = Number(/timeout=(\d+)/.exec(answer.headers.get("keep-alive") ?? "")?.[1]);
		assert.ok(seconds >= 300, `${seconds} s`);
	});
});

describe("others", () => {
	test("learn a status and nothing else", async (t) => {
		const { endpoint, handler } = await begin(t);
		const url = endpoint.url("workspace-file");
		const key = endpoint.headers;
		const wrong = { "x-pi-bridge-key": "0".repeat(43) };
		const huge = `"${"x".repeat(4 * 1024 * 1024)}"`;
		const expected: [RawRequest & { url?: string }, number][] = [
			[{ body: initialize }, 401],
			[{ body: initialize, headers: wrong }, 401],
			[{ body: initialize, headers: { ...key, origin: "https://evil.example" } }, 403],
			[{ body: initialize, headers: { ...key, host: "evil.example" } }, 403],
			[{ body: initialize, headers: key, url: url.replace("/mcp/workspace-file", "/") }, 404],
			[{ method: "PUT", headers: key }, 405],
			[{ body: huge, headers: key }, 413],
			[{ body: huge, headers: { ...key, "transfer-encoding": "chunked" } }, 413],
			[{ body: "{not json", headers: key }, 400],
			[{ body: "null", headers: key }, 400],
			[{ body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers: key }, 400],
			[{ headers: { ...key, "mcp-session-id": "old" } }, 404],
			[{ method: "GET", headers: { ...key, "mcp-session-id": "old" } }, 404],
			[{ method: "DELETE", headers: { ...key, "mcp-session-id": "old" } }, 404],
		];
		for (const [sent, status] of expected) {
			const answer = await raw(sent.url ?? url, sent);
			assert.deepEqual(answer, { status, text: "" }, `${sent.method} ${sent.body?.slice(0, 60)}`);
		}
		assert.equal(handler.connections, 0);
		assert.equal(endpoint.connectedBy, undefined);
	});

	test("cannot use one run's session with another run's secret", async (t) => {
		const { server, endpoint } = await begin(t);
		const { transport } = await connect(t, endpoint);
		const other = await server.open(new Handler());
		const headers = { ...other.headers, "mcp-session-id": transport.sessionId ?? "" };
		const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
		assert.equal((await raw(other.url("workspace-file"), { body, headers })).status, 404);
	});
});

test("a run that is over has no endpoint any more", async (t) => {
	const { endpoint } = await begin(t);
	const { client } = await connect(t, endpoint);
	await endpoint.close();
	await assert.rejects(client.listTools());
	await assert.rejects(connect(t, endpoint));
});

test("after it was closed, the server starts again with the next run", async (t) => {
	const { server, endpoint } = await begin(t);
	await server.close();
	await assert.rejects(raw(endpoint.url("workspace-file"), {}));
	const again = await server.open(new Handler());
	const { client } = await connect(t, again);
	assert.equal((await client.listTools()).tools.length, 2);
});
