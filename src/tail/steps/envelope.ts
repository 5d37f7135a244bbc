import { toolTypeOf } from "../tool-registry.ts";
import { Message } from "../wire.ts";

const GENERIC_STEP = 132;
const GENERIC_FIELD = 140;
const MAX_WRAPPERS = 4;

/**
 * gemini_coder.Step, the payload of a row. Since 1.2 agy runs its built-in tools as generic steps and puts the step that
 * the tool would have been before into their result: such a row is read as that step, with the row's own envelope around.
 */
export class Envelope {
	readonly outer: Message;
	readonly inner: Message;
	/** The step type that says what `inner` holds. */
	readonly type: number;

	constructor(stepType: number, payload: Uint8Array) {
		this.outer = new Message(payload);
		let [type, inner] = [stepType, this.outer];
		for (let depth = 0; depth < MAX_WRAPPERS && type === GENERIC_STEP; depth++) {
			const wrapped = wrappedStep(inner.message(GENERIC_FIELD));
			if (wrapped === undefined) break;
			[type, inner] = [wrapped.number(1), wrapped];
		}
		this.type = type;
		this.inner = inner;
	}

	/** The generic message around the step; undefined when nothing is wrapped. */
	get wrapper(): Message | undefined {
		return this.inner === this.outer ? undefined : this.outer.message(GENERIC_FIELD);
	}

	/** Parts that belong to the row, such as its metadata; the wrapped step may have kept them instead. */
	shared(field: number): Message {
		return (this.outer.has(field) ? this.outer : this.inner).message(field);
	}

	sharedList(field: number): Message[] {
		return (this.outer.has(field) ? this.outer : this.inner).messages(field);
	}
}

/** `generic.result.payload`, a google.protobuf.Any {1 type_url, 2 value}, when it holds a step of a tool we know. */
function wrappedStep(generic: Message): Message | undefined {
	const any = generic.message(2).message(6);
	if (!/[/.]gemini_coder\.Step$/.test(any.text(1))) return undefined;
	const step = any.message(2);
	return toolTypeOf(step.number(1)) === undefined ? undefined : step;
}
