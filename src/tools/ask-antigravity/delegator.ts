import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertToLlm, type ExtensionToolContext } from "@earendil-works/pi-coding-agent";
import type { Settings } from "../../config/schema.ts";
import type { Clock } from "../../engine/clock.ts";
import type { Engine, Run } from "../../engine/engine.ts";
import type { Failure } from "../../engine/failure.ts";
import type { Log } from "../../engine/log.ts";
import type { ModelCatalogue } from "../../models/catalogue.ts";
import { type ProcessTable, systemProcesses } from "../../run/process/process-table.ts";
import { lockNamed } from "../../run/process/run-locks.ts";
import { OutputFiles } from "../agy-step/output-files.ts";
import { delegationsFolder, EarlierDelegations } from "./earlier.ts";
import { type Call, type ExecuteParts, execute, refusal } from "./execute.ts";
import { editLockName, findDirectory, refuseCaller } from "./guard.ts";
import type { AskParameters } from "./parameters.ts";
import { decideDelegation } from "./request.ts";

export interface AskParts {
	readonly engine: Engine;
	readonly catalogue: Pick<ModelCatalogue, "entries" | "isComplete" | "learn" | "restore">;
	readonly clock: Clock;
	readonly log: Log;
	settings(): Settings;
	/** `root` is this extension's folder: locks, and what is known of earlier delegations, live below it. */
	readonly paths: { readonly root: string };
	/** Where answers too long for a tool result are kept. */
	readonly outputsDirectory: string;
	/**
	 * Lets the person at the screen say once what agy may do; the answer is in the settings afterwards. False when there is no
	 * answer, so that agy must not be started. Never rejects.
	 */
	askPermissions?(ctx: ExtensionToolContext): Promise<boolean>;
	/** pi's own environment; this process's by default. */
	readonly env?: NodeJS.ProcessEnv;
	/** Where private folders for context are made; the system's folder for temporary files by default. */
	readonly stagingRoot?: string;
	readonly processes?: ProcessTable;
}

/** One call of the tool by pi. */
export interface ToolCall extends Pick<Call, "signal" | "onUpdate"> {
	readonly id: string;
}

/** The delegations of one pi session. */
export class Delegator {
	readonly #parts: AskParts;
	readonly #earlier: EarlierDelegations;
	readonly #answers: OutputFiles;
	readonly #processes: ProcessTable;
	readonly #runs = new Set<Run>();
	readonly #calls = new Set<Promise<unknown>>();
	readonly #closing = new AbortController();
	/** The question that is on the screen; calls side by side share it. */
	#question: Promise<boolean> | undefined;

	constructor(parts: AskParts) {
		this.#parts = parts;
		this.#earlier = new EarlierDelegations(delegationsFolder(parts.paths.root));
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

	/** Forgets the delegations from before `time` (milliseconds since the epoch). Never rejects. */
	async prune(time: number): Promise<void> {
		await this.#earlier.prune(time);
	}

	async #delegate(params: AskParameters, ctx: ExtensionToolContext, { id, signal, onUpdate }: ToolCall) {
		const { settings, catalogue, clock, env = process.env } = this.#parts;
		const providers = [ctx.model?.provider, providerOfLastMessage(ctx)];
		const refused = refuseCaller({ enabled: settings().askAntigravity, providers, env });
		if (refused !== undefined) throw refusal(refused, clock.now());
		if (!(await this.#maySpeak(ctx))) throw refusal(UNANSWERED, clock.now());
		catalogue.restore();
		await catalogue.learn(params.model ?? settings().defaultModel, signal);
		const { conversationId } = params;
		const decision = decideDelegation(params, {
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

	async #maySpeak(ctx: ExtensionToolContext): Promise<boolean> {
		this.#question ??= this.#parts.askPermissions?.(ctx);
		try {
			return (await this.#question) ?? true;
		} finally {
			this.#question = undefined;
		}
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

const UNANSWERED: Failure = {
	kind: "bad-request",
	problem: "The user has not said yet what agy may do on this machine.",
	remedy: "Ask the user to run `/agy permissions skip` or `/agy permissions deny` before you try again.",
};

/** The provider of the model that is calling: for a virtual model, the one it stands for right now. */
function providerOfLastMessage(ctx: ExtensionToolContext): string | undefined {
	for (const entry of ctx.sessionManager.getBranch().toReversed()) {
		if (entry.type === "message" && entry.message.role === "assistant") return entry.message.provider;
	}
	return undefined;
}
