import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod/v3";
import type { Clock } from "../engine/clock.ts";
import type { JsonObject } from "../engine/events.ts";
import { jsonObjectSchema } from "../engine/json.ts";
import { acceptedVersion } from "./request-check.ts";
import type { ListedTool } from "./tool-list.ts";

/** Answers what one run's agy asks for. */
export interface ToolHandler {
	/** agy has connected. Gives the tools it is shown; the same in every session, since agy knows all by one server name. */
	connected(): readonly ListedTool[];
	/** Never rejects. `signal` fires when agy does not wait for the answer any more. */
	call(name: string, args: JsonObject, signal: AbortSignal): Promise<CallToolResult>;
}

/** One MCP session: what one client does between its `initialize` and its end. */
export interface McpSession {
	readonly id: string;
	/** Answers one HTTP request; `dropped` fires when its connection breaks before the answer is out. */
	handle(request: Request, body: unknown, dropped: AbortSignal): Promise<Response>;
	close(): Promise<void>;
}

/** How often agy hears that pi is still working, in milliseconds; its own limit for a call was 180 s in agy 1.1.12. */
const PROGRESS_EVERY_MS = 15_000;

/** The SDK takes tens of milliseconds to load, so it is loaded when agy first connects. */
async function loadSdk() {
	const [{ Server }, { WebStandardStreamableHTTPServerTransport: Transport }, types] = await Promise.all([
		import("@modelcontextprotocol/sdk/server/index.js"),
		import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"),
		import("@modelcontextprotocol/sdk/types.js"),
	]);
	return { Server, Transport, types };
}

/** Begins loading what a session needs, so that agy's first request does not wait for it. Never rejects. */
export async function warmUp(): Promise<void> {
	await loadSdk().catch(() => {});
}

/** Rejects when the SDK cannot be loaded. */
export async function openMcpSession(handler: ToolHandler, clock: Clock): Promise<McpSession> {
	const { Server, Transport, types } = await loadSdk();
	const id = randomUUID();
	/** What fires when the connection of the request that is being handled breaks. */
	const connection = new AsyncLocalStorage<AbortSignal>();
	const server = new Server({ name: "pi", version: "1.0.0" }, { capabilities: { tools: {} } });
	const tools = handler.connected();
	server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: tools.map(asMcpTool) }));
	server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
		const dropped = connection.getStore();
		const progressToken = params._meta?.progressToken;
		const sendProgress = (progress: number) => {
			if (progressToken === undefined) return;
			const message = "pi is working on it";
			sendNotification({ method: "notifications/progress", params: { progressToken, progress, message } }).catch(
				() => {},
			);
		};
		const stopProgress = repeat(clock, PROGRESS_EVERY_MS, sendProgress);
		try {
			const gone = dropped === undefined ? signal : AbortSignal.any([signal, dropped]);
			return await handler.call(params.name, argsOf(params.arguments), gone);
		} finally {
			stopProgress();
		}
	});
	const transport = new Transport({ sessionIdGenerator: () => id });
	await server.connect(transport);
	return {
		id,
		handle(request, body, dropped) {
			const version = acceptedVersion(
				request.headers.get("mcp-protocol-version"),
				types.SUPPORTED_PROTOCOL_VERSIONS,
				types.LATEST_PROTOCOL_VERSION,
			);
			if (version !== undefined) request.headers.set("mcp-protocol-version", version);
			return connection.run(dropped, () => transport.handleRequest(request, { parsedBody: body }));
		},
		close: () => server.close(),
	};
}

/**
 * agy's schema of a tool is pi's, untouched, but that MCP wants every one to be an object's: a client may refuse the whole list
 * for one that is not.
 */
function asMcpTool({ name, description, inputSchema }: ListedTool) {
	return { name, description, inputSchema: { ...inputSchema, type: "object" as const } };
}

function argsOf(value: unknown): JsonObject {
	const parsed = jsonObjectSchema.safeParse(value ?? {});
	return parsed.success ? parsed.data : {};
}

const initializeSchema = z.object({ id: z.union([z.string(), z.number()]), method: z.literal("initialize") });

/** Whether a body opens a session. */
export function isInitialize(body: unknown): boolean {
	return initializeSchema.safeParse(body).success;
}

/** Calls `fn` with 1, 2, … every `ms` milliseconds, until the returned function is called. */
function repeat(clock: Clock, ms: number, fn: (count: number) => void): () => void {
	let count = 0;
	let cancel = () => {};
	const next = () => {
		cancel = clock.after(ms, () => {
			fn(++count);
			next();
		});
	};
	next();
	return () => cancel();
}
