import { randomUUID } from "node:crypto";
import type { Tool, ToolResultMessage } from "@earendil-works/pi-ai";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../engine/clock.ts";
import { TOOL_PLUGIN, TOOL_SERVER_NAME } from "../engine/engine.ts";
import type { EndEvent, JsonObject, JsonValue, ToolEvent } from "../engine/events.ts";
import { isEndState } from "../engine/tool-state.ts";
import type { LoopGuard } from "./loop-guard.ts";
import { errorAnswer, mcpAnswer } from "./mcp-answer.ts";
import type { ToolHandler } from "./mcp-session.ts";
import { ParkedCalls, type PiCall, type Reply } from "./parked-calls.ts";
import { type ListedTool, listTools, waitToolName } from "./tool-list.ts";

/** agy's calls of pi's tools in one run, as the run's messages see them. */
export interface BridgedCalls {
	/** Tells each call that pi is to run. One listener, to be given before agy can call. */
	onCall(listener: (call: PiCall) => void): void;
	/** pi is about to run the call. False: agy does not want it any more, and it must not run. */
	begin(id: string): boolean;
	has(id: string): boolean;
	/** pi has run, refused or failed the call of this result. */
	finish(result: ToolResultMessage): void;
	/**
	 * Whether a step of agy is one of these calls, seen from agy's side, so that pi shows it already. One that ended without
	 * having come to pi (agy or a hook of it denied it, the tool is switched off) is not.
	 */
	isOwnStep(step: ToolEvent): boolean;
	/** The run is over; whoever waits is answered. Returns what a person should know about it, if anything. Idempotent. */
	end(event: EndEvent | undefined): string | undefined;
}

export interface RunToolsOptions {
	readonly tools: readonly Tool[];
	readonly clock: Clock;
	readonly answerAfterMs: number;
	readonly guard: LoopGuard;
	/** Whether a tool is active in pi right now. */
	isActive(name: string): boolean;
	/** What is to be said when agy has answered without ever connecting. */
	notConnectedNotice(): string | undefined;
}

/** pi's tools as one run of agy calls them: between the MCP server, which asks, and the run's messages, which answer. */
export class RunTools implements BridgedCalls, ToolHandler {
	readonly #options: RunToolsOptions;
	readonly #calls: ParkedCalls;
	readonly #waitName: string;
	readonly #leaveGuard = new Map<string, () => void>();
	readonly #structured = new Map<string, JsonValue>();
	/** Tools whose last call was parked. */
	readonly #accepted = new Set<string>();
	#listener: (call: PiCall) => void = () => {};
	#connected = false;
	#ended = false;

	constructor(options: RunToolsOptions) {
		this.#options = options;
		const { clock, answerAfterMs } = options;
		const newId = () => `agy_call_${randomUUID().replaceAll("-", "")}`;
		this.#calls = new ParkedCalls({ clock, answerAfterMs, newId });
		this.#waitName = waitToolName(options.tools);
	}

	connected(): readonly ListedTool[] {
		this.#connected = true;
		return listTools(this.#options.tools, this.#waitName);
	}

	call(name: string, args: JsonObject, signal: AbortSignal): Promise<CallToolResult> {
		return new Promise((resolve) => {
			const answer = (reply: Reply) => resolve(mcpAnswer(reply, this.#waitName));
			const refusal = this.#refusal(name);
			if (refusal !== undefined) {
				this.#accepted.delete(name);
				return resolve(errorAnswer(refusal));
			}
			this.#accepted.add(name);
			const drop = name === this.#waitName ? this.#wait(args, answer) : this.#park(name, args, answer);
			const dropped = () => {
				drop();
				resolve(errorAnswer("The request was cancelled."));
			};
			if (signal.aborted) dropped();
			else signal.addEventListener("abort", dropped, { once: true });
		});
	}

	onCall(listener: (call: PiCall) => void): void {
		this.#listener = listener;
	}

	begin(id: string): boolean {
		const begins = this.#calls.begin(id);
		if (begins) this.#leaveGuard.set(id, this.#options.guard.enter());
		return begins;
	}

	has(id: string): boolean {
		return this.#calls.has(id);
	}

	/** pi's tool has come to its end, with this beside what its result message will hold. */
	toolEnded(id: string, structuredContent: JsonValue | undefined): void {
		this.#leaveGuard.get(id)?.();
		if (structuredContent !== undefined && this.#calls.has(id)) this.#structured.set(id, structuredContent);
	}

	finish({ toolCallId: id, content, isError }: ToolResultMessage): void {
		this.#leaveGuard.get(id)?.();
		const structuredContent = this.#structured.get(id);
		this.#calls.finish(id, { content, isError, ...(structuredContent !== undefined && { structuredContent }) });
	}

	isOwnStep({ mcp, args, state, error }: ToolEvent): boolean {
		const server = mcp?.server ?? args.ServerName;
		const tool = mcp?.tool ?? args.ToolName;
		if (typeof server !== "string" || typeof tool !== "string") return false;
		if (isEndState(state) && (error?.denied !== undefined || !this.#accepted.has(tool))) return false;
		if (OUR_SERVER.test(server)) return true;
		// An agy before 1.2.2 does not put the plugin's name before it; that alone could be anybody's.
		return server === TOOL_PLUGIN.server && this.#options.tools.some(({ name }) => name === tool);
	}

	end(event: EndEvent | undefined): string | undefined {
		this.#calls.close();
		if (this.#ended || event === undefined) return undefined;
		this.#ended = true;
		const answered = event.outcome.kind === "answered";
		return answered && !this.#connected ? this.#options.notConnectedNotice() : undefined;
	}

	/** Calls whose results agy has not got. */
	undelivered(): readonly PiCall[] {
		return this.#calls.undelivered();
	}

	/** Nobody will ask any more, and what pi still runs is not counted as run for agy. Idempotent. */
	close(): void {
		this.#calls.close();
		for (const leave of this.#leaveGuard.values()) leave();
	}

	/** Why a call is not even parked. */
	#refusal(name: string): string | undefined {
		if (name === this.#waitName) return undefined;
		if (!this.#options.tools.some((tool) => tool.name === name)) return `pi offers no tool named "${name}".`;
		if (!this.#options.isActive(name)) return `The tool "${name}" has been switched off in pi.`;
		return undefined;
	}

	#wait({ handle }: JsonObject, answer: (reply: Reply) => void): () => void {
		return this.#calls.wait(typeof handle === "string" ? handle : JSON.stringify(handle ?? null), answer);
	}

	#park(name: string, args: JsonObject, answer: (reply: Reply) => void): () => void {
		const { call, isNew, drop } = this.#calls.park(name, args, answer);
		if (isNew) this.#listener(call);
		return drop;
	}
}

/**
 * The names under which agy may know our server: agy puts a plugin's name before it since 1.2.2, and an entry in the file
 * all agy processes share has the number of one pi process after it.
 */
const OUR_SERVER = new RegExp(`^(?:.+_)?${TOOL_SERVER_NAME}(?:_\\d+)?$`);
