import type { ToolContext, ToolFacts } from "../tool-facts.ts";
import type { Message } from "../wire.ts";
import { argsOf } from "./args.ts";
import { pathOf } from "./file-uri.ts";
import { imageDataPaths, mediaPaths } from "./media.ts";
import { progressText } from "./progress.ts";
import { plannedCall } from "./tool-call.ts";

/**
 * CortexStepMcpTool {1 server_name, 2 tool_call, 3 result_string, 4 server_info {1 name}, 5 images, 6 media, 7 user_rejected,
 * 8 result_uri, 10 progress_message, 11 progress, 12 progress_total}. Its own tool call names the server's tool; the step's
 * metadata may say `call_mcp_tool` instead.
 */
export function mcpTool(body: Message, { args }: ToolContext): ToolFacts {
	const server = () => body.text(1) || body.message(4).text(1) || argText(args.ServerName);
	const tool = () => body.message(2).text(2) || argText(args.ToolName);
	return {
		kind: "mcp",
		get args() {
			const Arguments = plannedCall(body.message(2)).args;
			return { ...argsOf({ ServerName: server(), ToolName: tool() }), Arguments };
		},
		get summary() {
			return [server(), tool()].filter(Boolean).join("/");
		},
		get mcp() {
			return { server: server(), tool: tool() };
		},
		get output() {
			return body.text(3) || pathOf(body.text(8)) || undefined;
		},
		get progress() {
			return progressText(body.double(11), body.double(12), body.text(10));
		},
		get imagePaths() {
			return [...imageDataPaths(body.messages(5)), ...mediaPaths(body.messages(6))];
		},
		get rejected() {
			return body.flag(7);
		},
	};
}

/** What a generic step says about an MCP call, from the arguments of `call_mcp_tool`. */
export function mcpFromArgs(args: ToolContext["args"]): ToolFacts["mcp"] {
	const [server, tool] = [argText(args.ServerName), argText(args.ToolName)];
	return server === "" && tool === "" ? undefined : { server, tool };
}

function argText(value: unknown): string {
	return typeof value === "string" ? value : "";
}
