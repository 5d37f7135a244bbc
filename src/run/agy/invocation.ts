import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "../../config/schema.ts";
import type { RunRequest } from "../../engine/engine.ts";
import type { Failure } from "../../engine/failure.ts";
import { codeOf } from "../../engine/thrown.ts";
import type { RegisteredServer, ToolServerRegistrar } from "../tool-server/registrar.ts";
import { type AgyFeatures, formatVersion } from "./agy-features.ts";
import type { VersionReader } from "./agy-version.ts";
import { buildCommandLine, type CommandLine } from "./command-line.ts";
import { type DataFolders, dataFolders } from "./data-folders.ts";
import { parseExtraArgs } from "./extra-args.ts";
import { locateAgy } from "./locate-agy.ts";
import { type AgentKind, stageAgent } from "./staged-agent.ts";

export interface InvocationInput {
	readonly request: RunRequest;
	readonly settings: Settings;
	/** pi's own environment, where agy is looked for. */
	readonly parentEnv: Readonly<Record<string, string | undefined>>;
	/** The environment agy will run in. */
	readonly env: Readonly<Record<string, string>>;
	readonly versions: VersionReader;
	readonly registrar: ToolServerRegistrar;
	/** Whether the agy that is to be started has got as far as answering. */
	readonly agyWorked: () => boolean;
	readonly printTimeoutMs: number;
	readonly platform: NodeJS.Platform;
	/** Nobody wants the run any more. */
	readonly signal: AbortSignal;
}

/** agy, ready to be started for one request. */
export interface Invocation {
	readonly executable: string;
	readonly cwd: string;
	readonly features: AgyFeatures;
	readonly commandLine: Extract<CommandLine, { kind: "ok" }>;
	/** The environment agy runs in. */
	readonly env: Readonly<Record<string, string>>;
	readonly folders: DataFolders;
	/** Takes away what was put up for this run. Never rejects. */
	release(): Promise<void>;
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
	const version = await versions.read(located.path, env, input.signal);
	if (version.kind === "failed") return refused(version.failure);

	const { features } = version;
	const kind = agentKind(request, features);
	if (typeof kind === "object") return kind;
	const folders = dataFolders({ conversationsDir: settings.conversationsDir, extraArgs: extra.args, env });
	const agent = kind && (await stageAgent(kind, kind === "words-only" ? cwd.path : undefined));
	const registered = await registerTools(input, features, folders);
	const release = async () => {
		await agent?.remove();
		await registered?.release();
	};
	const folderNames = [...request.addDirs, ...(registered?.directories ?? [])];
	const commandLine = buildCommandLine({
		request,
		settings,
		features,
		executable: located.path,
		realCwd: cwd.path,
		realAddDirs: await Promise.all(folderNames.map((folder) => realpath(folder).catch(() => folder))),
		printTimeoutMs: input.printTimeoutMs,
		...(agent !== undefined && { agent }),
		platform,
	});
	if (commandLine.kind === "refused") {
		await release();
		return commandLine;
	}
	const childEnv = { ...env, ...registered?.env };
	return {
		kind: "ready",
		invocation: { executable: located.path, cwd: cwd.path, features, commandLine, env: childEnv, folders, release },
	};
}

/** Which agent of ours agy has to be, if any; a refusal when it must be one and cannot. */
function agentKind(
	{ purpose, ownTools }: RunRequest,
	features: AgyFeatures,
): AgentKind | undefined | ReturnType<typeof refused> {
	if (purpose === "words-only") return features.toollessAgents ? "words-only" : undefined;
	if (ownTools !== "off") return undefined;
	if (features.toollessAgents) return "tools-only";
	const version = features.version === undefined ? "This agy" : `agy ${formatVersion(features.version)}`;
	const problem = `${version} cannot work without its own tools, as the setting toolsRunIn asks for (that needs agy 1.2.1).`;
	return refused({ kind: "bad-request", problem, remedy: "Update agy, or set toolsRunIn to agy." });
}

async function registerTools(
	{ request, settings, registrar, agyWorked }: InvocationInput,
	{ version }: AgyFeatures,
	{ gemini }: DataFolders,
): Promise<RegisteredServer | undefined> {
	if (request.toolServer === undefined) return undefined;
	const globalFile = settings.bridgeGlobalConfig ? join(gemini, "config", "mcp_config.json") : undefined;
	return registrar.register({
		server: request.toolServer,
		version: version === undefined ? "unknown" : formatVersion(version),
		globalFile,
		agyWorked,
	});
}

type Folder = { readonly kind: "ok"; readonly path: string } | { readonly kind: "refused"; readonly failure: Failure };

async function workingFolder(path: string): Promise<Folder> {
	try {
		const real = await realpath(path);
		if (!(await stat(real)).isDirectory()) return badFolder(path, "is not a folder");
		await access(real, constants.R_OK | constants.X_OK);
		return { kind: "ok", path: real };
	} catch (error) {
		return badFolder(path, codeOf(error) === "ENOENT" ? "does not exist" : "cannot be read");
	}
}

function badFolder(path: string, what: string): Folder {
	const problem = `The working directory ${path} ${what}.`;
	return refused({ kind: "bad-request", problem, remedy: "Start pi in a folder that exists and can be read." });
}

function refused(failure: Failure): { readonly kind: "refused"; readonly failure: Failure } {
	return { kind: "refused", failure };
}
