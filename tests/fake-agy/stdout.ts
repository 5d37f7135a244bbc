import { writeSync } from "node:fs";
import type { Usage } from "./conversation.ts";

export type OutputFormat = "text" | "json" | "stream-json";

/** The envelope that ends an invocation. */
export interface Result {
	status: string;
	error?: string;
	deniedActions?: { action: string; display_name: string }[];
	turns: number;
	usage: Usage;
	structuredOutput?: unknown;
	command?: { name: string; data: unknown };
	/** Instead of the text that was said. */
	response?: string;
}

export interface StdoutOptions {
	format: OutputFormat;
	init: boolean;
	result: boolean;
	text: boolean;
	splitUtf8: boolean;
	/** Old versions print nothing into a pipe. */
	mute: boolean;
}

/** What agy prints on stdout in each of its formats. */
export class Stdout {
	readonly #options: StdoutOptions;
	readonly #write: (bytes: Uint8Array) => void;
	readonly #started = Date.now();
	conversationId = "";
	/** What each step has said in this turn. */
	readonly #said = new Map<number, string>();

	constructor(options: StdoutOptions, write: (bytes: Uint8Array) => void = writeAll) {
		this.#options = options;
		this.#write = write;
	}

	/** All text of the turn so far. */
	get response(): string {
		return [...this.#said.values()].join("");
	}

	/** Forgets the text of the turn before. */
	startTurn(): void {
		this.#said.clear();
	}

	/** What a step said is taken back; readers of the stream are not told, the final response knows. */
	rewrite(stepIndex: number, text: string): void {
		if (this.#options.text) this.#said.set(stepIndex, text);
	}

	init(conversationId: string, details: { model?: string; cwd: string; permissionMode: string }): void {
		this.conversationId = conversationId;
		const { model, cwd, permissionMode } = details;
		const init = { ...(model === undefined ? {} : { model }), cwd, tools: TOOLS, permission_mode: permissionMode };
		if (this.#options.init) this.#event({ event: "init", conversation_id: conversationId, init });
	}

	/** One `step_update`; `text_delta` is counted into the response. */
	step(update: { step_index: number; state: "ACTIVE" | "DONE"; step_type: string; [detail: string]: unknown }): void {
		const { text_delta: delta, ...rest } = update;
		const body: Record<string, unknown> = { conversation_id: this.conversationId, ...rest };
		if (typeof delta === "string" && this.#options.text) {
			this.#said.set(update.step_index, (this.#said.get(update.step_index) ?? "") + delta);
			body.text_delta = delta;
		}
		this.#event({ event: "step_update", step_update: body });
	}

	result(result: Result): void {
		if (!this.#options.result) return;
		const response = result.response ?? this.response;
		if (this.#options.format === "text") {
			if (response !== "") this.#print(response.endsWith("\n") ? response : `${response}\n`);
			return;
		}
		const envelope = {
			conversation_id: this.conversationId,
			status: result.status,
			response,
			...(result.error === undefined ? {} : { error: result.error }),
			duration_seconds: (Date.now() - this.#started) / 1000,
			num_turns: result.turns,
			usage: usageFields(result.usage),
			...(result.structuredOutput === undefined ? {} : { structured_output: result.structuredOutput }),
			...(result.deniedActions === undefined ? {} : { denied_actions: result.deniedActions }),
			...(result.command === undefined ? {} : { command: result.command }),
		};
		if (this.#options.format === "json") this.#print(`${JSON.stringify(envelope)}\n`);
		else this.#event({ event: "result", result: envelope });
	}

	/** Printed as it is, in any format. */
	raw(text: string): void {
		this.#print(text);
	}

	#event(event: Record<string, unknown>): void {
		if (this.#options.format === "stream-json") this.#print(`${JSON.stringify(event)}\n`);
	}

	#print(text: string): void {
		if (this.#options.mute) return;
		const bytes = Buffer.from(text, "utf8");
		const cut = this.#options.splitUtf8 ? bytes.findIndex((byte) => byte >= 0xc0) + 1 : 0;
		if (cut > 0) {
			this.#write(bytes.subarray(0, cut));
			// Long enough that a reader who is waiting gets the half character alone.
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
		}
		this.#write(bytes.subarray(cut));
	}
}

/** Token counts under the names that agy prints. */
export function usageFields(usage: Usage): Record<string, number> {
	return {
		input_tokens: usage.input,
		output_tokens: usage.output,
		thinking_tokens: usage.thinking,
		cache_read_tokens: usage.cacheRead,
		total_tokens: usage.input + usage.output,
	};
}

/** Built-ins only: tools of MCP servers hide behind `call_mcp_tool`. */
const TOOLS = [
	"run_command",
	"view_file",
	"write_to_file",
	"replace_file_content",
	"list_dir",
	"grep_search",
	"find_by_name",
	"search_web",
	"read_url_content",
	"call_mcp_tool",
	"invoke_subagent",
	"generate_image",
	"ask_question",
];

/** Writes to stdout before it returns, so that the order of commits and lines is the order of the code. */
function writeAll(bytes: Uint8Array): void {
	let from = 0;
	while (from < bytes.length) {
		try {
			from += writeSync(1, bytes, from);
		} catch (error) {
			const code = error instanceof Error && "code" in error ? error.code : undefined;
			if (code === "EPIPE") return;
			if (code !== "EAGAIN") throw error;
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
		}
	}
}
