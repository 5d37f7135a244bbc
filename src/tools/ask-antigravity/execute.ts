import type { Message } from "@earendil-works/pi-ai";
import type { AgentToolResult, AgentToolUpdateCallback } from "@earendil-works/pi-coding-agent";
import type { Settings } from "../../config/schema.ts";
import type { Clock } from "../../engine/clock.ts";
import type { Engine, Run } from "../../engine/engine.ts";
import type { AgyEvent } from "../../engine/events.ts";
import type { Failure } from "../../engine/failure.ts";
import { toPiUsage } from "../../provider/pi-usage.ts";
import type { OutputFiles } from "../agy-step/output-files.ts";
import { type Briefing, writeBriefing } from "./briefing.ts";
import type { AskDetails } from "./details.ts";
import type { EarlierDelegations } from "./earlier.ts";
import { boundedAnswer, growingAnswer, problemText, reportDetails, reportText } from "./report.ts";
import { type Delegation, requestFor } from "./request.ts";
import { WorkLog } from "./work-log.ts";

export interface ExecuteParts {
	readonly engine: Engine;
	readonly clock: Clock;
	readonly settings: () => Pick<Settings, "digestBytes">;
	readonly earlier: EarlierDelegations;
	/** Where an answer that is too long for a tool result is kept whole. */
	readonly answers: OutputFiles;
	/** Where private folders are made. */
	readonly stagingRoot: string;
	/** Waits until no other delegation may edit the directory; undefined when cancelled meanwhile. */
	lockEdits(options: { signal: AbortSignal | undefined; onWaiting: () => void }): Promise<EditRight | undefined>;
	/** Told of each run, so that none outlives the session. */
	runStarted(run: Run): void;
}

export interface EditRight {
	release(): void;
}

export interface Call {
	readonly delegation: Delegation;
	/** Names the file of a long answer. */
	readonly fileName: string;
	readonly messages: () => readonly Message[];
	readonly signal: AbortSignal | undefined;
	readonly onUpdate: AgentToolUpdateCallback<AskDetails | undefined> | undefined;
}

/** A card is redrawn at most this often, in milliseconds. */
const UPDATE_MS = 150;

const CANCELLED: AgyEvent = {
	type: "end",
	outcome: { kind: "cancelled", by: "user" },
	progress: { lastStep: -1, promptSeen: false, toolsRan: false, textSeen: false },
};

/**
 * Runs a delegation to its end. A run that fails is a result with `isError`, because a thrown error would lose what was done
 * until then. Throws what keeps it from starting.
 */
export async function execute(parts: ExecuteParts, call: Call): Promise<AgentToolResult<AskDetails | undefined>> {
	const { clock } = parts;
	const startedAt = clock.now();
	const log = new WorkLog();
	const updates = new Updates(parts, call, log, startedAt);
	updates.now();
	try {
		const right = await parts.lockEdits({
			signal: call.signal,
			onWaiting: () => updates.now("waiting for another delegation in this directory"),
		});
		if (right === undefined) log.take(CANCELLED);
		else await work(parts, call, right, (event) => updates.take(event));
	} finally {
		updates.stop();
	}
	return result(parts, call, log, startedAt);
}

async function work(parts: ExecuteParts, call: Call, right: EditRight, take: (event: AgyEvent) => void): Promise<void> {
	const { settings, stagingRoot } = parts;
	let briefing: Briefing | undefined;
	let gone: Promise<void> | undefined;
	try {
		briefing = await writeBriefing(call.delegation, {
			messages: call.messages,
			digestBytes: settings().digestBytes,
			stagingRoot,
		});
		if (call.signal?.aborted) return take(CANCELLED);
		const run = parts.engine.start(requestFor(call.delegation, briefing.prompt, briefing.addDirs));
		parts.runStarted(run);
		gone = run.settled;
		const answered = await follow(parts, call, run, take);
		// An agy that has answered changes nothing any more; one that was stopped may, until it is gone.
		if (answered) gone = undefined;
	} finally {
		void Promise.resolve(gone).then(() => right.release());
		await briefing?.remove();
	}
}

/** Passes everything on to the end. True when agy answered. */
async function follow(parts: ExecuteParts, call: Call, run: Run, take: (event: AgyEvent) => void): Promise<boolean> {
	const { model, cwd } = call.delegation;
	const cancel = () => run.cancel("user");
	call.signal?.addEventListener("abort", cancel, { once: true });
	let answered = false;
	try {
		for await (const event of run.events) {
			take(event);
			if (event.type === "end") answered = event.outcome.kind === "answered";
			if (event.type !== "conversation") continue;
			await parts.earlier.remember({
				conversationId: event.id,
				cwd,
				model: model.base ?? model.slug,
				...(model.effort !== undefined && { effort: model.effort }),
			});
		}
	} finally {
		call.signal?.removeEventListener("abort", cancel);
	}
	return answered;
}

async function result(
	parts: ExecuteParts,
	{ delegation, fileName }: Call,
	log: WorkLog,
	startedAt: number,
): Promise<AgentToolResult<AskDetails | undefined>> {
	const answer = boundedAnswer(log.answer);
	const path = answer.isCut ? await parts.answers.keep(fileName, log.answer) : undefined;
	const details = reportDetails(delegation, log, { startedAt, now: parts.clock.now() }, answer.text, path);
	return {
		content: [{ type: "text", text: reportText(details) }],
		details,
		...(log.usage !== undefined && { usage: toPiUsage(log.usage) }),
		isError: details.outcome !== "answered",
	};
}

/** The card while agy works. */
class Updates {
	readonly #parts: ExecuteParts;
	readonly #call: Call;
	readonly #log: WorkLog;
	readonly #startedAt: number;
	#cancelTimer: (() => void) | undefined;

	constructor(parts: ExecuteParts, call: Call, log: WorkLog, startedAt: number) {
		this.#parts = parts;
		this.#call = call;
		this.#log = log;
		this.#startedAt = startedAt;
	}

	take(event: AgyEvent): void {
		this.#log.take(event);
		if (event.type !== "end") this.#cancelTimer ??= this.#parts.clock.after(UPDATE_MS, () => this.now());
	}

	/** `activity` stands in for what agy does while there is none. */
	now(activity?: string): void {
		this.stop();
		const { onUpdate, delegation } = this.#call;
		const answer = growingAnswer(this.#log.answer);
		const moment = { startedAt: this.#startedAt, now: this.#parts.clock.now() };
		const details = reportDetails(delegation, this.#log, moment, answer);
		const shown = activity === undefined ? details : { ...details, activity };
		onUpdate?.({ content: [{ type: "text", text: answer }], details: shown });
	}

	stop(): void {
		this.#cancelTimer?.();
		this.#cancelTimer = undefined;
	}
}

/** The error of a call that is refused before anything is started. */
export function refusal(failure: Failure, now: number): Error {
	return new Error(problemText(failure, now));
}
