import { AGENCY_TOOL_CALL_STEP, GENERIC_STEP, toolTypeOf } from "../tool-registry.ts";
import { Message } from "../wire.ts";

const GENERIC_FIELD = 140;
const AGENCY_TOOL_CALL_FIELD = 116;
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
		for (let depth = 0; depth < MAX_WRAPPERS; depth++) {
			const wrapped = wrappedStep(type, inner);
			if (wrapped === undefined) break;
			[type, inner] = [wrapped.number(1), wrapped];
		}
		this.type = type;
		this.inner = inner;
	}

	/** The generic message around the step, empty if it is another one; undefined when nothing is wrapped. */
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

/** The step of a tool we know that stands in the result of another step. A gemini_coder.Step has its CortexStepType in 1. */
function wrappedStep(type: number, step: Message): Message | undefined {
	const steps = resultsOf(type, step)
		.filter(holdsStep)
		.map((any) => any.message(2));
	return steps.find((wrapped) => toolTypeOf(wrapped.number(1)) !== undefined);
}

function resultsOf(type: number, step: Message): Message[] {
	switch (type) {
		case GENERIC_STEP:
			return [step.message(GENERIC_FIELD).message(2).message(6)];
		case AGENCY_TOOL_CALL_STEP:
			return step.message(AGENCY_TOOL_CALL_FIELD).messages(4);
		default:
			return [];
	}
}

/** google.protobuf.Any {1 type_url, 2 value}. */
function holdsStep(any: Message): boolean {
	return /[/.]gemini_coder\.Step$/.test(any.text(1));
}
