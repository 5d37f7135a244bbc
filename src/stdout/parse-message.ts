import { z } from "zod/v3";
import { parseJson } from "../engine/json.ts";
import type { StreamMessage, StreamResult, StreamStep, StreamUsage } from "./stream-message.ts";

/**
 * agy's JSON, tolerant on purpose: a field of an unexpected type counts as missing, unknown fields and events are
 * ignored. agy adds to it with almost every version.
 */
const text = z.string().optional().catch(undefined);
const count = z.number().nonnegative().catch(0).default(0);

const usageSchema = z
	.object({
		input_tokens: count,
		output_tokens: count,
		thinking_tokens: count,
		cache_read_tokens: count,
	})
	.optional()
	.catch(undefined);

const initSchema = z.object({
	conversation_id: text,
	model: text,
	permission_mode: text,
});

const stepSchema = z.object({
	conversation_id: text,
	step_index: z.number().int().nonnegative(),
	state: z.string().catch("").default(""),
	step_type: z.string().catch("").default(""),
	text_delta: z.string().catch("").default(""),
	tool_name: text,
	tool_info: z
		.object({ name: text, parameters: z.record(z.string(), z.unknown()).optional().catch(undefined), output: text })
		.optional()
		.catch(undefined),
	error: z
		.object({ type: z.string().catch("").default(""), message: z.string() })
		.optional()
		.catch(undefined),
	usage: usageSchema,
	subagent_info: z.object({ conversation_id: text }).optional().catch(undefined),
});

const resultSchema = z.object({
	conversation_id: text,
	status: z.string(),
	response: z.string().catch("").default(""),
	error: text,
	denied_actions: z.array(z.unknown()).catch([]).default([]),
	usage: usageSchema,
});

const deniedSchema = z.object({ action: z.string(), display_name: text });

const lineSchema = z.object({
	event: text,
	conversation_id: text,
	init: z.unknown().optional(),
	step_update: z.unknown().optional(),
	result: z.unknown().optional(),
});

/** `ignored`: well-formed, and nothing that is known here. `malformed`: not JSON of use, or not an object. */
export type ParsedLine = StreamMessage | "ignored" | "malformed";

/** One line of `stream-json`, or the single object of `json`, which has the fields of a result at its top. */
export function parseMessage(line: string): ParsedLine {
	const json = parseJson(line);
	const envelope = lineSchema.safeParse(json);
	if (!envelope.success) return "malformed";
	const { event, conversation_id, init, step_update, result } = envelope.data;
	switch (event) {
		case "init":
			return toInit(init ?? {}, conversation_id);
		case "step_update":
			return toStep(step_update, conversation_id);
		case "result":
			return toResult(result, conversation_id);
		case undefined:
			return toResult(json, conversation_id);
		default:
			return "ignored";
	}
}

function toInit(json: unknown, conversationId: string | undefined): ParsedLine {
	const parsed = initSchema.safeParse(json);
	if (!parsed.success) return "ignored";
	return {
		event: "init",
		conversationId: nonEmpty(parsed.data.conversation_id ?? conversationId),
		model: parsed.data.model,
		permissionMode: parsed.data.permission_mode,
	};
}

function toStep(json: unknown, conversationId: string | undefined): StreamStep | "ignored" {
	const parsed = stepSchema.safeParse(json);
	if (!parsed.success) return "ignored";
	const step = parsed.data;
	return {
		event: "step",
		conversationId: nonEmpty(step.conversation_id ?? conversationId),
		index: step.step_index,
		state: step.state,
		stepType: step.step_type,
		textDelta: step.text_delta,
		toolName: step.tool_name ?? step.tool_info?.name,
		toolParameters: step.tool_info?.parameters,
		toolOutput: step.tool_info?.output,
		error: step.error,
		usage: toUsage(step.usage),
		subagentConversationId: nonEmpty(step.subagent_info?.conversation_id),
	};
}

function toResult(json: unknown, conversationId: string | undefined): StreamResult | "ignored" {
	const parsed = resultSchema.safeParse(json);
	if (!parsed.success) return "ignored";
	const result = parsed.data;
	return {
		event: "result",
		conversationId: nonEmpty(result.conversation_id ?? conversationId),
		status: result.status,
		response: result.response,
		error: nonEmpty(result.error),
		deniedActions: result.denied_actions.flatMap((item) => {
			const denied = deniedSchema.safeParse(item);
			return denied.success ? [{ action: denied.data.action, displayName: denied.data.display_name }] : [];
		}),
		usage: toUsage(result.usage),
	};
}

function toUsage(usage: z.infer<typeof usageSchema>): StreamUsage | undefined {
	return (
		usage && {
			input: usage.input_tokens,
			output: usage.output_tokens,
			thinking: usage.thinking_tokens,
			cacheRead: usage.cache_read_tokens,
		}
	);
}

/** agy writes an empty id where there is none. */
function nonEmpty(value: string | undefined): string | undefined {
	return value === "" ? undefined : value;
}
