import { randomUUID } from "node:crypto";
import type { Tool, ToolResultMessage } from "@earendil-works/pi-ai";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../engine/clock.ts";
import { TOOL_SERVER_NAME, type ToolServer } from "../engine/engine.ts";
import type { EndEvent, JsonObject, JsonValue, ToolEvent } from "../engine/events.ts";
import type { LoopGuard } from "./loop-guard.ts";
import { mcpAnswer, problem } from "./mcp-answer.ts";
import type { ToolProvider } from "./mcp-session.ts";
import { type ListedTool, listTools, waitToolName } from "./offer.ts";
import { ParkedCalls, type PiCall } from "./parked-calls.ts";
import type { Berth } from "./server.ts";

/** agy's calls of pi's tools in one run, as the run's messages see them. */
export interface BridgedCalls {
	/** Tells each call that pi is to run, those that came before as well. One listener. */
	onCall(listener: (call: PiCall) => void): void;
	/** pi is about to run the call. False: agy does not want it any more, and it must not run. */
	begin(id: string): boolean;
	has(id: string): boolean;
	/** pi has run, refused or failed the call of this result. */
	finish(result: ToolResultMessage): void;
	/** Whether a step of agy is one of these calls, seen from agy's side. */
	isOwnStep(step: ToolEvent): boolean;
	/** The run is over; whoever waits is answered. Returns what a person should know about it, if anything. Idempotent. */
	end(event: EndEvent | undefined): string | undefined;
}

export interface LoanOptions {
	readonly tools: readonly Tool[];
	readonly clock: Clock;
	readonly answerAfterMs: number;
	readonly guard: LoopGuard;
	/** Whether a tool is active in pi right now. */
	isActive(name: string): boolean;
	/** What is to be said when agy has answered without ever connecting. */
	unreachedRemark(): string | undefined;
}

/** pi's tools, lent to one run of agy. */
export class BridgeLoan implements BridgedCalls, ToolProvider {
	readonly #options: LoanOptions;
	readonly #calls: ParkedCalls;
	readonly #waitName: string;
	readonly #leaveGuard = new Map<string, () => void>();
	readonly #structured = new Map<string, JsonValue>();
	readonly #early: PiCall[] = [];
	#listener: ((call: PiCall) => void) | undefined;
	#berth: Berth | undefined;
	#reached: string | undefined;
	#ended = false;

	constructor(options: LoanOptions) {
		this.#options = options;
		const { clock, answerAfterMs } = options;
		const newId = () => `agy_call_${randomUUID().replaceAll("-", "")}`;
		this.#calls = new ParkedCalls({ clock, answerAfterMs, newId });
		this.#waitName = waitToolName(options.tools);
	}

	/** How agy gets here, given the loan's place at the server. */
	toolServer(berth: Berth): ToolServer {
		this.#berth = berth;
		const reached = () => this.#reached;
		return {
			url: berth.url,
			headers: berth.headers,
			get reached() {
				return reached();
			},
		};
	}

	get reached(): string | undefined {
		return this.#reached;
	}

	connected(door: string): readonly ListedTool[] {
		this.#reached ??= door;
		return listTools(this.#options.tools, this.#waitName);
	}

	call(name: string, args: JsonObject, signal: AbortSignal): Promise<CallToolResult> {
		return new Promise((resolve) => {
			const answer = (result: CallToolResult) => resolve(result);
			const letGo = name === this.#waitName ? this.#wait(args, answer) : this.#park(name, args, answer);
			const dropped = () => {
				letGo();
				resolve(problem("The request was cancelled."));
			};
			if (signal.aborted) dropped();
			else signal.addEventListener("abort", dropped, { once: true });
		});
	}

	onCall(listener: (call: PiCall) => void): void {
		this.#listener = listener;
		for (const call of this.#early.splice(0)) listener(call);
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

	isOwnStep({ mcp, args }: ToolEvent): boolean {
		const server = mcp?.server ?? args.ServerName;
		return typeof server === "string" && isOurServer(server);
	}

	end(event: EndEvent | undefined): string | undefined {
		this.#calls.close();
		if (this.#ended || event === undefined) return undefined;
		this.#ended = true;
		const answered = event.outcome.kind === "answered";
		return answered && this.#reached === undefined ? this.#options.unreachedRemark() : undefined;
	}

	/** Calls whose results agy has not seen. */
	unseen(): readonly PiCall[] {
		return this.#calls.unseen();
	}

	/** Nobody will ask for the loan any more: its place at the server is given back. Idempotent. */
	forget(): void {
		this.#calls.close();
		for (const leave of this.#leaveGuard.values()) leave();
		void this.#berth?.leave();
	}

	#wait({ handle }: JsonObject, answer: (result: CallToolResult) => void): () => void {
		const text = typeof handle === "string" ? handle : JSON.stringify(handle ?? null);
		return this.#calls.wait(text, (reply) => answer(mcpAnswer(reply, this.#waitName)));
	}

	#park(name: string, args: JsonObject, answer: (result: CallToolResult) => void): () => void {
		const nothing = () => {};
		if (!this.#options.tools.some((tool) => tool.name === name)) {
			answer(problem(`pi offers no tool named "${name}".`));
			return nothing;
		}
		if (!this.#options.isActive(name)) {
			answer(problem(`The tool "${name}" has been switched off in pi.`));
			return nothing;
		}
		const { call, isNew, letGo } = this.#calls.park(name, args, (reply) => answer(mcpAnswer(reply, this.#waitName)));
		if (isNew && this.#listener !== undefined) this.#listener(call);
		else if (isNew) this.#early.push(call);
		return letGo;
	}
}

/**
 * The names under which agy may know our server: agy puts a plugin's name before it since 1.2.2, and an entry in the file
 * all agy processes share has the name of one pi process after it.
 */
function isOurServer(name: string): boolean {
	return name === TOOL_SERVER_NAME || name.endsWith(`_${TOOL_SERVER_NAME}`) || name.startsWith(`${TOOL_SERVER_NAME}_`);
}
