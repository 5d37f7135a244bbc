import type { Settings } from "../config/schema.ts";
import type { RunRequest } from "../engine/engine.ts";
import type { AgyEvent } from "../engine/events.ts";
import { formatVersion } from "./agy/agy-features.ts";
import type { Invocation } from "./agy/invocation.ts";
import { Attempt, type Readers } from "./attempt.ts";
import { ConversationFinder } from "./binding/conversation-finder.ts";
import { snapshotConversations } from "./binding/conversation-folder.ts";
import { ConversationFollower } from "./binding/conversation-follower.ts";
import { parentReader } from "./binding/read-parent.ts";
import type { Limits } from "./ending/deadlines.ts";
import { markerVariable, type RunMark } from "./process/environment.ts";
import { recordRun } from "./process/orphans.ts";
import { type StartResult, startProcess } from "./process/process.ts";
import { isConversationLocked } from "./process/run-locks.ts";
import type { RunContext } from "./run-context.ts";
import { scratchNotice } from "./scratch-writes.ts";

export interface AttemptSetup {
	readonly request: RunRequest;
	readonly invocation: Invocation;
	readonly settings: Settings;
	readonly limits: Limits;
	readonly mark: RunMark;
	readonly context: RunContext;
	readonly emit: (event: AgyEvent) => void;
}

export interface PreparedAttempt {
	/** `run` starts agy. */
	readonly attempt: Attempt;
	/** Call when its process is gone. Never rejects. */
	readonly release: () => Promise<void>;
}

/**
 * Puts the parts of one agy process together: its readers, the follower of its conversation, the guardian, and the note by which the
 * next pi would find it.
 */
export async function prepareAttempt(setup: AttemptSetup): Promise<PreparedAttempt> {
	const { request, invocation, settings, limits, context, emit } = setup;
	const { clock, table, openFiles, folders, patience } = context;
	const sqlite = await context.sqlite();
	const folder = invocation.folders.conversations;
	const resume = request.resume?.conversationId;
	const before = await snapshotConversations(folder);
	const usageBefore = resume === undefined ? undefined : context.usageTotals.get(resume);
	const releases: (() => void | Promise<void>)[] = [];
	const attempt = new Attempt({
		request,
		output: invocation.commandLine.output,
		folder,
		limits,
		patience: { ...patience, backgroundMs: settings.backgroundGraceSeconds * 1_000 },
		...(usageBefore && { usageBefore }),
		clock,
		emit(event) {
			emit(event);
			const notice = scratchNotice(event, invocation.folders);
			if (notice) emit(notice);
		},
		follower: (observe) =>
			new ConversationFollower({
				folder,
				resume,
				namedOnStdout: invocation.commandLine.output === "stream-json",
				sqlite,
				fileEvents: settings.fileEvents,
				clock,
				observe,
				finder: new ConversationFinder({
					folder,
					before,
					...(resume !== undefined && { resume }),
					openFiles,
					readParent: parentReader(sqlite),
					isTaken: (id) => isConversationLocked(folders.locks, id),
					everyPid: async () => (await table.list()).map(({ pid }) => pid),
				}),
			}),
		start: (readers) => startAgy(setup, readers, releases),
	});
	return {
		attempt,
		async release() {
			for (const give of releases) await Promise.resolve(give()).catch(() => {});
		},
	};
}

async function startAgy(
	{ invocation, mark, context }: AttemptSetup,
	readers: Readers,
	releases: (() => void | Promise<void>)[],
): Promise<StartResult> {
	const { clock, table, platform, folders, log } = context;
	const { guardian } = await context.own();
	const { executable, cwd, env, commandLine, features } = invocation;
	const started = await startProcess({
		executable,
		argv: commandLine.argv,
		cwd,
		env,
		...(commandLine.stdin !== undefined && { stdin: commandLine.stdin }),
		...readers,
		table,
		marker: markerVariable(mark),
		clock,
		platform,
	});
	log.info("run.start", {
		run: mark.runId,
		agy: features.version && formatVersion(features.version),
		argv: commandLine.loggedArgv,
		agyPid: started.kind === "started" ? started.process.identity.pid : undefined,
	});
	if (started.kind === "failed") return started;
	const { identity, stderrTail } = started.process;
	releases.push(guardian.watch(identity));
	releases.push(await recordRun(folders.runs, { runId: mark.runId, agy: identity, owner: mark.owner }));
	releases.push(() => log.debug("run.stderr", { run: mark.runId, tail: stderrTail() }));
	return started;
}
