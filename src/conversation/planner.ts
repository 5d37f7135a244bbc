import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import type { Settings } from "../config/schema.ts";
import type { Clock } from "../engine/clock.ts";
import { type Log, silentLog } from "../engine/log.ts";
import { codeOf } from "../engine/thrown.ts";
import { PROVIDER_ID } from "../models/catalogue-model.ts";
import type { Claim, SessionRecord } from "./binding.ts";
import { decide, type Situation } from "./continuity.ts";
import { fingerprints } from "./fingerprint.ts";
import { digestNotice, emptyPrompt, nothingToSay, rebuildNotice, stagingFailed } from "./notices.ts";
import { remember } from "./outcome.ts";
import type { ConversationPlanner, Planned, TurnInput, TurnMemo, TurnPlan } from "./plan.ts";
import { bindingOf, type ClaimJudge, claimed, isHeldByOther, released, withBinding, withoutBinding } from "./record.ts";
import type { SessionStore } from "./session-store.ts";
import { createStaging, removeAbandonedStaging, type Staging } from "./staging.ts";
import { isBlank, type Speaking, tell } from "./telling.ts";
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

const dayMs = 86_400_000;
/** How long after its deadline a turn may still hold its conversation. */
const claimGraceMs = 600_000;

/** One planner serves all sessions of one pi extension instance; it keeps nothing across them. */
export function createConversationPlanner(options: PlannerOptions): ConversationPlanner {
	const { store, settings, clock, conversationExists } = options;
	const log = options.log ?? silentLog;
	const pid = options.pid ?? process.pid;
	const isAlive = options.isAlive ?? isProcessAlive;
	const stagingRoot = options.stagingRoot ?? tmpdir();
	const owner = randomUUID();
	const stagings = new Map<string, Promise<Staging>>();

	const claim = (): Claim => ({ owner, pid, at: clock.now() });
	const judge = (): ClaimJudge => ({
		owner,
		isAlive,
		now: clock.now(),
		maxAgeMs: settings().turnSeconds * 1000 + claimGraceMs,
	});

	async function stagingOf(sessionId: string): Promise<Staging> {
		const known = stagings.get(sessionId);
		if (known) return known;
		const created = createStaging(stagingRoot, pid);
		stagings.set(sessionId, created);
		created.catch(() => stagings.delete(sessionId));
		return created;
	}

	/** A store that fails costs continuity, never the turn. */
	async function readRecord(sessionId: string): Promise<SessionRecord> {
		try {
			return await store.read(sessionId);
		} catch (error) {
			log.info("conversation.unreadable", { cause: String(error) });
			return { sessionId, bindings: [] };
		}
	}

	async function updateRecord(sessionId: string, change: (record: SessionRecord) => SessionRecord): Promise<void> {
		try {
			await store.update(sessionId, change);
		} catch (error) {
			log.info("conversation.not-written", { cause: String(error) });
		}
	}

	/** False when another process has taken, or removed, the conversation since it was read. */
	async function takeClaim(sessionId: string, conversationId: string): Promise<boolean> {
		let free = true;
		await updateRecord(sessionId, (record) => {
			const binding = bindingOf(record, conversationId);
			free = binding !== undefined && !isHeldByOther(binding, judge());
			return binding && free ? withBinding(record, claimed(binding, claim())) : record;
		});
		return free;
	}

	async function decideAndClaim(input: TurnInput): Promise<{ decision: ReturnType<typeof decide>; after: string[] }> {
		const { messages } = input.context;
		const entries = readTranscript(messages, PROVIDER_ID);
		const record = await readRecord(input.sessionId);
		const situation: Situation = {
			entries,
			endsWithOurToolResult: endsWithOurToolResult(messages, PROVIDER_ID),
			bindings: record.bindings,
			isGone: (id) => !conversationExists(id),
			isBusy: (binding) => isHeldByOther(binding, judge()),
			cwd: input.cwd,
			family: input.model.family,
			rebuildOnFamilyChange: settings().rebuildOnFamilyChange,
		};
		const after = fingerprints(entries);
		const decision = decide(situation);
		if (!("binding" in decision) || (await takeClaim(input.sessionId, decision.binding.conversationId))) {
			return { decision, after };
		}
		return { decision: decide({ ...situation, isBusy: () => true }), after };
	}

	async function giveUp(sessionId: string, conversationId: string | undefined): Promise<void> {
		if (conversationId === undefined) return;
		await updateRecord(sessionId, (record) => {
			const binding = bindingOf(record, conversationId);
			return binding?.claim?.owner === owner ? withBinding(record, released(binding)) : record;
		});
	}

	async function planTurn(input: TurnInput, decision: Speaking, after: string[]): Promise<TurnPlan> {
		const { sessionId, cwd, model } = input;
		const binding = "binding" in decision ? decision.binding : undefined;
		const staging = () => stagingOf(sessionId);
		const telling = await tell(decision, input, { digestBytes: settings().digestBytes, staging });
		const staged = await stagings.get(sessionId);
		const memo: TurnMemo = {
			sessionId,
			cwd,
			family: model.family,
			before: binding?.seen ?? [],
			after,
			instructions: telling.instructions,
			instructionsBefore: binding?.instructions ?? "",
		};
		const notices = [
			decision.kind === "rebuild" ? rebuildNotice(decision.reason) : undefined,
			digestNotice(telling.leftOut),
		];
		log.info("conversation.chosen", {
			kind: decision.kind,
			reason: decision.kind === "rebuild" ? decision.reason : undefined,
			conversation: binding?.conversationId,
			leftOut: telling.leftOut,
		});
		return {
			request: {
				prompt: telling.prompt,
				cwd,
				addDirs: staged ? [staged.folder] : [],
				...(model.choice ? { model: model.choice } : {}),
				mode: input.mode,
				permissions: input.permissions,
				...(binding ? { resume: { conversationId: binding.conversationId } } : {}),
				purpose: "turn",
				literalPrompt: true,
			},
			kind: decision.kind,
			...(binding ? { conversationId: binding.conversationId } : {}),
			notices: notices.filter((notice) => notice !== undefined),
			memo,
		};
	}

	return {
		async plan(input): Promise<Planned<TurnPlan>> {
			const { decision, after } = await decideAndClaim(input);
			if (decision.kind === "nothing-to-say") return { refused: nothingToSay };
			const claimedId = "binding" in decision ? decision.binding.conversationId : undefined;
			try {
				if (!isBlank(decision.ask)) return await planTurn(input, decision, after);
				await giveUp(input.sessionId, claimedId);
				return { refused: emptyPrompt };
			} catch (error) {
				await giveUp(input.sessionId, claimedId);
				return { refused: stagingFailed(error) };
			}
		},

		async started(plan, conversationId) {
			const { memo } = plan;
			if (plan.conversationId !== undefined && plan.conversationId !== conversationId) return;
			await updateRecord(memo.sessionId, (record) => {
				const known = bindingOf(record, conversationId);
				const binding = known ?? {
					conversationId,
					seen: [],
					state: "interrupted",
					lastStep: -1,
					family: memo.family,
					cwd: memo.cwd,
					instructions: "",
					updatedAt: clock.now(),
				};
				return withBinding(record, claimed({ ...binding, sent: [...memo.after] }, claim()));
			});
		},

		async finished(plan, end, answer) {
			const { sessionId } = plan.memo;
			const resumed = plan.conversationId;
			const written = end.progress.conversationId ?? resumed;
			await updateRecord(sessionId, (record) => {
				const stored = written === undefined ? undefined : bindingOf(record, written);
				const agyVersion = options.agyVersion?.();
				// Another process took it over while we were believed dead: nobody knows what it has seen.
				const foreign = stored?.claim !== undefined && stored.claim.owner !== owner;
				const result = remember({
					memo: plan.memo,
					end,
					answer,
					now: clock.now(),
					...(resumed === undefined ? {} : { resumed }),
					...(agyVersion === undefined ? {} : { agyVersion }),
					...(stored ? { stored } : {}),
				});
				const doomed = foreign || result.kind === "drop" ? [written, resumed] : [];
				if (doomed.length > 0)
					return doomed.reduce((rest, id) => (id === undefined ? rest : withoutBinding(rest, id)), record);
				if (result.kind === "keep") return withBinding(record, result.binding);
				return stored ? withBinding(record, released(stored)) : record;
			});
		},

		async wordsOnly(input) {
			try {
				return await planWords(input, () => createStaging(stagingRoot, pid));
			} catch (error) {
				return { refused: stagingFailed(error) };
			}
		},

		async sessionEnded(sessionId) {
			const staging = stagings.get(sessionId);
			stagings.delete(sessionId);
			await staging?.then((folder) => folder.remove()).catch(() => {});
		},

		async prune() {
			await store.prune(settings().sessionDays * dayMs);
			await removeAbandonedStaging(stagingRoot, isAlive);
		},
	};
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
