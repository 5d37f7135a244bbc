import type { ConversationRecord, ExecutorRecord, GenerationRecord } from "./step-types.ts";
import { usageOf } from "./steps/usage.ts";
import { Message } from "./wire.ts";

/**
 * A row of `gen_metadata`: CortexStepGeneratorMetadata {1 chat_model {4 usage, 19 response_model, 21 model_display_name,
 * 22 response_model_full}, 2 step_indices}. What is missing or broken reads as empty.
 */
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

/**
 * A row of `executor_metadata`: ExecutorMetadata {1 termination_reason, 3 last_step_idx, 12 execution_error}. What is missing or
 * broken reads as 0 and "".
 */
export function decodeExecutor(idx: number, data: Uint8Array): ExecutorRecord {
	const record = new Message(data);
	return {
		idx,
		terminationReason: record.number(1),
		lastStepIdx: record.number(3),
		error: record.text(12),
	};
}

/**
 * The row of `trajectory_metadata_blob`: CortexTrajectoryMetadata {1 workspaces {1 workspace_folder_absolute_uri},
 * 5 parent_conversation_id, 7 workspace_uris}. What is missing or broken reads as empty.
 */
export function decodeConversation(data: Uint8Array): ConversationRecord {
	const record = new Message(data);
	const folders = record.messages(1).map((workspace) => workspace.text(1));
	return {
		parentConversationId: record.text(5),
		workspaceUris: [...new Set([...record.texts(7), ...folders])].filter(Boolean),
	};
}
