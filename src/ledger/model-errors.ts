import type { StepError } from "../decode/step-types.ts";
import type { StreamStep } from "../stdout/stream-message.ts";

/** Errors of model calls as agy recorded them, by step. A model call that succeeds afterwards settles them. */
export class ModelErrors {
	readonly #errors = new Map<number, StepError>();

	fromRow(index: number, error: StepError): void {
		this.#errors.set(index, error);
	}

	/** stdout tells less than the row, so the row wins. */
	fromStdout({ index, error, textDelta }: StreamStep): void {
		const message = error?.message || error?.type || textDelta;
		if (message === "" || this.#errors.has(index)) return;
		const nothing = { short: "", full: "", details: "", modelMessage: "", code: 0 };
		this.#errors.set(index, { ...nothing, userMessage: message });
	}

	/** Those after step `index`, oldest first. */
	after(index: number): StepError[] {
		const open = [...this.#errors].filter(([at]) => at > index);
		return open.sort(([a], [b]) => a - b).map(([, error]) => error);
	}
}
