import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../engine/clock.ts";
import type { ToolServer } from "../engine/engine.ts";
import { parseJson } from "../engine/json.ts";
import { isInitialize, type McpSession, openMcpSession, type ToolHandler, warmUp } from "./mcp-session.ts";
import { checkHead, MAX_BODY_BYTES, SECRET_HEADER } from "./request-check.ts";

/** Where one run's agy finds its tools: an address and a secret of its own. */
export interface ToolEndpoint extends ToolServer {
	/** Ends its sessions; its secret opens nothing any more. Never rejects. */
	close(): Promise<void>;
}

/** The server's side of an endpoint. */
interface Client {
	readonly handler: ToolHandler;
	readonly sessions: Map<string, McpSession>;
	connectedBy: string | undefined;
}

/**
 * The MCP server (Streamable HTTP) of this pi process. It listens on the loopback address from the first run that has tools to
 * offer until `close`. Who holds no run's secret learns nothing but a status code.
 */
export class BridgeServer {
	readonly #clock: Clock;
	/** By the hash of the secret, so that comparing takes the same time for any guess. */
	readonly #clients = new Map<string, Client>();
	#listening: Promise<{ readonly server: Server; readonly port: number }> | undefined;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Rejects when no port can be had. */
	async open(handler: ToolHandler): Promise<ToolEndpoint> {
		const { port } = await this.#listen();
		void warmUp();
		const secret = randomBytes(32).toString("base64url");
		const key = hash(secret);
		const client: Client = { handler, sessions: new Map(), connectedBy: undefined };
		this.#clients.set(key, client);
		return {
			url: (registration) => `http://127.0.0.1:${port}/mcp/${registration}`,
			headers: { [SECRET_HEADER]: secret },
			get connectedBy() {
				return client.connectedBy;
			},
			close: async () => {
				this.#clients.delete(key);
				await Promise.all([...client.sessions.values()].map((session) => session.close().catch(() => {})));
			},
		};
	}

	/** Ends everything. The next `open` starts again, at another port. Never rejects. */
	async close(): Promise<void> {
		const listening = this.#listening;
		this.#listening = undefined;
		this.#clients.clear();
		const found = await listening?.catch(() => undefined);
		if (found === undefined) return;
		const closed = new Promise<void>((resolve) => found.server.close(() => resolve()));
		found.server.closeAllConnections();
		await closed;
	}

	#listen(): Promise<{ readonly server: Server; readonly port: number }> {
		this.#listening ??= new Promise((resolve, reject) => {
			// A call may be answered after minutes; agy's own limit and ours decide, not Node's.
			const server = createServer({ requestTimeout: 0, keepAliveTimeout: IDLE_MS }, (request, response) => {
				this.#serve(request, response).catch(() => end(response, 500));
			});
			server.on("error", (error) => {
				this.#listening = undefined;
				reject(error);
			});
			server.listen(0, "127.0.0.1", () => {
				// An idle server must not keep pi from exiting.
				server.unref();
				const address = server.address();
				resolve({ server, port: typeof address === "object" && address !== null ? address.port : 0 });
			});
		});
		return this.#listening;
	}

	async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
		const head = checkHead(incoming, incoming.socket.localPort);
		if (head.kind === "refused") return end(response, head.status);
		const client = this.#clients.get(hash(head.secret));
		if (client === undefined) return end(response, 401);
		const text = await readBody(incoming);
		if (text === undefined) return end(response, 413);
		const body = incoming.method === "POST" ? parseJson(text) : undefined;
		if (incoming.method === "POST" && body === undefined) return end(response, 400);

		const session = await this.#sessionFor(client, head.registration, incoming, body);
		if (typeof session === "number") return end(response, session);
		const dropped = new AbortController();
		response.once("close", () => dropped.abort());
		const answer = await session.handle(toRequest(incoming, text), body, dropped.signal);
		if (incoming.method === "DELETE") client.sessions.delete(session.id);
		await send(answer, response);
	}

	/** The session a request belongs to, or the status to refuse it with. */
	async #sessionFor(
		client: Client,
		registration: string,
		{ headers }: IncomingMessage,
		body: unknown,
	): Promise<McpSession | 400 | 404> {
		const id = headers["mcp-session-id"];
		// 404 tells a client with an old session to begin a new one.
		if (typeof id === "string") return client.sessions.get(id) ?? 404;
		if (!isInitialize(body)) return 400;
		client.connectedBy ??= registration;
		const session = await openMcpSession(client.handler, this.#clock);
		client.sessions.set(session.id, session);
		return session;
	}
}

/**
 * How long a connection may lie idle, in milliseconds. Node's five seconds would close many just when agy, after thinking, sends
 * its next call, and a call that was cut off there is not sent again.
 */
const IDLE_MS = 10 * 60_000;

function hash(secret: string): string {
	return createHash("sha256").update(secret).digest("base64");
}

/** The status, and nothing else. */
function end(response: ServerResponse, status: number): void {
	if (response.headersSent) response.destroy();
	else response.writeHead(status, { "content-length": "0", connection: "close" }).end();
}

/** Undefined when it is too large; the rest of it is not read. */
async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of incoming) {
		bytes += chunk.length;
		if (bytes > MAX_BODY_BYTES) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

function toRequest(incoming: IncomingMessage, body: string): Request {
	const headers = new Headers();
	for (const [name, value] of Object.entries(incoming.headers)) {
		if (value !== undefined) headers.set(name, [value].flat().join(", "));
	}
	const method = incoming.method ?? "POST";
	const url = `http://${incoming.headers.host}${incoming.url}`;
	return new Request(url, { method, headers, ...(method === "POST" && { body }) });
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
	// The connection is Node's matter: it says how long it will stay open.
	answer.headers.delete("connection");
	response.writeHead(answer.status, Object.fromEntries(answer.headers));
	if (answer.body === null) {
		response.end();
		return;
	}
	response.flushHeaders();
	// A client that goes away in the middle is its own matter.
	await pipeline(Readable.fromWeb(answer.body), response).catch(() => {});
}
