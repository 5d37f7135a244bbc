import type { PlannedCall, ToolBody } from "../decode/step-types.ts";
import { actionOf } from "../decode/tool-access.ts";
import { summarise, toolKindOf } from "../decode/tool-summary.ts";
import type { JsonObject, ToolEvent } from "../engine/events.ts";
import { jsonObjectSchema } from "../engine/json.ts";
import type { StreamStep } from "../stdout/stream-message.ts";

/** Everything about a tool but where it stands in the conversation and in its life. */
export type ToolDescription = Omit<ToolEvent, "type" | "step" | "state" | "callId"> & { readonly callId?: string };

/** A tool as its row shows it; what the row leaves out is taken from the planner's call. */
export function describeRow(body: ToolBody, plannedCall: (id: string) => PlannedCall | undefined): ToolDescription {
	const planned = body.callId === undefined ? undefined : plannedCall(body.callId);
	const hasArgs = Object.keys(body.args).length > 0;
	return {
		name: body.name || planned?.name || "tool",
		kind: body.toolKind,
		args: hasArgs ? body.args : (planned?.args ?? body.args),
		summary: body.summary,
		...present({
			callId: body.callId,
			output: body.output,
			exitCode: body.exitCode,
			diff: body.diff,
			error: body.error,
			wait: body.wait,
			mcp: body.mcp,
			progress: body.progress,
			imagePaths: body.imagePaths,
			task: body.task && { id: body.task.id, ...present({ logPath: body.task.logPath }) },
			startedAt: body.startedAt,
			endedAt: body.endedAt,
		}),
	};
}

/** A tool as stdout's `tool_info` shows it: no diff, no exit code, no times. */
export function describeStdout(stdout: StreamStep): ToolDescription {
	const name = stdout.toolName ?? "tool";
	const parsed = jsonObjectSchema.safeParse(stdout.toolParameters ?? {});
	const args: JsonObject = parsed.success ? parsed.data : {};
	const kind = toolKindOf(name);
	const summary = summarise(kind, args);
	return {
		name,
		kind,
		args,
		summary,
		...present({
			output: stdout.toolOutput,
			error: stdout.error && describeError(stdout.error, { action: actionOf({ kind, name }), target: summary }),
		}),
	};
}

/** `access`: what the tool needs permission for. */
function describeError(
	error: { readonly type: string; readonly message: string },
	access: { readonly action: string; readonly target: string },
): ToolEvent["error"] {
	const message = error.message || error.type;
	if (/denied by .*hook/i.test(message)) return { message, denied: { by: "hook" } };
	if (/permission/i.test(message) && /denied/i.test(message))
		return { message, denied: { by: "permission", ...access } };
	return { message };
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The properties that have a value: optional properties may be absent, but not undefined. */
function present<T extends object>(properties: T): Present<T> {
	const entries = Object.entries(properties).filter(([, value]) => value !== undefined);
	return Object.fromEntries(entries) as Present<T>;
}
