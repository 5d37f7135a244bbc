import type { ConversationRecord, ExecutorRecord, GenerationRecord } from "./step-types.ts";
import { usageOf } from "./steps/usage.ts";
import { Message } from "./wire.ts";

/** A row of `gen_metadata`: CortexStepGeneratorMetadata. What is missing or broken reads as empty. */
export function decodeGeneration(idx: number, data: Uint8Array): GenerationRecord {
	const record = new Message(data);
	const model = record.message(1);
	return {
		idx,
		usage: usageOf(model.message(4)),
		stepIndices: record.numbers(2),
		model: model.text(21) || model.text(19) || model.text(22),
	};
}

/** A row of `executor_metadata`: ExecutorMetadata. What is missing or broken reads as 0 and "". */
export function decodeExecutor(idx: number, data: Uint8Array): ExecutorRecord {
	const record = new Message(data);
	return {
		idx,
		terminationReason: record.number(1),
		lastStepIdx: record.number(3),
		error: record.text(12),
	};
}

/** The row of `trajectory_metadata_blob`: CortexTrajectoryMetadata. What is missing or broken reads as empty. */
export function decodeConversation(data: Uint8Array): ConversationRecord {
	const record = new Message(data);
	const folders = record.messages(1).map((workspace) => workspace.text(1));
	return {
		parentConversationId: record.text(5),
		workspaceUris: [...new Set([...record.texts(7), ...folders])].filter(Boolean),
	};
}
