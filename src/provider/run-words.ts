import type { StepRef } from "../engine/events.ts";
import type { BlockKind, MessageWriter } from "./message-writer.ts";
import { stepKey } from "./step-card.ts";

/** What the messages of a run that are over hold: they cannot be changed any more. */
export class RunWords {
	#answer = "";
	readonly #byStep = new Map<string, string>();

	/** The answer's words of all of them. */
	get answer(): string {
		return this.#answer;
	}

	/** A message is over. */
	add(message: Pick<MessageWriter, "words" | "writtenSteps">): void {
		this.#answer += message.words;
		for (const { kind, step, text } of message.writtenSteps()) {
			const key = wordsKey(kind, step);
			this.#byStep.set(key, (this.#byStep.get(key) ?? "") + text);
		}
	}

	/** What they hold of a step's text or thinking. */
	of(kind: BlockKind, step: StepRef): string {
		return this.#byStep.get(wordsKey(kind, stepKey(step))) ?? "";
	}
}

function wordsKey(kind: BlockKind, step: string): string {
	return `${kind}:${step}`;
}
