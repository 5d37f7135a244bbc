import { randomUUID } from "node:crypto";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod/v3";
import type { Clock } from "../engine/clock.ts";
import type { JsonObject } from "../engine/events.ts";
import { jsonObjectSchema } from "../engine/json.ts";
import type { ListedTool } from "./offer.ts";
import { acceptedVersion } from "./request-check.ts";

/** What one run offers and answers. */
export interface ToolProvider {
	/** agy has connected. Gives the tools it is shown; the same through every door, since its doors lead to one name. */
	connected(door: string): readonly ListedTool[];
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

/** Begins a session for a client that came through `door`. Rejects when the SDK cannot be loaded. */
export async function openMcpSession(provider: ToolProvider, door: string, clock: Clock): Promise<McpSession> {
	const { Server, Transport, types } = await loadSdk();
	const id = randomUUID();
	const connections = new Map<string | number, AbortSignal>();
	const server = new Server({ name: "pi", version: "1.0.0" }, { capabilities: { tools: {} } });
	const tools = provider.connected(door);
	server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: tools.map(asMcpTool) }));
	server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
		const token = params._meta?.progressToken;
		const stopProgress =
			token === undefined
				? () => {}
				: repeat(clock, PROGRESS_EVERY_MS, (progress) => {
						const message = "pi is working on it";
						void extra
							.sendNotification({
								method: "notifications/progress",
								params: { progressToken: token, progress, message },
							})
							.catch(() => {});
					});
		const dropped = connections.get(extra.requestId);
		const signal = dropped === undefined ? extra.signal : AbortSignal.any([extra.signal, dropped]);
		try {
			return await provider.call(params.name, argsOf(params.arguments), signal);
		} finally {
			stopProgress();
		}
	});
	const transport = new Transport({ sessionIdGenerator: () => id });
	await server.connect(transport);
	return {
		id,
		async handle(request, body, dropped) {
			const ids = requestIds(body);
			for (const requestId of ids) connections.set(requestId, dropped);
			const version = acceptedVersion(
				request.headers.get("mcp-protocol-version"),
				types.SUPPORTED_PROTOCOL_VERSIONS,
				types.LATEST_PROTOCOL_VERSION,
			);
			if (version !== undefined) request.headers.set("mcp-protocol-version", version);
			return transport.handleRequest(request, { parsedBody: body });
		},
		close: () => server.close(),
	};
}

/** agy's schema of a tool is pi's, untouched; the SDK's types only want to see that it is an object's. */
function asMcpTool({ name, description, inputSchema }: ListedTool) {
	return { name, description, inputSchema: { type: "object" as const, ...inputSchema } };
}

function argsOf(value: unknown): JsonObject {
	const parsed = jsonObjectSchema.safeParse(value ?? {});
	return parsed.success ? parsed.data : {};
}

const requestSchema = z.object({ id: z.union([z.string(), z.number()]), method: z.string() });

function requestIds(body: unknown): (string | number)[] {
	return [body].flat().flatMap((message) => {
		const parsed = requestSchema.safeParse(message);
		return parsed.success ? [parsed.data.id] : [];
	});
}

/** Whether a body opens a session. */
export function isInitialize(body: unknown): boolean {
	const parsed = requestSchema.safeParse(body);
	return parsed.success && parsed.data.method === "initialize";
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
