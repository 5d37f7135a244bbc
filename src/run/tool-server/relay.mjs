// The program behind our entry in agy's shared MCP file: it carries MCP messages between an agy (on stdin and stdout) and the
// pi that started this agy. In every other agy it is a server without tools.
//
// usage: node relay.mjs <entry name>

import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const target = readTarget(process.argv[2]);
const agy = new StdioServerTransport();
if (target === undefined) await serveNothing();
else await relay(target);

/** Where to relay to: what pi gave to its own agy, if the entry is this pi's. */
function readTarget(name) {
	try {
		const value = JSON.parse(process.env.PI_ANTIGRAVITY_TOOLS ?? "");
		return value.name === name ? value : undefined;
	} catch {
		return undefined;
	}
}

async function serveNothing() {
	const server = new Server({ name: "pi", version: "1.0.0" }, { capabilities: { tools: {} } });
	server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
	await server.connect(agy);
}

async function relay({ url, headers }) {
	const pi = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
	let announced;
	agy.onmessage = (message) => {
		if (message.method === "initialize") announced = message.id;
		// pi is gone, or does not know this session any more: agy may start the relay again.
		pi.send(message).catch(() => process.exit(1));
	};
	pi.onmessage = (message) => {
		if (message.id === announced && message.result) pi.setProtocolVersion(message.result.protocolVersion);
		agy.send(message).catch(() => process.exit(1));
	};
	agy.onclose = () => process.exit(0);
	process.stdin.once("end", () => process.exit(0));
	await pi.start();
	await agy.start();
}
