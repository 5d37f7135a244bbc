import { tmpdir } from "node:os";
import type { Settings } from "../config/schema.ts";
import type { Clock } from "../engine/clock.ts";
import type { EndEvent } from "../engine/events.ts";
import { type Log, silentLog } from "../engine/log.ts";
import { codeOf } from "../engine/thrown.ts";
import { PROVIDER_ID } from "../models/catalogue-model.ts";
import type { Binding, SessionRecord } from "./binding.ts";
import { ClaimedRecords } from "./claimed-records.ts";
import { type Decision, decideContinuity, type Situation } from "./continuity.ts";
import { fingerprints } from "./fingerprint.ts";
import { digestNotice, emptyPrompt, nothingToSay, rebuildNotice, stagingFailed } from "./notices.ts";
import { remember } from "./outcome.ts";
import type { ConversationPlanner, Planned, TurnInput, TurnMemo, TurnPlan, WordsInput, WordsPlan } from "./plan.ts";
import { bindingOf, released, withBinding, withoutBinding } from "./record.ts";
import type { SessionStore } from "./session-store.ts";
import { createStaging, removeAbandonedStaging, type Staging } from "./staging.ts";
import { isBlank, type Speaking, type Telling, tell } from "./telling.ts";
import { endsWithOurToolResult, readTranscript } from "./transcript.ts";
import { planWords } from "./words-only.ts";

export interface PlannerOptions {
	readonly store: SessionStore;
	/** Read anew for every turn. */
	readonly settings: () => Pick<Settings, "digestBytes" | "rebuildOnFamilyChange" | "sessionDays" | "turnSeconds">;
	readonly clock: Clock;
	/** Whether the database of a conversation exists and is sound. */
	readonly conversationExists: (conversationId: string) => boolean;
	/** The agy that runs the turns, as far as it is known. */
	readonly agyVersion?: () => string | undefined;
	readonly log?: Log;
	/** Where private folders for staged files are made; the system's folder for temporary files by default. */
	readonly stagingRoot?: string;
	readonly pid?: number;
	readonly isAlive?: (pid: number) => boolean;
}

const DAY_MS = 86_400_000;

/** One planner serves all sessions of one pi extension instance; it keeps nothing across them. */
export function createConversationPlanner(options: PlannerOptions): ConversationPlanner {
	return new SessionPlanner(options);
}

class SessionPlanner implements ConversationPlanner {
	readonly #options: PlannerOptions;
	readonly #log: Log;
	readonly #pid: number;
	readonly #isAlive: (pid: number) => boolean;
	readonly #stagingRoot: string;
	readonly #records: ClaimedRecords;
	/** By session id. */
	readonly #stagings = new Map<string, Promise<Staging>>();

	constructor(options: PlannerOptions) {
		const { store, clock, log = silentLog, pid = process.pid, isAlive = isProcessAlive } = options;
		this.#options = options;
		this.#log = log;
		this.#pid = pid;
		this.#isAlive = isAlive;
		this.#stagingRoot = options.stagingRoot ?? tmpdir();
		const turnSeconds = () => options.settings().turnSeconds;
		this.#records = new ClaimedRecords({ store, clock, log, pid, isAlive, turnSeconds });
	}

	async plan(input: TurnInput): Promise<Planned<TurnPlan>> {
		const { decision, after } = await this.#decideAndClaim(input);
		if (decision.kind === "nothing-to-say") return { refused: nothingToSay };
		try {
			if (!isBlank(decision.ask)) return await this.#planTurn(input, decision, after);
			await this.#giveUp(input, decision);
			return { refused: emptyPrompt };
		} catch (error) {
			await this.#giveUp(input, decision);
			return { refused: stagingFailed(error) };
		}
	}

	async started({ memo, conversationId: resumed }: TurnPlan, conversationId: string): Promise<void> {
		if (resumed !== undefined && resumed !== conversationId) return;
		await this.#records.update(memo.sessionId, (record) => {
			const binding = bindingOf(record, conversationId) ?? this.#newBinding(conversationId, memo);
			return withBinding(record, this.#records.claimed({ ...binding, sent: [...memo.after] }));
		});
	}

	async finished(plan: TurnPlan, end: EndEvent, answer: string): Promise<void> {
		await this.#records.update(plan.memo.sessionId, (record) => this.#recordAfter(record, plan, end, answer));
	}

	async wordsOnly(input: WordsInput): Promise<Planned<WordsPlan>> {
		try {
			return await planWords(input, () => createStaging(this.#stagingRoot, this.#pid));
		} catch (error) {
			return { refused: stagingFailed(error) };
		}
	}

	async sessionEnded(sessionId: string): Promise<void> {
		const staging = this.#stagings.get(sessionId);
		this.#stagings.delete(sessionId);
		await staging?.then((folder) => folder.remove()).catch(() => {});
	}

	async prune(): Promise<void> {
		const { store, settings } = this.#options;
		await store.prune(settings().sessionDays * DAY_MS);
		await removeAbandonedStaging(this.#stagingRoot, this.#isAlive);
	}

	/** `after`: the fingerprints of the transcript, which the conversation will have seen after the turn. */
	async #decideAndClaim(input: TurnInput): Promise<{ decision: Decision; after: string[] }> {
		const { conversationExists, settings } = this.#options;
		const { messages } = input.context;
		const entries = readTranscript(messages, PROVIDER_ID);
		const { bindings } = await this.#records.read(input.sessionId);
		const situation: Situation = {
			entries,
			endsWithOurToolResult: endsWithOurToolResult(messages, PROVIDER_ID),
			bindings,
			isGone: (id) => !conversationExists(id),
			isBusy: (binding) => this.#records.isHeldByOther(binding),
			cwd: input.cwd,
			family: input.model.family,
			rebuildOnFamilyChange: settings().rebuildOnFamilyChange,
		};
		const after = fingerprints(entries);
		const decision = decideContinuity(situation);
		const resumed = resumedBy(decision);
		if (resumed === undefined || (await this.#records.claim(input.sessionId, resumed.conversationId))) {
			return { decision, after };
		}
		return { decision: decideContinuity({ ...situation, isBusy: () => true }), after };
	}

	async #giveUp({ sessionId }: TurnInput, decision: Decision): Promise<void> {
		const resumed = resumedBy(decision);
		if (resumed !== undefined) await this.#records.giveUp(sessionId, resumed.conversationId);
	}

	async #planTurn(input: TurnInput, decision: Speaking, after: string[]): Promise<TurnPlan> {
		const { sessionId, cwd, model, mode, permissions } = input;
		const resumed = resumedBy(decision);
		const { digestBytes } = this.#options.settings();
		const telling = await tell(decision, input, { digestBytes, staging: () => this.#stagingOf(sessionId) });
		const staged = await this.#stagings.get(sessionId);
		this.#log.info("conversation.chosen", {
			kind: decision.kind,
			reason: decision.kind === "rebuild" ? decision.reason : undefined,
			conversation: resumed?.conversationId,
			leftOut: telling.leftOut,
		});
		return {
			request: {
				prompt: telling.prompt,
				cwd,
				addDirs: staged ? [staged.folder] : [],
				...(model.choice ? { model: model.choice } : {}),
				mode,
				permissions,
				...(resumed ? { resume: { conversationId: resumed.conversationId } } : {}),
				purpose: "turn",
				literalPrompt: true,
			},
			kind: decision.kind,
			...(resumed ? { conversationId: resumed.conversationId } : {}),
			notices: noticesOf(decision, telling),
			memo: {
				sessionId,
				cwd,
				family: model.family,
				before: resumed?.seen ?? [],
				after,
				instructions: telling.instructions,
				instructionsBefore: resumed?.instructions ?? "",
			},
		};
	}

	#stagingOf(sessionId: string): Promise<Staging> {
		const known = this.#stagings.get(sessionId);
		if (known) return known;
		const created = createStaging(this.#stagingRoot, this.#pid);
		this.#stagings.set(sessionId, created);
		created.catch(() => this.#stagings.delete(sessionId));
		return created;
	}

	/** What is known of a conversation that has just begun. */
	#newBinding(conversationId: string, { family, cwd }: TurnMemo): Binding {
		return {
			conversationId,
			seen: [],
			state: "interrupted",
			lastStep: -1,
			family,
			cwd,
			instructions: "",
			updatedAt: this.#options.clock.now(),
		};
	}

	/** The session's record with what came of a turn. */
	#recordAfter(record: SessionRecord, plan: TurnPlan, end: EndEvent, answer: string): SessionRecord {
		const { clock } = this.#options;
		const resumed = plan.conversationId;
		const written = end.progress.conversationId ?? resumed;
		const stored = written === undefined ? undefined : bindingOf(record, written);
		const agyVersion = this.#options.agyVersion?.();
		const result = remember({
			memo: plan.memo,
			end,
			answer,
			now: clock.now(),
			...(resumed === undefined ? {} : { resumed }),
			...(agyVersion === undefined ? {} : { agyVersion }),
			...(stored ? { stored } : {}),
		});
		// Another process took it over while we were believed dead: nobody knows what it has seen.
		const isForeign = stored !== undefined && this.#records.isClaimedByOther(stored);
		if (isForeign || result.kind === "drop") {
			const doomed = [written, resumed].filter((id) => id !== undefined);
			return doomed.reduce(withoutBinding, record);
		}
		if (result.kind === "keep") return withBinding(record, result.binding);
		return stored ? withBinding(record, released(stored)) : record;
	}
}

/** The conversation that a decision goes on with; undefined when a new one begins. */
function resumedBy(decision: Decision): Binding | undefined {
	return "binding" in decision ? decision.binding : undefined;
}

function noticesOf(decision: Speaking, { leftOut }: Telling): string[] {
	const rebuilt = decision.kind === "rebuild" ? rebuildNotice(decision.reason) : undefined;
	return [rebuilt, digestNotice(leftOut)].filter((notice) => notice !== undefined);
}

function isProcessAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// Not ours to signal, but there.
		return codeOf(error) === "EPERM";
	}
}
