import { isDeepStrictEqual } from "node:util";
import type { ExecutorRecord, GenerationRecord, PlannerBody, Step, StepUsage } from "../decode/step-types.ts";
import type { ActivityEvent, AgyEvent } from "../engine/events.ts";
import type { StreamMessage, StreamResult, StreamStep, StreamUsage } from "../stdout/stream-message.ts";
import { activityOf } from "./activity.ts";
import { closeSteps } from "./closing.ts";
import type { LedgerFacts } from "./facts.ts";
import { GenerationTrack } from "./generation-track.ts";
import { ModelErrors } from "./model-errors.ts";
import * as notices from "./notices.ts";
import type { ClosedObservation, ConversationObservation, Observation } from "./observation.ts";
import { SideSteps } from "./side-steps.ts";
import { emptyBaseline, type LedgerBaseline, StepEntries, type StepEntry } from "./step-entries.ts";
import { ToolBook } from "./tool-book.ts";
import { UsageBook } from "./usage-book.ts";

export interface LedgerOptions {
	/** What the conversation held before this run. Absent: a new conversation. */
	readonly baseline?: LedgerBaseline;
	/** `result.usage` of the turn before this one; absent where unknown. It counts from zero in a new conversation. */
	readonly usageBefore?: StreamUsage;
}

/** Turns what both sources say about one run into events. Pure: no clock, no input or output. */
export interface Ledger {
	/** Takes in one fact; returns what it changes for the reader, in order. After `closed` it returns nothing more. */
	observe(observation: Observation): AgyEvent[];
	facts(): LedgerFacts;
}

/** A ledger for one run. */
export function createLedger(options: LedgerOptions = {}): Ledger {
	return new StepLedger(options);
}

const NO_USAGE: StreamUsage = { input: 0, output: 0, thinking: 0, cacheRead: 0 };

class StepLedger implements Ledger {
	readonly #entries: StepEntries;
	readonly #tools: ToolBook;
	readonly #usage = new UsageBook();
	readonly #side = new SideSteps();
	readonly #errors = new ModelErrors();
	/** Usage from agy's records of its model calls, by step. */
	readonly #recordedUsage = new Map<number, StepUsage>();
	/** Texts that were shown of steps that are no more. */
	readonly #abandonedTexts: string[] = [];
	#usageBefore: StreamUsage | undefined;

	/** Steps that stdout told before the conversation was known. */
	#early: StreamStep[] | undefined = [];
	#conversationId: string | undefined;
	#rowsSeen = false;
	#stdoutStepsSeen = false;
	#databaseLost = false;
	#promptSeen = false;
	/** The highest index of a model call or a tool. */
	#newestWork = -1;
	#executor: ExecutorRecord | undefined;
	#result: StreamResult | undefined;
	#activity: ActivityEvent | undefined;
	#closed = false;

	constructor({ baseline, usageBefore }: LedgerOptions) {
		this.#entries = new StepEntries(baseline ?? emptyBaseline);
		this.#tools = new ToolBook(this.#entries);
		this.#usageBefore = baseline === undefined ? NO_USAGE : usageBefore;
	}

	observe(observation: Observation): AgyEvent[] {
		if (this.#closed) return [];
		const events = this.#take(observation);
		return this.#closed ? events : [...events, ...this.#activityChange()];
	}

	#take(observation: Observation): AgyEvent[] {
		switch (observation.source) {
			case "conversation":
				return this.#bind(observation);
			case "row":
				return this.#entries.isOldRow(observation.step) ? [] : this.#row(observation.step);
			case "rewound":
				this.#newestWork = Math.min(this.#newestWork, observation.rows - 1);
				return this.#entries.rewind(observation.rows).flatMap((entry) => this.#abandon(entry));
			case "generation":
				return this.#generationRecord(observation.record);
			case "executor":
				if (!this.#entries.isOldExecutor(observation.record.idx)) this.#executor = observation.record;
				return [];
			case "database-lost":
				return this.#stdoutAlone();
			case "stdout":
				return this.#stdout(observation.message);
			case "closed":
				return this.#close(observation);
		}
	}

	#bind({ id, insteadOf }: ConversationObservation): AgyEvent[] {
		if (this.#conversationId !== undefined) return [];
		this.#conversationId = id;
		const events: AgyEvent[] = [{ type: "conversation", id, ...(insteadOf !== undefined && { insteadOf }) }];
		if (insteadOf !== undefined) {
			this.#entries.forgetBaseline();
			this.#usageBefore = NO_USAGE;
		}
		return [...events, ...this.#releaseEarly()];
	}

	#releaseEarly(): AgyEvent[] {
		const early = this.#early ?? [];
		this.#early = undefined;
		return early.flatMap((message) => this.#stdoutStep(message));
	}

	#row(step: Step): AgyEvent[] {
		this.#rowsSeen = true;
		this.#databaseLost = false;
		this.#tools.databaseIsLost(false);
		const { entry, replaced } = this.#entries.forRow(step);
		const events = replaced ? this.#abandon(replaced) : [];
		const body = step.body;
		switch (body.kind) {
			case "user-input":
				this.#promptSeen = true;
				return events;
			case "planner":
				this.#newestWork = Math.max(this.#newestWork, step.idx);
				return [...events, ...this.#planner(entry, step, body)];
			case "tool":
				this.#newestWork = Math.max(this.#newestWork, step.idx);
				return [...events, ...this.#tools.fromRow(entry, step, body), ...this.#side.fromTool(entry.ref, step, body)];
			case "error-message":
				this.#errors.fromRow(step.idx, body.error);
				return events;
			case "system-message":
				return [
					...events,
					...this.#side.fromSystemMessage(step.idx, body, this.#tools.taskEnded(body.sender, body.text)),
				];
			case "checkpoint": {
				const usage = step.usage && this.#usage.fromDatabase(entry.ref, step.usage, false);
				return [...events, ...this.#side.fromCheckpoint(step.idx, body), ...(usage ? [usage] : [])];
			}
			case "silent":
				return [...events, ...(entry.generation?.stdoutAlone() ?? []), ...this.#tools.rowIsSilent(entry)];
		}
	}

	#planner(entry: StepEntry, step: Step, body: PlannerBody): AgyEvent[] {
		const generation = this.#generationOf(entry);
		const before = generation.state;
		const events = generation.hasRow ? [] : this.#repetition(step.idx);
		events.push(...generation.fromRow(step, body));
		if (generation.state !== before) {
			const recorded = this.#recordedUsage.get(step.idx);
			if (recorded) events.push(...generation.fromRecord(recorded));
			if (generation.cutShort) events.push(notices.cutShort());
		}
		return [...events, ...this.#tools.fromPlanner(step.idx, body.toolCalls)];
	}

	/** Says why there is another model call, when the one before had failed. */
	#repetition(index: number): AgyEvent[] {
		const earlier = this.#generations().findLast((generation) => generation.ref.index < index);
		if (earlier?.failedStop === undefined) return [];
		return [notices.modelRetry(earlier.failedStop, this.#errors.after(earlier.ref.index).at(-1))];
	}

	#generationRecord({ idx, model, usage, stepIndices }: GenerationRecord): AgyEvent[] {
		if (this.#entries.isOldGeneration(idx)) return [];
		this.#usage.named(model);
		if (usage === undefined) return [];
		for (const index of stepIndices) this.#recordedUsage.set(index, usage);
		return stepIndices.flatMap((index) => this.#entries.find(index)?.generation?.fromRecord(usage) ?? []);
	}

	#stdout(message: StreamMessage): AgyEvent[] {
		switch (message.event) {
			case "init":
				this.#usage.named(message.model ?? "");
				return [];
			case "step":
				if (this.#early === undefined) return this.#stdoutStep(message);
				this.#early.push(message);
				return [];
			case "result":
				this.#result = message;
				return [];
		}
	}

	#stdoutStep(message: StreamStep): AgyEvent[] {
		if (this.#isForeign(message) || this.#entries.isOldIndex(message.index)) return [];
		this.#stdoutStepsSeen = true;
		const entry = this.#entries.forStdout(message.index);
		switch (message.stepType) {
			case "user_input":
				this.#promptSeen = true;
				return [];
			case "agent_response":
				if (entry.rowKind !== undefined && entry.rowKind !== "planner" && entry.rowKind !== "silent") return [];
				return this.#generationOf(entry).fromStdout(message, this.#databaseLost || entry.rowKind === "silent");
			case "tool":
				if (entry.rowKind === "planner") return [];
				return [...this.#tools.fromStdout(entry, message), ...this.#side.fromStdoutTool(entry.ref, message)];
			case "error_message":
				this.#errors.fromStdout(message);
				return [];
			default:
				return [];
		}
	}

	/** The database tells nothing more: what stdout has told beyond it counts, in the order of the steps. */
	#stdoutAlone(): AgyEvent[] {
		this.#databaseLost = true;
		this.#tools.databaseIsLost(true);
		return this.#entries.all.flatMap((entry) => [
			...(entry.generation?.stdoutAlone() ?? []),
			...this.#tools.update(entry),
		]);
	}

	/** A step of another conversation, a subagent's for instance. */
	#isForeign({ conversationId }: StreamStep): boolean {
		return (
			conversationId !== undefined && this.#conversationId !== undefined && conversationId !== this.#conversationId
		);
	}

	#close(observation: ClosedObservation): AgyEvent[] {
		const events = [
			...this.#releaseEarly(),
			...this.#stdoutAlone(),
			...closeSteps({
				entries: this.#entries,
				usage: this.#usage,
				usageBefore: this.#usageBefore,
				result: this.#result,
				observation,
				abandonedTexts: this.#abandonedTexts,
				closeTool: (entry, because) => this.#tools.close(entry, because),
			}),
			...this.#tools.deniedByResult(this.#result),
		];
		this.#closed = true;
		return events;
	}

	/** agy rewound the conversation past this step; what it said stays said. */
	#abandon(entry: StepEntry): AgyEvent[] {
		if (entry.generation) this.#abandonedTexts.push(entry.generation.text.shown);
		return this.#tools.abandon(entry);
	}

	#generationOf(entry: StepEntry): GenerationTrack {
		entry.generation ??= new GenerationTrack(entry.ref, this.#usage);
		return entry.generation;
	}

	facts(): LedgerFacts {
		const generations = this.#generations();
		const last = generations.at(-1);
		const succeeded = generations.findLast((generation) => generation.state === "done")?.ref.index ?? -1;
		const executor = this.#currentExecutor();
		const { openTools, backgroundTools } = this.#tools.unfinished(executor !== undefined);
		return {
			promptSeen: this.#promptSeen,
			textSeen: generations.some((generation) => generation.text.shown !== ""),
			toolsRan: this.#tools.began,
			toolsDone: this.#tools.done,
			lastStep: this.#entries.lastStep,
			trajectory: this.#entries.trajectory,
			rowsSeen: this.#rowsSeen,
			stdoutStepsSeen: this.#stdoutStepsSeen,
			lastGeneration: last?.state ?? "none",
			answerComplete: last?.state === "done" && last.toolCalls.length === 0 && openTools.length === 0,
			lastGenerationText: last?.text.shown ?? "",
			openTools,
			backgroundTools,
			executor,
			result: this.#result,
			openErrors: this.#errors.after(succeeded),
			denied: this.#tools.denied,
		};
	}

	/** Not the record of a turn that went on afterwards, because a background task reported back for instance. */
	#currentExecutor(): ExecutorRecord | undefined {
		const last = this.#executor?.lastStepIdx ?? 0;
		return last > 0 && this.#newestWork > last ? undefined : this.#executor;
	}

	#generations(): GenerationTrack[] {
		return this.#entries.all.flatMap((entry) => entry.generation ?? []);
	}

	#activityChange(): AgyEvent[] {
		const facts = this.facts();
		const newest = this.#generations().at(-1);
		const error = facts.openErrors.at(-1);
		const activity = activityOf({
			over: facts.executor !== undefined || facts.result !== undefined,
			openTools: facts.openTools,
			backgroundTools: facts.backgroundTools,
			lastGeneration: facts.lastGeneration,
			writing: newest !== undefined && newest.text.shown !== "",
			problem: error && (error.short || error.userMessage || error.modelMessage),
			begun: facts.promptSeen || facts.rowsSeen || facts.stdoutStepsSeen,
		});
		if (activity === undefined || isDeepStrictEqual(activity, this.#activity)) return [];
		this.#activity = activity;
		return [activity];
	}
}
