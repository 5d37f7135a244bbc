import type { Plain, PlainValue } from "../support/agy-proto.ts";
import { encode } from "../support/agy-proto.ts";
import type { StepColumns } from "./database.ts";
import { ownTime } from "./own-time.ts";

/** Numbers of CortexStepStatus. */
export const STATUS = { pending: 1, running: 2, done: 3, canceled: 6, error: 7, generating: 8, waiting: 9 } as const;

/** Numbers of CortexStepType. */
export const TYPE = {
	codeAction: 5,
	grep: 7,
	viewFile: 8,
	listDirectory: 9,
	userInput: 14,
	planner: 15,
	errorMessage: 17,
	runCommand: 21,
	checkpoint: 23,
	find: 25,
	readUrl: 31,
	searchWeb: 33,
	mcpTool: 38,
	ephemeral: 90,
	image: 91,
	deleteDirectory: 92,
	history: 98,
	systemMessage: 101,
	subagent: 127,
	generic: 132,
	question: 138,
} as const;

/** Numbers of CortexStepSource. */
export const SOURCE = { model: 2, userExplicit: 4, system: 5 } as const;

/** Where a row belongs: its execution is the turn, its generation the model call. */
export interface RowOrigin {
	conversationId: string;
	trajectoryId: string;
	executionId: string;
	generation: number;
	model: number;
}

/** One row of the conversation through its life. Change it, then `commit`: the whole row is written again, in place. */
export class StepRow {
	readonly idx: number;
	type: number;
	status = 0;
	/** The payload's own field, for example `{ runCommand: {…} }`. */
	body: Plain = {};
	/** Envelope fields beside it: error, requestedInteraction, permissions, completedInteractions, taskDetails. */
	envelope: Plain = {};
	metadata: Plain;
	/** Bytes after the known fields, for a step type nobody knows. */
	trailer: Uint8Array | undefined;
	readonly #transitions: Plain[] = [];
	readonly #write: (columns: StepColumns) => void;

	constructor(idx: number, type: number, source: number, origin: RowOrigin, write: (columns: StepColumns) => void) {
		this.idx = idx;
		this.type = type;
		this.#write = write;
		this.metadata = {
			createdAt: now(),
			source,
			executionId: origin.executionId,
			sourceTrajectoryStepInfo: {
				trajectoryId: origin.trajectoryId,
				stepIndex: idx,
				metadataIndex: origin.generation,
				cascadeId: origin.conversationId,
			},
		};
		if (source === SOURCE.model) {
			this.metadata.generatorModel = origin.model;
			this.metadata.requestedModel = { model: origin.model };
			this.metadata.stepGenerationVersion = 1;
		}
	}

	/** True while agy would still change it. */
	get open(): boolean {
		return this.status !== STATUS.done && this.status !== STATUS.canceled && this.status !== STATUS.error;
	}

	/** Takes over the metadata of a row that is already stored, its status transitions among it. */
	adopt(metadata: Plain): void {
		const { internalMetadata, ...rest } = metadata;
		this.metadata = rest;
		const stored = isPlain(internalMetadata) ? internalMetadata.statusTransitions : undefined;
		if (Array.isArray(stored)) this.#transitions.push(...stored.filter(isPlain));
	}

	commit(status: number = this.status): void {
		this.#moveTo(status);
		const metadata = { ...this.metadata, internalMetadata: { statusTransitions: this.#transitions } };
		const payload = encode("Step", { type: this.type, status, metadata, ...this.body, ...this.envelope });
		this.#write({
			...this.#columns(),
			metadata: encode("CortexStepMetadata", metadata),
			errorDetails: part("CortexErrorDetails", this.envelope.error),
			permissions: part("TrajectoryPermissions", this.envelope.permissions),
			taskDetails: part("TaskDetails", this.envelope.taskDetails),
			renderInfo: part("StepRenderInfo", renderInfoOf(this.body)),
			payload: this.trailer === undefined ? payload : Buffer.concat([payload, this.trailer]),
		});
	}

	/** The first phase of agy >= 1.1.18: the row is there, its payload is not yet. */
	commitPlaceholder(status: number, kind: "null" | "empty" | "envelope"): void {
		this.#moveTo(status);
		const envelope = encode("Step", { type: this.type, status });
		const payload = kind === "null" ? null : kind === "empty" ? new Uint8Array() : envelope;
		this.#write({ ...this.#columns(), payload });
	}

	#moveTo(status: number): void {
		if (status === this.status) return;
		this.status = status;
		const at = now();
		if (status === STATUS.running || this.metadata.startedAt === undefined) this.metadata.startedAt = at;
		if (!this.open) this.metadata.completedAt = at;
		this.#transitions.push({ updatedStatus: status, timestamp: at });
	}

	#columns(): StepColumns {
		const none = { metadata: null, errorDetails: null, permissions: null, taskDetails: null, renderInfo: null };
		return { idx: this.idx, stepType: this.type, status: this.status, payload: null, ...none };
	}
}

/** google.protobuf.Timestamp of this moment. */
export function now(): Plain {
	const ms = ownTime();
	return { seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 };
}

function part(message: string, value: Plain[string]): Uint8Array | null {
	return isPlain(value) ? encode(message, value) : null;
}

function renderInfoOf(body: Plain): Plain[string] {
	const result = isPlain(body.generic) ? body.generic.result : undefined;
	return isPlain(result) ? result.stepRenderInfo : undefined;
}

function isPlain(value: PlainValue | undefined): value is Plain {
	return typeof value === "object" && !Array.isArray(value) && !(value instanceof Uint8Array);
}
