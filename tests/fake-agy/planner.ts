import { randomUUID } from "node:crypto";
import type { Plain } from "../support/agy-proto.ts";
import type { Usage } from "./conversation.ts";
import { usageFields } from "./stdout.ts";
import { now, SOURCE, STATUS, type StepRow, TYPE } from "./steps.ts";
import type { ToolCall } from "./tools.ts";
import type { TurnContext } from "./turn-context.ts";

/** Numbers of common.StopReason. */
export const STOP = { pattern: 2, clientStreamError: 18 } as const;

/** One model call and its row: thinking first, then text, then tool calls; DONE is a commit of its own. */
export class Planner {
	readonly row: StepRow;
	readonly #turn: TurnContext;
	readonly #started = Date.now();
	readonly #planner: Plain = { messageId: `bot-${randomUUID()}` };
	readonly #override: Partial<Usage>;
	#thinking = "";
	#text = "";
	#calls: ToolCall[] = [];

	constructor(turn: TurnContext, override: Partial<Usage>) {
		this.#turn = turn;
		this.#override = override;
		this.row = turn.conversation.row(TYPE.planner, SOURCE.model);
		this.row.body = { plannerResponse: this.#planner };
	}

	/** Writes what agy >= 1.1.18 writes before the first chunk. */
	async open(): Promise<void> {
		const { placeholder } = this.#turn.options;
		if (placeholder === "none") return;
		this.row.commitPlaceholder(STATUS.generating, placeholder);
		await this.#turn.breathe();
	}

	async think(chunk: string): Promise<void> {
		this.#thinking += chunk;
		this.#planner.thinking = this.#thinking;
		this.#planner.thinkingDuration = { nanos: 5_000_000 };
		await this.#grow();
	}

	async say(chunk: string): Promise<void> {
		const update = {
			step_index: this.row.idx,
			state: "ACTIVE",
			step_type: "agent_response",
			text_delta: chunk,
		} as const;
		if (this.#turn.options.stdoutAhead) this.#turn.stdout.step(update);
		this.#text += chunk;
		await this.#growText();
		if (!this.#turn.options.stdoutAhead) this.#turn.stdout.step(update);
	}

	/** Takes back what was said: shorter, or of the same length. */
	async rewrite(text: string): Promise<void> {
		this.#text = text;
		this.#turn.stdout.rewrite(this.row.idx, text);
		await this.#growText();
	}

	/** The last chunk: the calls are in the row while it is still GENERATING. */
	async call(calls: ToolCall[]): Promise<void> {
		this.#calls = calls;
		this.#planner.toolCalls = calls.map((call) => call.message);
		this.#planner.stopReason = STOP.pattern;
		await this.#grow();
	}

	/** The commit that flips the row to DONE and brings the usage. Returns it, for the gen_metadata row. */
	async finish(last: boolean): Promise<Plain> {
		const usage = this.#usage();
		const stats = usageStats(usage, this.#turn.conversation.options.model);
		this.#planner.stopReason = STOP.pattern;
		this.#planner.thinkingSignature = new Uint8Array(64).fill(7);
		this.row.metadata.finishedGeneratingAt = now();
		this.row.metadata.modelUsage = stats;
		this.row.commit(STATUS.done);
		this.#turn.conversation.addUsage(usage);
		const newline = last && this.#text !== "" && !this.#text.endsWith("\n");
		this.#turn.stdout.step({
			step_index: this.row.idx,
			state: "DONE",
			step_type: "agent_response",
			...(newline ? { text_delta: "\n" } : {}),
			duration_seconds: (Date.now() - this.#started) / 1000,
			usage: usageFields(usage),
		});
		await this.#turn.breathe();
		return stats;
	}

	/** A generation that came to nothing: DONE at once, empty, with the reason why. */
	async fail(stopReason: number): Promise<void> {
		this.#planner.stopReason = stopReason;
		this.row.commit(STATUS.done);
		await this.#turn.breathe();
	}

	async #growText(): Promise<void> {
		if (this.#turn.options.databaseText) {
			this.#planner.response = this.#text;
			this.#planner.modifiedResponse = this.#text;
		}
		await this.#grow();
	}

	async #grow(): Promise<void> {
		this.row.metadata.viewableAt ??= now();
		this.row.commit(STATUS.generating);
		await this.#turn.breathe();
	}

	#usage(): Usage {
		const tokens = (text: string) => Math.ceil(text.length / 4);
		const thinking = this.#override.thinking ?? tokens(this.#thinking);
		const response = tokens(this.#text) + this.#calls.length * 40 + 1;
		const before = this.#turn.conversation.generation;
		return {
			input: this.#override.input ?? 1200,
			cacheRead: this.#override.cacheRead ?? before * 800,
			thinking,
			output: this.#override.output ?? thinking + response,
		};
	}
}

/** ModelUsageStats: input leaves out what came from the cache, output holds the thinking. */
export function usageStats(usage: Usage, model: number): Plain {
	return {
		model,
		inputTokens: usage.input,
		outputTokens: usage.output,
		cacheReadTokens: usage.cacheRead,
		apiProvider: 24,
		responseHeader: { sessionID: "-1" },
		thinkingOutputTokens: usage.thinking,
		responseOutputTokens: Math.max(0, usage.output - usage.thinking),
		responseId: randomUUID().replaceAll("-", "").slice(0, 22),
	};
}
