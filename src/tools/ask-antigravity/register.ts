import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	convertToLlm,
	defineTool,
	type ExtensionAPI,
	type ExtensionContext,
	type ExtensionToolContext,
} from "@earendil-works/pi-coding-agent";
import type { Settings } from "../../config/schema.ts";
import type { Clock } from "../../engine/clock.ts";
import type { Engine, Run } from "../../engine/engine.ts";
import type { Log } from "../../engine/log.ts";
import type { ModelCatalogue } from "../../models/catalogue.ts";
import { type ProcessTable, systemProcesses } from "../../run/process-table.ts";
import { lockNamed } from "../../run/slots.ts";
import { OutputFiles } from "../agy-step/output-files.ts";
import { EarlierDelegations } from "./earlier.ts";
import { type Call, type ExecuteParts, execute, refusal } from "./execute.ts";
import { editLockName, findDirectory, otherOwner, refuseCaller } from "./guard.ts";
import {
	ASK_DESCRIPTION,
	ASK_GUIDELINES,
	ASK_SNIPPET,
	ASK_TOOL,
	type AskParameters,
	askParameters,
} from "./parameters.ts";
import { askResultRenderer, renderAskCall } from "./render.ts";
import { decide } from "./request.ts";

export interface AskParts {
	readonly engine: Engine;
	readonly catalogue: Pick<ModelCatalogue, "entries" | "isComplete" | "restore">;
	readonly clock: Clock;
	readonly log: Log;
	settings(): Settings;
	/** `root` is this extension's folder: locks, and what is known of earlier delegations, live below it. */
	readonly paths: { readonly root: string };
	/** Where answers too long for a tool result are kept. */
	readonly outputsDirectory: string;
	/** pi's own environment; this process's by default. */
	readonly env?: NodeJS.ProcessEnv;
	/** Where private folders for context are made; the system's folder for temporary files by default. */
	readonly stagingRoot?: string;
	readonly processes?: ProcessTable;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Offers the tool to other models. It is registered when the session starts: only then is it known which other extensions
 * have one of that name, and pi reports two that are there from the beginning as an error of the later one.
 */
export function registerAskAntigravity(pi: ExtensionAPI, parts: AskParts): void {
	const delegator = new Delegator(parts);

	pi.on("session_start", (_event, ctx) => {
		const { askAntigravity, sessionDays } = parts.settings();
		if (!askAntigravity) return;
		const other = otherOwner(pi.getAllTools());
		if (other !== undefined) return stepBack(other, ctx, parts.log);
		pi.registerTool(askTool(delegator, parts.clock));
		void delegator.prune(parts.clock.now() - sessionDays * DAY_MS);
	});
	pi.on("session_shutdown", () => delegator.close());
}

function stepBack(other: string, ctx: ExtensionContext, log: Log): void {
	log.info("ask.stepped-back", { other });
	ctx.ui.notify(`${other} already offers ${ASK_TOOL}, so that of pi-antigravity-cli is not used.`, "warning");
}

function askTool(delegator: Delegator, clock: Clock) {
	return defineTool({
		name: ASK_TOOL,
		label: "Antigravity",
		description: ASK_DESCRIPTION,
		promptSnippet: ASK_SNIPPET,
		promptGuidelines: ASK_GUIDELINES,
		parameters: askParameters,
		execute: (id, params, signal, onUpdate, ctx) => delegator.delegate(params, ctx, { id, signal, onUpdate }),
		renderCall: renderAskCall,
		renderResult: askResultRenderer(clock),
	});
}

interface ToolCall extends Pick<Call, "signal" | "onUpdate"> {
	readonly id: string;
}

/** The delegations of one pi session. */
class Delegator {
	readonly #parts: AskParts;
	readonly #earlier: EarlierDelegations;
	readonly #answers: OutputFiles;
	readonly #processes: ProcessTable;
	readonly #runs = new Set<Run>();
	readonly #calls = new Set<Promise<unknown>>();
	readonly #closing = new AbortController();

	constructor(parts: AskParts) {
		this.#parts = parts;
		this.#earlier = new EarlierDelegations(join(parts.paths.root, "delegations"));
		this.#answers = new OutputFiles(parts.outputsDirectory);
		this.#processes = parts.processes ?? systemProcesses();
	}

	/** Refuses by throwing, with cause and remedy, before anything is started. */
	async delegate(params: AskParameters, ctx: ExtensionToolContext, call: ToolCall) {
		const work = this.#delegate(params, ctx, call);
		this.#calls.add(work);
		try {
			return await work;
		} finally {
			this.#calls.delete(work);
		}
	}

	/** Ends what still runs, and resolves when nothing of it is left: no process, no file, no lock. */
	async close(): Promise<void> {
		this.#closing.abort();
		for (const run of this.#runs) run.cancel("shutdown");
		await Promise.allSettled([...this.#calls]);
		await Promise.all([...this.#runs].map((run) => run.settled));
	}

	async prune(time: number): Promise<void> {
		await this.#earlier.prune(time);
	}

	async #delegate(params: AskParameters, ctx: ExtensionToolContext, { id, signal, onUpdate }: ToolCall) {
		const { settings, catalogue, clock, env = process.env } = this.#parts;
		const providers = [ctx.model?.provider, providerOfLastMessage(ctx)];
		const refused = refuseCaller({ enabled: settings().askAntigravity, providers, env });
		if (refused !== undefined) throw refusal(refused, clock.now());
		catalogue.restore();
		const { conversationId } = params;
		const decision = decide(params, {
			settings: settings(),
			models: catalogue.entries(),
			modelsComplete: catalogue.isComplete(),
			sessionCwd: ctx.cwd,
			earlier: conversationId === undefined ? undefined : await this.#earlier.find(conversationId),
		});
		if ("refused" in decision) throw refusal(decision.refused, clock.now());
		const { delegation } = decision;
		const directory = await findDirectory(delegation.cwd);
		if ("refused" in directory) throw refusal(directory.refused, clock.now());
		const closing = this.#closing.signal;
		return execute(this.#executeParts(editLockName(delegation.mode, directory.real)), {
			delegation,
			fileName: `ask_${createHash("sha256").update(`${ctx.sessionManager.getSessionId()}\0${id}`).digest("hex").slice(0, 24)}`,
			messages: () => convertToLlm(ctx.sessionManager.buildSessionProjection().messages),
			signal: signal === undefined ? closing : AbortSignal.any([signal, closing]),
			onUpdate,
		});
	}

	#executeParts(lockName: string | undefined): ExecuteParts {
		const { engine, clock, settings, paths, stagingRoot = tmpdir() } = this.#parts;
		return {
			engine,
			clock,
			settings,
			earlier: this.#earlier,
			answers: this.#answers,
			stagingRoot,
			lockEdits: async ({ signal, onWaiting }) => {
				if (lockName === undefined) return { release() {} };
				const wait = await lockNamed(join(paths.root, "locks"), lockName, {
					table: this.#processes,
					clock,
					onWaiting,
					...(signal !== undefined && { signal }),
				});
				return wait.kind === "held" ? wait.lock : undefined;
			},
			runStarted: (run) => {
				this.#runs.add(run);
				void run.settled.then(() => this.#runs.delete(run));
			},
		};
	}
}

/** The provider of the model that is calling: for a virtual model, the one it stands for right now. */
function providerOfLastMessage(ctx: ExtensionToolContext): string | undefined {
	for (const entry of ctx.sessionManager.getBranch().reverse()) {
		if (entry.type === "message" && entry.message.role === "assistant") return entry.message.provider;
	}
	return undefined;
}
