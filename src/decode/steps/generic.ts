import type { ToolContext, ToolFacts } from "../tool-facts.ts";
import { summarise, toolKindOf } from "../tool-summary.ts";
import type { Message } from "../wire.ts";
import { argsOf } from "./args.ts";
import { diffFromArgs } from "./edits.ts";
import { mcpFromArgs } from "./mcp.ts";
import { mediaPaths } from "./media.ts";
import { progressText } from "./progress.ts";
import { subagentsInText } from "./subagents.ts";

/**
 * CortexStepGeneric {1 args, 2 result {1 result, 3 step_render_info {1 title, 2 markdown, 5 title_prefix, 8 progress {1 progress,
 * 2 progress_total, 3 progress_message}}, 4 media}}: a tool without a step type of its own. agy since 1.2 runs its built-in
 * tools this way too; what is in 6 payload of the result is read by `Envelope`.
 */
export function genericTool(body: Message, context: ToolContext): ToolFacts {
	const kind = toolKindOf(context.name);
	const result = body.message(2);
	const render = result.message(3);
	const ownArgs = () => Object.fromEntries(body.textMap(1));
	const args = () => ({ ...ownArgs(), ...context.args });
	return {
		kind,
		get args() {
			return ownArgs();
		},
		get summary() {
			const title = [render.text(5), render.text(1)].filter(Boolean).join(" ");
			return summarise(kind, args()) || title;
		},
		get output() {
			return result.text(1) || render.text(2) || undefined;
		},
		get diff() {
			return kind === "edit" ? diffFromArgs(args(), context.status) : undefined;
		},
		get mcp() {
			return kind === "mcp" ? mcpFromArgs(args()) : undefined;
		},
		get progress() {
			const progress = render.message(8);
			return progressText(progress.double(1), progress.double(2), progress.text(3));
		},
		get imagePaths() {
			return mediaPaths(result.messages(4));
		},
		get subagents() {
			return context.name === "invoke_subagent" ? subagentsInText(result.text(1)) : [];
		},
	};
}

/** A step type that only its metadata describes. */
export function otherTool(_body: Message, { name, args, status }: ToolContext): ToolFacts {
	const kind = toolKindOf(name);
	return {
		kind,
		args: {},
		get diff() {
			return kind === "edit" ? diffFromArgs(args, status) : undefined;
		},
	};
}

/** CortexStepAgencyToolCall {1 agent_name, 2 function_name}: another agent's function. */
export function agencyToolCall(body: Message, { name }: ToolContext): ToolFacts {
	return {
		kind: toolKindOf(name),
		get args() {
			return argsOf({ AgentName: body.text(1), FunctionName: body.text(2) });
		},
		get summary() {
			return [body.text(1), body.text(2)].filter(Boolean).join(".") || undefined;
		},
	};
}

/** CortexStepToolSearch {1 function_names}. */
export function toolSearch(body: Message): ToolFacts {
	return {
		kind: "other",
		get args() {
			return argsOf({ FunctionNames: body.texts(1) });
		},
		get summary() {
			return body.texts(1).join(", ") || undefined;
		},
	};
}
