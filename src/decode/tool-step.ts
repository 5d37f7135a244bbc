import type { FileDiff, JsonObject, ToolError, ToolKind, ToolWait } from "../engine/events.ts";
import type { PlannedCall, StepStatus, ToolBody } from "./step-types.ts";
import type { Envelope } from "./steps/envelope.ts";
import { errorDetails } from "./steps/error-details.ts";
import { pathOf } from "./steps/file-uri.ts";
import { genericTool } from "./steps/generic.ts";
import { answeredQuestions, questionsText } from "./steps/questions.ts";
import { type Known, remember } from "./steps/remember.ts";
import { StepMetadata } from "./steps/step-metadata.ts";
import { type Access, requestedAccess, waitOf, wasRefused } from "./tool-access.ts";
import { toolError } from "./tool-error.ts";
import type { ToolContext, ToolFacts } from "./tool-facts.ts";
import type { ToolType } from "./tool-registry.ts";
import { oneLine, summarise } from "./tool-summary.ts";

/** Fields of gemini_coder.Step that every tool shares. TaskDetails has {1 id, 2 log_uri, 3 progress}. */
const METADATA = 5;
const ERROR = 31;
const REQUESTED_INTERACTION = 56;
const COMPLETED_INTERACTIONS = 147;
const TASK_DETAILS = 148;
const ASK_QUESTION = 22;

/** One of agy's tools: what its own message says, and what the envelope around it says about every tool. */
export class ToolStep implements ToolBody {
	readonly kind = "tool";
	readonly #envelope: Envelope;
	readonly #type: ToolType;
	readonly #status: StepStatus;
	readonly #terminal: boolean;
	readonly #known: Known<ToolBody> = {};

	constructor(envelope: Envelope, type: ToolType, status: StepStatus, terminal: boolean) {
		this.#envelope = envelope;
		this.#type = type;
		this.#status = status;
		this.#terminal = terminal;
	}

	get callId(): string | undefined {
		return this.#call.id || undefined;
	}

	get name(): string {
		return this.#call.name || this.#type.name;
	}

	get toolKind(): ToolKind {
		return this.#facts.kind;
	}

	get args(): JsonObject {
		return remember(this.#known, "args", () => {
			const candidates = [this.#call.args, this.#factArgs];
			return candidates.find((args) => !isEmpty(args)) ?? this.#wrapper?.args ?? {};
		});
	}

	get summary(): string {
		return remember(this.#known, "summary", () => {
			const own = this.#facts.summary || summarise(this.toolKind, { ...this.args, ...this.#factArgs });
			return oneLine(own || this.#wrapper?.summary || this.#metadata.label);
		});
	}

	get output(): string | undefined {
		return remember(this.#known, "output", () => {
			return this.#facts.output ?? this.#wrapper?.output ?? questionsText(this.questions);
		});
	}

	/** A command that was refused has not run, though its row may be done with no code, which would read as 0. */
	get exitCode(): number | undefined {
		return this.error?.denied === undefined ? this.#facts.exitCode : undefined;
	}

	get diff(): FileDiff | undefined {
		return remember(this.#known, "diff", () => this.#facts.diff);
	}

	get error(): ToolError | undefined {
		return remember(this.#known, "error", () => {
			const details = this.#envelope.shared(ERROR);
			return toolError({
				status: this.#status,
				details: details.isEmpty ? undefined : errorDetails(details),
				problem: this.#facts.problem,
				refused: this.#facts.rejected === true || wasRefused(this.#envelope.sharedList(COMPLETED_INTERACTIONS)),
				access: () => this.#access,
			});
		});
	}

	get wait(): ToolWait | undefined {
		return this.#status === "waiting" ? waitOf(this.#requested, this.#accessContext) : undefined;
	}

	get mcp(): ToolBody["mcp"] {
		return this.#facts.mcp;
	}

	get progress(): string | undefined {
		const own = this.#facts.progress ?? this.#wrapper?.progress;
		return own ?? (this.#envelope.shared(TASK_DETAILS).text(3) || undefined);
	}

	get imagePaths(): readonly string[] | undefined {
		const paths = [...(this.#facts.imagePaths ?? []), ...(this.#wrapper?.imagePaths ?? [])];
		return paths.length > 0 ? paths : undefined;
	}

	get task(): ToolBody["task"] {
		const details = this.#envelope.shared(TASK_DETAILS);
		const id = details.text(1);
		if (id === "") return undefined;
		const logPath = pathOf(details.text(2));
		return { id, ...(logPath === "" ? {} : { logPath }) };
	}

	get subagents(): ToolBody["subagents"] {
		const own = this.#facts.subagents ?? [];
		return own.length > 0 ? own : (this.#wrapper?.subagents ?? []);
	}

	get questions(): ToolBody["questions"] {
		return remember(this.#known, "questions", () => {
			const { inner } = this.#envelope;
			const inStep = this.#type.name === "ask_question" ? inner.message(this.#type.field).messages(1) : [];
			const asked = inStep.length > 0 ? inStep : this.#requested.message(ASK_QUESTION).messages(1);
			if (asked.length === 0) return [];
			const answer = this.#envelope
				.sharedList(COMPLETED_INTERACTIONS)
				.findLast((done) => done.message(2).has(ASK_QUESTION));
			const responses = answer?.message(2).message(ASK_QUESTION).messages(1) ?? [];
			return answeredQuestions(asked, responses);
		});
	}

	get startedAt(): number | undefined {
		return this.#metadata.startedAt;
	}

	get endedAt(): number | undefined {
		return this.#terminal ? this.#metadata.endedAt : undefined;
	}

	#callOnce: PlannedCall | undefined;
	get #call(): PlannedCall {
		this.#callOnce ??= this.#metadata.call;
		return this.#callOnce;
	}

	#factsOnce: ToolFacts | undefined;
	get #facts(): ToolFacts {
		this.#factsOnce ??= this.#type.decode(this.#envelope.inner.message(this.#type.field), this.#context);
		return this.#factsOnce;
	}

	#factArgsOnce: JsonObject | undefined;
	get #factArgs(): JsonObject {
		this.#factArgsOnce ??= this.#facts.args;
		return this.#factArgsOnce;
	}

	/** What the generic step around a wrapped one says; it fills the gaps. */
	get #wrapper(): ToolFacts | undefined {
		const wrapper = this.#envelope.wrapper;
		return wrapper && genericTool(wrapper, { status: this.#status, name: this.name, args: this.#call.args });
	}

	get #context(): ToolContext {
		const args = isEmpty(this.#call.args) ? (this.#wrapper?.args ?? {}) : this.#call.args;
		return { status: this.#status, name: this.name, args };
	}

	#metadataOnce: StepMetadata | undefined;
	get #metadata(): StepMetadata {
		this.#metadataOnce ??= new StepMetadata(this.#envelope.shared(METADATA));
		return this.#metadataOnce;
	}

	get #requested() {
		return this.#envelope.shared(REQUESTED_INTERACTION);
	}

	get #access(): Access {
		return requestedAccess(this.#requested, this.#accessContext);
	}

	get #accessContext() {
		return {
			kind: this.toolKind,
			name: this.name,
			summary: this.summary,
			restrictedPath: this.#facts.restrictedPath,
		};
	}
}

function isEmpty(object: JsonObject): boolean {
	for (const _key in object) return false;
	return true;
}
