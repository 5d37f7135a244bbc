import type { Settings } from "../../config/schema.ts";
import type { ModelChoice, RunRequest } from "../../engine/engine.ts";
import type { Failure } from "../../engine/failure.ts";
import { isShim } from "../process/windows-shim.ts";
import { type AgyFeatures, FLOOR, formatVersion } from "./agy-features.ts";
import { fitsCommandLine } from "./argument-limits.ts";
import { parseExtraArgs, withoutFlags } from "./extra-args.ts";

export interface CommandLineInput {
	readonly request: RunRequest;
	readonly settings: Pick<Settings, "extraArgs" | "sandbox" | "promptVia">;
	readonly features: AgyFeatures;
	/** Absolute path of the agy binary. */
	readonly executable: string;
	/** The request's `cwd` and `addDirs` with links resolved; agy silently drops a relative one. */
	readonly realCwd: string;
	readonly realAddDirs: readonly string[];
	/** Later than every deadline of ours, in milliseconds, so that agy never cuts a turn by itself. */
	readonly printTimeoutMs: number;
	/** The agent staged for this run: one without tools for `words-only`, one with pi's tools where agy's own are off. */
	readonly agent?: { readonly name: string; readonly directory: string };
	readonly platform?: NodeJS.Platform;
}

export type CommandLine =
	| {
			readonly kind: "ok";
			readonly argv: readonly string[];
			/** The prompt, when it travels this way; stdin is closed from the start otherwise. */
			readonly stdin: string | undefined;
			readonly output: "stream-json" | "text";
			/** The arguments without the prompt, for the log. */
			readonly loggedArgv: readonly string[];
			/** What was asked and cannot be had from this agy; sentences for a notice. */
			readonly warnings: readonly string[];
	  }
	| { readonly kind: "refused"; readonly failure: Failure };

/** Extra arguments that would give a words-only call tools, or leave to use them. */
const NOT_FOR_WORDS: ReadonlySet<string> = new Set(["dangerously-skip-permissions", "agent", "mode"]);

/** Pure: how agy is called for a request. Flags come first, the extra arguments after ours (so they win), the prompt last. */
export function buildCommandLine(input: CommandLineInput): CommandLine {
	const { request, settings, features, platform = process.platform } = input;
	if (features.belowFloor && features.version !== undefined) {
		return refused({ kind: "too-old", version: formatVersion(features.version), floor: FLOOR });
	}
	if (request.prompt.trim() === "") return badRequest("The prompt is empty.", "Write something for agy to do.");
	const extra = parseExtraArgs(settings.extraArgs);
	if (extra.kind === "refused") return refused(extra.failure);

	const warnings: string[] = [];
	const flags = [
		...workspaceFlags(input),
		...(request.resume === undefined ? [] : ["--conversation", request.resume.conversationId]),
		...(features.streamJson ? ["--output-format", "stream-json"] : []),
		...modelFlags(request.model, features, warnings),
		...modeFlags(request, features, warnings),
		...permissionFlags(request, settings.sandbox, features, warnings),
		...(usesLiteralPrompt(request, features) ? ["--disable-slash-commands"] : []),
		"--print-timeout",
		goDuration(input.printTimeoutMs),
		...(request.purpose === "words-only" ? withoutFlags(extra.args, NOT_FOR_WORDS) : extra.args),
	];
	const delivery = deliverPrompt({ ...input, platform }, flags, warnings);
	if (delivery === undefined) {
		return badRequest(
			`The prompt (${Buffer.byteLength(request.prompt)} bytes) does not fit into a command line.`,
			"Send less text, or update agy, so that it can be handed over on stdin.",
		);
	}
	return {
		kind: "ok",
		...delivery,
		output: features.streamJson ? "stream-json" : "text",
		loggedArgv: delivery.stdin === undefined ? [...flags, "--print=…"] : flags,
		warnings,
	};
}

/**
 * Always all folders, on every turn: without them agy works in a scratch folder of its own, and a resumed conversation
 * does not bring them back.
 */
function workspaceFlags({ realCwd, realAddDirs, agent }: CommandLineInput): string[] {
	const folders = new Set([realCwd, ...realAddDirs]);
	if (agent !== undefined) folders.add(agent.directory);
	const agentFlag = agent === undefined ? [] : ["--agent", agent.name];
	return [...[...folders].flatMap((folder) => ["--add-dir", folder]), ...agentFlag];
}

function modelFlags(model: ModelChoice | undefined, features: AgyFeatures, warnings: string[]): string[] {
	if (model === undefined) return [];
	const isLabel = /[ ()]/.test(model.slug);
	if (!features.slugs && !isLabel) {
		warnings.push(`${agyName(features)} cannot be told to use ${model.slug}; it answers with its own default model.`);
		return [];
	}
	// A full slug works with every agy that has slugs. A bare one needs its effort beside it.
	const isBare = model.base !== undefined && model.base === model.slug;
	const effort = isBare && model.effort !== undefined && features.effort ? ["--effort", model.effort] : [];
	return ["--model", model.slug, ...effort];
}

function modeFlags(request: RunRequest, features: AgyFeatures, warnings: string[]): string[] {
	if (features.mode) return ["--mode", request.mode];
	if (request.mode === "plan") warnings.push(`${agyName(features)} has no plan mode here; it works directly.`);
	return [];
}

function permissionFlags(request: RunRequest, sandbox: boolean, features: AgyFeatures, warnings: string[]): string[] {
	const skip = request.permissions === "skip" && request.purpose !== "words-only";
	if (sandbox && skip) {
		warnings.push("The sandbox is no boundary while permissions are skipped: agy may leave it without asking.");
	}
	return [...(skip ? ["--dangerously-skip-permissions"] : []), ...(sandbox && features.sandbox ? ["--sandbox"] : [])];
}

/** The flag costs plan mode (agy 1.1.14 says so on stderr), so it is left out there. */
function usesLiteralPrompt(request: RunRequest, features: AgyFeatures): boolean {
	return request.literalPrompt && features.disableSlashCommands && !(request.mode === "plan" && features.mode);
}

function deliverPrompt(
	input: CommandLineInput & { readonly platform: NodeJS.Platform },
	flags: readonly string[],
	warnings: string[],
): { argv: readonly string[]; stdin: string | undefined } | undefined {
	const { request, settings, features, executable, platform } = input;
	// Attached, since agy takes the next word for the prompt otherwise, and a prompt may begin with a dash.
	const withPrompt = [...flags, `--print=${request.prompt}`];
	const fits = fitsCommandLine(executable, withPrompt, platform) && !isShimOnWindows(executable, platform);
	if (features.stdinPrompt && (settings.promptVia === "stdin" || !fits)) return { argv: flags, stdin: request.prompt };
	if (!fits) return undefined;
	if (settings.promptVia === "stdin") {
		warnings.push(`${agyName(features)} cannot read the prompt from stdin; it stands in the process list.`);
	}
	return { argv: withPrompt, stdin: undefined };
}

/** cmd.exe would read parts of a prompt as commands. */
function isShimOnWindows(executable: string, platform: NodeJS.Platform): boolean {
	return platform === "win32" && isShim(executable);
}

/** A Go duration; whole seconds, rounded up. (A bare number is a flag error.) */
export function goDuration(ms: number): string {
	return `${Math.max(1, Math.ceil(ms / 1000))}s`;
}

function agyName(features: AgyFeatures): string {
	return features.version === undefined
		? "This agy (its version is unknown)"
		: `agy ${formatVersion(features.version)}`;
}

function badRequest(problem: string, remedy: string): CommandLine {
	return refused({ kind: "bad-request", problem, remedy });
}

function refused(failure: Failure): CommandLine {
	return { kind: "refused", failure };
}
