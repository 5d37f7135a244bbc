import { isAbsolute, resolve } from "node:path";
import type { Settings } from "../../config/schema.ts";
import type { Effort, ModelChoice, RunMode, RunRequest } from "../../engine/engine.ts";
import type { Failure } from "../../engine/failure.ts";
import { resolveAlias } from "../../models/alias.ts";
import type { CatalogueModel } from "../../models/catalogue-model.ts";
import type { EarlierDelegation } from "./earlier.ts";
import type { AskParameters } from "./parameters.ts";

/** What a call is judged by, beside its own words. */
export interface Situation {
	readonly settings: Pick<Settings, "defaultModel" | "defaultThinking" | "mode" | "permissions" | "toolsRunIn">;
	readonly models: readonly CatalogueModel[];
	/** False while agy was never asked for its models. */
	readonly modelsComplete: boolean;
	/** Absolute. */
	readonly sessionCwd: string;
	/** What is known of the conversation the call wants to continue. */
	readonly earlier: EarlierDelegation | undefined;
}

/** A call that makes sense, with everything decided that it left open. */
export interface Delegation {
	readonly task: string;
	readonly model: ModelChoice;
	readonly mode: RunMode;
	readonly permissions: Settings["permissions"];
	/** Absolute. Whether it exists is not known yet. */
	readonly cwd: string;
	readonly conversationId?: string;
	readonly context: "none" | "summary" | "full";
	/** Ask for a compact answer. */
	readonly compact: boolean;
	/** Absent: as the settings say. */
	readonly totalDeadlineMs?: number;
}

export type Decision = { readonly delegation: Delegation } | { readonly refused: Failure };

/** Decides what a call asks for. Pure: nothing is looked up or started. */
export function decideDelegation(params: AskParameters, situation: Situation): Decision {
	const { settings, sessionCwd, earlier } = situation;
	if (params.prompt.trim() === "") return refuse("The prompt is empty.", "Describe the task in `prompt`.");
	if (settings.toolsRunIn === "pi") {
		return refuse(
			"agy's own tools are switched off (the setting toolsRunIn), and a delegated task has no others.",
			"Do the task with your own tools.",
		);
	}
	if (params.conversationId !== undefined && earlier === undefined) {
		return refuse(
			`No earlier delegation has the conversation ${params.conversationId}.`,
			"Use an id that AskAntigravity reported, or leave `conversationId` out.",
		);
	}
	if (params.cwd !== undefined && !isAbsolute(params.cwd)) {
		return refuse(`\`cwd\` is not an absolute directory: ${params.cwd}.`, "Give the whole path.");
	}
	const cwd = resolve(params.cwd ?? earlier?.cwd ?? sessionCwd);
	if (earlier !== undefined && resolve(earlier.cwd) !== cwd) {
		return refuse(
			`The conversation ${earlier.conversationId} belongs to ${earlier.cwd}.`,
			"Leave `cwd` out, or start a new delegation there.",
		);
	}
	const model = chooseModel(params, situation);
	if ("kind" in model) return { refused: model };
	const mode = params.mode ?? settings.mode;
	const { timeoutMinutes } = params;
	return {
		delegation: {
			task: params.prompt,
			model,
			mode,
			permissions: settings.permissions,
			cwd,
			...(earlier !== undefined && { conversationId: earlier.conversationId }),
			context: params.context ?? "none",
			compact: params.digest ?? mode === "plan",
			...(timeoutMinutes !== undefined && { totalDeadlineMs: timeoutMinutes * 60_000 }),
		},
	};
}

/** The request for agy. `prompt` is the task with what belongs to it, `addDirs` where its files are. */
export function requestFor(delegation: Delegation, prompt: string, addDirs: readonly string[]): RunRequest {
	const { cwd, model, mode, permissions, conversationId, totalDeadlineMs } = delegation;
	return {
		prompt,
		cwd,
		addDirs,
		model,
		mode,
		permissions,
		...(conversationId !== undefined && { resume: { conversationId } }),
		purpose: "delegation",
		literalPrompt: true,
		...(totalDeadlineMs !== undefined && { totalDeadlineMs }),
	};
}

/** The model as people read it: `gemini-3.8-flash high`. */
export function modelName({ slug, base, effort }: ModelChoice): string {
	return base === undefined || effort === undefined ? slug : `${base} ${effort}`;
}

function chooseModel(params: AskParameters, { settings, models, modelsComplete, earlier }: Situation) {
	const name = params.model ?? earlier?.model ?? settings.defaultModel;
	const effort: Effort = params.thinking ?? earlier?.effort ?? settings.defaultThinking;
	const found = resolveAlias(models, name, effort, modelsComplete);
	if ("choice" in found) return found.choice;
	const { unknown, available, alike } = found;
	return { kind: "unknown-model", model: unknown, available, alike } satisfies Failure;
}

function refuse(problem: string, remedy: string): Decision {
	return { refused: { kind: "bad-request", problem, remedy } };
}
