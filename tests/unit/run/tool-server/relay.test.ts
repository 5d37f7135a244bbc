import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { BridgeServer } from "../../../../src/bridge/server.ts";
import { systemClock } from "../../../../src/engine/clock.ts";
import { RELAY_VARIABLE } from "../../../../src/run/process/environment.ts";

const RELAY = fileURLToPath(new URL("../../../../src/run/tool-server/relay.mjs", import.meta.url));

/** An agy that starts the relay of the entry `name`, with `target` in its environment. */
async function connect(t: TestContext, name: string, target?: object) {
	const env = { PATH: process.env.PATH ?? "", ...(target && { [RELAY_VARIABLE]: JSON.stringify(target) }) };
	const client = new Client({ name: "agy", version: "1.3.3" });
	await client.connect(new StdioClientTransport({ command: process.execPath, args: [RELAY, name], env }));
	t.after(() => client.close());
	return client;
}

async function piServer(t: TestContext) {
	const server = new BridgeServer(systemClock);
	t.after(() => server.close());
	const endpoint = await server.open({
		connected: () => [{ name: "search", description: "Searches.", inputSchema: { type: "object" } }],
		call: async (name, args) => ({ content: [{ type: "text", text: `${name} ${JSON.stringify(args)}` }] }),
	});
	return { url: endpoint.url("global-entry"), headers: endpoint.headers };
}

test("pi's own agy gets pi's tools", async (t) => {
	const client = await connect(t, "pi_tools_1", { name: "pi_tools_1", ...(await piServer(t)) });
	assert.deepEqual(
		(await client.listTools()).tools.map(({ name }) => name),
		["search"],
	);
	const { content } = await client.callTool({ name: "search", arguments: { q: 1 } });
	assert.deepEqual(content, [{ type: "text", text: 'search {"q":1}' }]);
});

test("any other agy gets a server without tools", async (t) => {
	const other = { name: "pi_tools_2", ...(await piServer(t)) };
	for (const target of [undefined, other]) {
		const client = await connect(t, "pi_tools_1", target);
		assert.deepEqual((await client.listTools()).tools, []);
	}
});
