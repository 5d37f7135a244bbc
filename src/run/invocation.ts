import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import type { Settings } from "../config/schema.ts";
import type { RunRequest } from "../engine/engine.ts";
import type { Failure } from "../engine/failure.ts";
import type { AgyFeatures } from "./agy-features.ts";
import type { VersionReader } from "./agy-version.ts";
import { buildCommandLine, type CommandLine } from "./command-line.ts";
import { type DataFolders, dataFolders } from "./data-folders.ts";
import { parseExtraArgs } from "./extra-args.ts";
import { locateAgy } from "./locate-agy.ts";
import { type StagedAgent, stageWordsOnlyAgent } from "./words-only-agent.ts";

export interface InvocationInput {
	readonly request: RunRequest;
	readonly settings: Settings;
	/** pi's own environment, where agy is looked for. */
	readonly parentEnv: Readonly<Record<string, string | undefined>>;
	/** The environment agy will run in. */
	readonly env: Readonly<Record<string, string>>;
	readonly versions: VersionReader;
	readonly printTimeoutMs: number;
	readonly platform: NodeJS.Platform;
}

/** agy, ready to be started for one request. */
export interface Invocation {
	readonly executable: string;
	readonly cwd: string;
	readonly features: AgyFeatures;
	readonly commandLine: Extract<CommandLine, { kind: "ok" }>;
	readonly folders: DataFolders;
	/** To be removed after the run. */
	readonly agent: StagedAgent | undefined;
}

export type Invocable =
	| { readonly kind: "ready"; readonly invocation: Invocation }
	| { readonly kind: "refused"; readonly failure: Failure };

/** Finds agy, learns what it can do, and puts its command line together. Refuses what cannot work before anything starts. */
export async function prepareInvocation(input: InvocationInput): Promise<Invocable> {
	const { request, settings, parentEnv, env, versions, platform } = input;
	const extra = parseExtraArgs(settings.extraArgs);
	if (extra.kind === "refused") return extra;
	const cwd = await workingFolder(request.cwd);
	if (cwd.kind === "refused") return cwd;
	const located = locateAgy({ agyPath: settings.agyPath, env: parentEnv, platform });
	if (located.kind === "missing") return refused({ kind: "not-installed", searched: located.searched });
	const version = await versions.read(located.path, env);
	if (version.kind === "failed") return refused(version.failure);

	const toolless = request.purpose === "words-only" && version.features.toollessAgents;
	const agent = toolless ? await stageWordsOnlyAgent() : undefined;
	const commandLine = buildCommandLine({
		request,
		settings,
		features: version.features,
		executable: located.path,
		realCwd: cwd.path,
		realAddDirs: await Promise.all(request.addDirs.map((folder) => realpath(folder).catch(() => folder))),
		printTimeoutMs: input.printTimeoutMs,
		...(agent !== undefined && { wordsOnlyAgent: agent }),
		platform,
	});
	if (commandLine.kind === "refused") {
		await agent?.remove();
		return commandLine;
	}
	const folders = dataFolders({ conversationsDir: settings.conversationsDir, extraArgs: extra.args, env });
	return {
		kind: "ready",
		invocation: { executable: located.path, cwd: cwd.path, features: version.features, commandLine, folders, agent },
	};
}

type Folder = { readonly kind: "ok"; readonly path: string } | { readonly kind: "refused"; readonly failure: Failure };

async function workingFolder(path: string): Promise<Folder> {
	try {
		const real = await realpath(path);
		if (!(await stat(real)).isDirectory()) return badFolder(path, "is not a folder");
		await access(real, constants.R_OK | constants.X_OK);
		return { kind: "ok", path: real };
	} catch (error) {
		const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
		return badFolder(path, missing ? "does not exist" : "cannot be read");
	}
}

function badFolder(path: string, what: string): Folder {
	const problem = `The working directory ${path} ${what}.`;
	return refused({ kind: "bad-request", problem, remedy: "Start pi in a folder that exists and can be read." });
}

function refused(failure: Failure): { readonly kind: "refused"; readonly failure: Failure } {
	return { kind: "refused", failure };
}
