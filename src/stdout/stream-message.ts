/** One line of agy's `--output-format stream-json`, or the single object of `json`, parsed and trimmed to what we use. */
export type StreamMessage = StreamInit | StreamStep | StreamResult;

export interface StreamInit {
	readonly event: "init";
	readonly conversationId: string | undefined;
	readonly model: string | undefined;
	readonly permissionMode: string | undefined;
}

export interface StreamStep {
	readonly event: "step";
	readonly conversationId: string | undefined;
	readonly index: number;
	readonly state: string;
	readonly stepType: string;
	readonly textDelta: string;
	readonly toolName: string | undefined;
	readonly toolParameters: { readonly [key: string]: unknown } | undefined;
	readonly toolOutput: string | undefined;
	readonly error: { readonly type: string; readonly message: string } | undefined;
	readonly usage: StreamUsage | undefined;
	readonly subagentConversationId: string | undefined;
}

export interface StreamResult {
	readonly event: "result";
	readonly conversationId: string | undefined;
	/** SUCCESS, OK, ERROR, CANCELED, WAITING, or what a later agy invents. */
	readonly status: string;
	readonly response: string;
	readonly error: string | undefined;
	readonly deniedActions: readonly { readonly action: string; readonly displayName: string | undefined }[];
	/** Cumulative over the conversation (seen with agy 1.2.17). */
	readonly usage: StreamUsage | undefined;
}

/** agy's own counting: `input` excludes cached tokens, `output` includes thinking. */
export interface StreamUsage {
	readonly input: number;
	readonly output: number;
	readonly thinking: number;
	readonly cacheRead: number;
}
