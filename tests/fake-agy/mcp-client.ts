import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { parse } from "jsonc-parser";

/** Places where some agy reads MCP servers; reports differ by version which it does. */
type Place = "workspace-file" | "workspace-plugin" | "global";

/** What agy announces and keeps in its header whatever was agreed. */
const PROTOCOL_VERSION = "2026-07-28";

interface ServerEntry {
	serverUrl?: string;
	headers?: Record<string, string>;
	command?: string;
	args?: string[];
	disabled?: boolean;
}

export interface McpPlaces {
	/** `~/.gemini`. */
	gemini: string;
	workspaces: readonly string[];
}

/** The MCP servers of one agy process, and the tools it knows of them. */
export class McpServers {
	readonly #clients = new Map<string, { client: Client; tools: string[] }>();
	#lastText = "";

	/** Connects to every server in the places that `FAKE_AGY_MCP` names (`workspace-plugin,global` without it). */
	static async connect(places: McpPlaces): Promise<McpServers> {
		const read = (process.env.FAKE_AGY_MCP ?? "workspace-plugin,global").split(",");
		const servers = new McpServers();
		for (const { place, name, entry } of findServers(places)) {
			if (!read.includes(place) || entry.disabled) continue;
			await servers.#connect(name, entry).catch((error) => note({ server: name, failed: String(error) }));
		}
		return servers;
	}

	/** Calls a tool of the first server that has it. `{{handle}}` in an argument is the one that the last answer gave. */
	async call(tool: string, args: Record<string, unknown>): Promise<{ server: string; text: string }> {
		const [handle = ""] = /(?<=handle is ")[^"]+/.exec(this.#lastText) ?? [];
		const filled: Record<string, unknown> = JSON.parse(JSON.stringify(args).replaceAll("{{handle}}", handle));
		const [server, found] = [...this.#clients].find(([, { tools }]) => tools.includes(tool)) ?? [];
		if (server === undefined || found === undefined) return { server: "none", text: `no server has a tool "${tool}"` };
		const timeout = Number(process.env.FAKE_AGY_MCP_TIMEOUT ?? 180_000);
		const onprogress = (progress: object) => note({ progress });
		const result = await found.client
			.callTool({ name: tool, arguments: filled }, undefined, { timeout, onprogress })
			.then((answer) => answer as CallToolResult)
			.catch((error: unknown): CallToolResult => ({ isError: true, content: [{ type: "text", text: String(error) }] }));
		const text = result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
		this.#lastText = text;
		note({ called: tool, server, args: filled, result });
		return { server, text };
	}

	async #connect(name: string, entry: ServerEntry): Promise<void> {
		const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
		const client = new Client({ name: "agy", version: "1.3.3" });
		await client.connect(await transportFor(entry));
		const { tools } = await client.listTools();
		this.#clients.set(name, { client, tools: tools.map((tool) => tool.name) });
		note({ server: name, tools });
	}
}

async function transportFor({ serverUrl, headers = {}, command, args = [] }: ServerEntry) {
	if (serverUrl === undefined) {
		const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
		const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
		return new StdioClientTransport({ command: command ?? "", args, env });
	}
	const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
	return new StreamableHTTPClientTransport(new URL(serverUrl), { requestInit: { headers }, fetch: asAgy });
}

/** The SDK knows no version of agy's, so it is put in on the way. */
const asAgy: typeof fetch = (url, init) => {
	const headers = new Headers(init?.headers);
	headers.set("mcp-protocol-version", PROTOCOL_VERSION);
	const body =
		typeof init?.body === "string"
			? init.body.replace(/"protocolVersion":"[^"]+"/, `"protocolVersion":"${PROTOCOL_VERSION}"`)
			: init?.body;
	return fetch(url, { ...init, headers, ...(body === undefined ? {} : { body }) });
};

function findServers({ gemini, workspaces }: McpPlaces): { place: Place; name: string; entry: ServerEntry }[] {
	const found = [...serversIn("global", join(gemini, "config", "mcp_config.json"), (name) => name)];
	for (const workspace of workspaces) {
		found.push(...serversIn("workspace-file", join(workspace, ".agents", "mcp_config.json"), (name) => name));
		const plugins = join(workspace, ".agents", "plugins");
		for (const plugin of existsSync(plugins) ? readdirSync(plugins) : []) {
			const file = join(plugins, plugin, "mcp_config.json");
			found.push(...serversIn("workspace-plugin", file, (name) => `${basename(plugin)}_${name}`));
		}
	}
	return found;
}

function serversIn(place: Place, file: string, rename: (name: string) => string) {
	if (!existsSync(file)) return [];
	const config: { mcpServers?: Record<string, ServerEntry> } = parse(readFileSync(file, "utf8"));
	return Object.entries(config.mcpServers ?? {}).map(([name, entry]) => ({ place, name: rename(name), entry }));
}

/** `FAKE_AGY_MCP_LOG` gets one line of JSON for each server, each call and each progress report. */
function note(line: object): void {
	const path = process.env.FAKE_AGY_MCP_LOG;
	if (path !== undefined) appendFileSync(path, `${JSON.stringify(line)}\n`);
}
