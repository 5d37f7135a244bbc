import { isTerminal, stepStatus } from "./step-status.ts";
import type { Step, StepBody, StepRow, StepStatus, StepUsage } from "./step-types.ts";
import { checkpoint, errorMessage, systemMessage, userInput } from "./steps/conversation.ts";
import { Envelope } from "./steps/envelope.ts";
import { PlannerStep } from "./steps/planner.ts";
import { StepMetadata } from "./steps/step-metadata.ts";
import { toolTypeOf, unknownTool } from "./tool-registry.ts";
import { ToolStep } from "./tool-step.ts";
import { Message } from "./wire.ts";

/** CortexStepType of the steps that are no tools. */
const USER_INPUT = 14;
const PLANNER_RESPONSE = 15;
const ERROR_MESSAGE = 17;
const CHECKPOINT = 23;
const SYSTEM_MESSAGE = 101;

const METADATA_FIELD = 5;

/** The newest CortexStepType in the descriptors this reader was written after. */
const NEWEST_TYPE = 140;

/** Whether agy has written a kind or a state of step that this reader does not know. */
export function isUnknownStep({ type, status }: Pick<Step, "type" | "status">): boolean {
	return type > NEWEST_TYPE || status === "unknown";
}

/** A row of `steps`, decoded as far as it is looked at. Never throws, here or later, whatever the payload holds. */
export function decodeStep(row: StepRow): Step {
	return new RowStep(row);
}

class RowStep implements Step {
	readonly idx: number;
	readonly type: number;
	readonly status: StepStatus;
	readonly terminal: boolean;
	readonly #payload: Uint8Array;

	constructor(row: StepRow) {
		this.idx = row.idx;
		this.type = row.stepType;
		this.status = stepStatus(row.status);
		this.terminal = isTerminal(this.status);
		this.#payload = row.payload;
	}

	get trajectory(): string {
		return this.#metadata.trajectory;
	}

	get usage(): StepUsage | undefined {
		return this.#metadata.usage;
	}

	#bodyOnce: StepBody | undefined;
	get body(): StepBody {
		this.#bodyOnce ??= this.#decodeBody();
		return this.#bodyOnce;
	}

	#decodeBody(): StepBody {
		const field = (number: number) => this.#message.message(number);
		switch (this.type) {
			case USER_INPUT:
				return userInput(field(19));
			case PLANNER_RESPONSE:
				return new PlannerStep(field(20), this.status);
			case ERROR_MESSAGE:
				return errorMessage(field(24));
			case CHECKPOINT:
				return checkpoint(field(30), this.status);
			case SYSTEM_MESSAGE:
				return systemMessage(field(114));
			default:
				return this.#decodeTool();
		}
	}

	#decodeTool(): StepBody {
		const envelope = new Envelope(this.type, this.#payload);
		const known = toolTypeOf(envelope.type);
		if (known === undefined && !this.#namesTool()) return { kind: "silent" };
		return new ToolStep(envelope, known ?? unknownTool, this.status, this.terminal);
	}

	#namesTool(): boolean {
		return this.#metadata.hasCall || this.#metadata.label !== "";
	}

	#messageOnce: Message | undefined;
	get #message(): Message {
		this.#messageOnce ??= new Message(this.#payload);
		return this.#messageOnce;
	}

	#metadataOnce: StepMetadata | undefined;
	get #metadata(): StepMetadata {
		this.#metadataOnce ??= new StepMetadata(this.#message.message(METADATA_FIELD));
		return this.#metadataOnce;
	}
}
