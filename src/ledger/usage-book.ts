import type { StepUsage } from "../decode/step-types.ts";
import type { StepRef, TokenUsage, UsageEvent } from "../engine/events.ts";
import type { StreamUsage } from "../stdout/stream-message.ts";

/** Reports the usage of each model call once, whichever source brings it, and however often. */
export class UsageBook {
	readonly #responses = new Set<string>();
	#model: string | undefined;
	#answers = 0;

	/** The model that answers, as far as agy said. */
	named(model: string): void {
		if (model !== "") this.#model = model;
	}

	/** Model calls of the answer whose usage was reported. */
	get answers(): number {
		return this.#answers;
	}

	fromDatabase(step: StepRef, usage: StepUsage, isAnswer: boolean): UsageEvent | undefined {
		const { responseId, ...tokens } = usage;
		if (responseId !== undefined && responseId !== "") {
			// agy repeats a usage in its records of retries and of the generation.
			if (this.#responses.has(responseId)) return undefined;
			this.#responses.add(responseId);
			return this.#report(step, tokens, isAnswer, responseId);
		}
		return this.#report(step, tokens, isAnswer);
	}

	fromStdout(step: StepRef, usage: StreamUsage, isAnswer: boolean): UsageEvent {
		return this.#report(step, tokenUsage(usage), isAnswer);
	}

	#report(step: StepRef, usage: TokenUsage, isAnswer: boolean, responseId?: string): UsageEvent {
		if (isAnswer) this.#answers++;
		return {
			type: "usage",
			step,
			usage,
			isAnswer,
			...(responseId !== undefined && { responseId }),
			...(this.#model !== undefined && { model: this.#model }),
		};
	}
}

/** `result.usage` counts the whole conversation (seen with agy 1.2.17): what this turn added to it. */
export function addedUsage(total: StreamUsage, before: StreamUsage): StreamUsage {
	return {
		input: Math.max(0, total.input - before.input),
		output: Math.max(0, total.output - before.output),
		thinking: Math.max(0, total.thinking - before.thinking),
		cacheRead: Math.max(0, total.cacheRead - before.cacheRead),
	};
}

function tokenUsage(usage: StreamUsage): TokenUsage {
	return {
		input: usage.input,
		output: usage.output,
		reasoning: usage.thinking,
		cacheRead: usage.cacheRead,
		cacheWrite: 0,
	};
}
