import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Settings } from "../config/schema.ts";
import type { TurnModel } from "../conversation/plan.ts";
import type { Clock } from "../engine/clock.ts";
import type { ActivityEvent, EndEvent, NoticeEvent } from "../engine/events.ts";
import { PROVIDER_ID } from "../models/catalogue-model.ts";
import type { StepDisplay } from "../provider/message-boundary.ts";
import { SessionRuns } from "../provider/session-runs.ts";
import { CARD_TOOL } from "../provider/step-card.ts";
import type { TurnSession } from "../provider/turn.ts";
import { WorkingLine } from "../provider/working-line.ts";
import type { Pool } from "../quota/quota-footer.ts";
import type { LazyBridge } from "./lazy.ts";
import { createQuotaStatus, type QuotaStatus } from "./quota-status.ts";

/** What a session is made with. */
export interface SessionParts {
	readonly settings: () => Settings;
	readonly clock: Clock;
	readonly bridge: LazyBridge;
	/** When each used-up pool of quota is back, in milliseconds since the epoch; shared by the sessions of this process. */
	readonly usedUp: Map<Pool, number>;
}

/** How a run of the session ended, and when, in milliseconds since the epoch. */
export interface LastEnd {
	readonly end: EndEvent;
	readonly at: number;
}

/** One pi session, from its start to its shutdown: its live runs, and its ways to the person at the screen. */
export class PiSession implements TurnSession {
	readonly id: string;
	readonly cwd: string;
	readonly runs = new SessionRuns();
	readonly bridge: LazyBridge;
	readonly #pi: ExtensionAPI;
	readonly #ctx: ExtensionContext;
	readonly #settings: () => Settings;
	readonly #workingLine: WorkingLine;
	readonly #clock: Clock;
	#lastEnd: LastEnd | undefined;
	#closed = false;
	/** The name we gave the session; any other one is the user's. */
	#givenName: string | undefined;
	readonly #quota: QuotaStatus;
	#runFamily = "";
	/** The active model when the run began. A virtual model is not ours although its requests come to us. */
	#runModel: string | undefined;

	constructor(pi: ExtensionAPI, ctx: ExtensionContext, { settings, clock, bridge, usedUp }: SessionParts) {
		this.bridge = bridge;
		this.#pi = pi;
		this.#ctx = ctx;
		this.#settings = settings;
		this.#clock = clock;
		this.id = ctx.sessionManager.getSessionId();
		this.cwd = ctx.cwd;
		this.#quota = createQuotaStatus(ctx.ui, clock, usedUp);
		this.#workingLine = new WorkingLine(clock, ctx.cwd, (text) => {
			if (!this.#closed) ctx.ui.setWorkingMessage(text);
		});
	}

	get mode(): Settings["mode"] {
		return this.#settings().mode;
	}

	get permissions(): Settings["permissions"] {
		return this.#settings().permissions;
	}

	display(): StepDisplay {
		const { display } = this.#settings();
		if (display !== "cards") return display;
		return this.#pi.getActiveTools().includes(CARD_TOOL) ? "cards" : "inline";
	}

	runStarted(model: TurnModel): void {
		this.#runModel = this.#activeModel();
		this.#runFamily = model.family;
	}

	runEnded(end: EndEvent): void {
		this.#workingLine.clear();
		this.#quota.ended(this.#runFamily, end.outcome);
		this.#lastEnd = { end, at: this.#clock.now() };
	}

	/** True while a run of the session's turn is alive, also while it waits for its cards. */
	get isWorking(): boolean {
		return this.runs.current !== undefined && this.runs.current.state !== "over";
	}

	/** Another model was selected; `family` is undefined when it is not one of agy's. */
	modelSelected(family: string | undefined): void {
		this.#quota.selected(family);
	}

	/** How the last run ended; undefined before the first. */
	get lastEnd(): LastEnd | undefined {
		return this.#lastEnd;
	}

	activity(event: ActivityEvent): void {
		if (!this.#closed) this.#workingLine.update(event);
	}

	/** Names the session, unless it has a name that is not from us. */
	title(text: string): void {
		if (this.#closed || !this.#settings().nameSessions || text.trim() === "") return;
		const name = this.#pi.getSessionName();
		if (name !== undefined && name !== this.#givenName) return;
		this.#givenName = text;
		this.#pi.setSessionName(text);
	}

	/** Notices stay in the transcript as quiet lines. Those that matter are said aloud where such lines may be hidden. */
	notice(event: NoticeEvent): void {
		if (this.#closed || event.level === "info") return;
		const isSeen = this.#ctx.mode === "tui" && this.#pi.getSettings().hideThinkingBlock !== true;
		if (!isSeen) this.#ctx.ui.notify(event.text, event.level);
	}

	/** The details of a card's result in the session's transcript. */
	recordedDetails(toolCallId: string): unknown {
		if (this.#closed) return undefined;
		for (const entry of this.#ctx.sessionManager.getEntries().toReversed()) {
			if (entry.type !== "message" || entry.message.role !== "toolResult") continue;
			if (entry.message.toolCallId === toolCallId) return entry.message.details;
		}
		return undefined;
	}

	/** Ends a parked run that nobody will come back to, since the user switched to another model. */
	async turnStarting(): Promise<void> {
		if (!this.runs.parked) return;
		const active = this.#activeModel();
		if (active === this.#runModel || this.#ctx.model?.provider === PROVIDER_ID) return;
		await this.runs.endTurn("owner-gone");
	}

	/** pi is idle: whatever still runs has no owner any more. */
	async settled(): Promise<void> {
		await this.runs.endTurn("owner-gone");
		this.#workingLine.clear();
	}

	/** Resolves when nothing of the session's agy processes is left. */
	async close(): Promise<void> {
		this.#workingLine.clear();
		this.#quota.close();
		this.#closed = true;
		await this.runs.shutDown();
		this.bridge.close();
	}

	#activeModel(): string | undefined {
		const model = this.#ctx.model;
		return model === undefined ? undefined : `${model.provider}/${model.id}`;
	}
}
