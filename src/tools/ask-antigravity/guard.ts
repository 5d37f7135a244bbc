import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import type { ToolInfo } from "@earendil-works/pi-coding-agent";
import type { RunMode } from "../../engine/engine.ts";
import type { Failure } from "../../engine/failure.ts";
import { codeOf } from "../../engine/thrown.ts";
import { PROVIDER_ID } from "../../models/catalogue-model.ts";
import { isInsideAgy } from "../../run/process/environment.ts";
import { ASK_TOOL } from "./parameters.ts";

export interface Caller {
	/** The setting of the same name. */
	readonly enabled: boolean;
	/** pi's provider id of the active model, and of the model whose message holds the call; they differ for virtual models. */
	readonly providers: readonly (string | undefined)[];
	/** pi's own environment. */
	readonly env: Readonly<Record<string, string | undefined>>;
}

/** Why this caller may not delegate at all, or undefined. An agy that asks agy would go on for ever. */
export function refuseCaller({ enabled, providers, env }: Caller): Failure | undefined {
	if (!enabled) return refusal("AskAntigravity is switched off.", "The setting `askAntigravity` switches it on.");
	if (providers.includes(PROVIDER_ID)) {
		return refusal(
			"AskAntigravity is not for Antigravity's own models: agy would be asking itself.",
			"Do the task with your own tools.",
		);
	}
	if (isInsideAgy(env)) {
		return refusal("This pi was started by agy, and must not ask agy in turn.", "Do the task with your own tools.");
	}
	return undefined;
}

export type Directory = { readonly real: string } | { readonly refused: Failure };

/** The directory without links. Refuses what is not there or no directory. */
export async function findDirectory(path: string): Promise<Directory> {
	const bad = (what: string) => ({
		refused: refusal(`The directory ${path} ${what}.`, "Give `cwd` as one that exists."),
	});
	try {
		const real = await realpath(path);
		return (await stat(real)).isDirectory() ? { real } : bad("is not a directory");
	} catch (error) {
		return bad(codeOf(error) === "ENOENT" ? "does not exist" : "cannot be read");
	}
}

/** The name under which delegations that may edit exclude each other; undefined for those that may run side by side. */
export function editLockName(mode: RunMode, realDirectory: string): string | undefined {
	if (mode === "plan") return undefined;
	return `edits-${createHash("sha256").update(realDirectory).digest("hex").slice(0, 32)}`;
}

/** Who else has registered a tool of our name, as people know it. Call before ours is registered. */
export function otherOwner(tools: readonly ToolInfo[]): string | undefined {
	const info = tools.find((tool) => tool.name === ASK_TOOL)?.sourceInfo;
	if (info === undefined) return undefined;
	return info.origin === "package" ? info.source : info.path;
}

function refusal(problem: string, remedy: string): Failure {
	return { kind: "bad-request", problem, remedy };
}
