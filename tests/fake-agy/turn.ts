import { randomUUID } from "node:crypto";
import type { Plain } from "../support/agy-proto.ts";
import { control } from "./control.ts";
import { Conversation, type Usage } from "./conversation.ts";
import type { McpServers } from "./mcp-client.ts";
import { errorOutcome, type Outcome, TurnEnd, timeoutOutcome } from "./outcomes.ts";
import { Planner, STOP, usageStats } from "./planner.ts";
import type { Recording } from "./recording.ts";
import { replayCommits } from "./replay.ts";
import {
	fillIn,
	isControl,
	isTool,
	type RowStep,
	type RowSteps,
	type ScenarioStep,
	type ToolStep,
	type ToolSteps,
} from "./scenario.ts";
import { Stdout } from "./stdout.ts";
import { now, SOURCE, STATUS, TYPE } from "./steps.ts";
import { ToolRun } from "./tool-run.ts";
import { planTool } from "./tools.ts";
import type { TurnContext, TurnOptions } from "./turn-context.ts";
import { type Abilities, compareVersions } from "./versions.ts";

export interface TurnSetup {
	conversation: Conversation;
	stdout: Stdout;
	abilities: Abilities;
	options: TurnOptions;
	cwd: string;
	pace: number;
	mcp: McpServers;
	exit(code: number): never;
}

/** Plays one turn of a scenario into the conversation and onto stdout. */
export class Turn implements TurnContext {
	readonly conversation: Conversation;
	readonly stdout: Stdout;
	readonly abilities: Abilities;
	readonly options: TurnOptions;
	readonly cwd: string;
	readonly denied: TurnContext["denied"] = [];
	readonly #setup: TurnSetup;
	readonly #background = new Map<string, ToolRun>();
	#planner: Planner | undefined;
	#usage: Partial<Usage> = {};
	#executionEnded = false;
	#stopped = false;

	constructor(setup: TurnSetup) {
		this.#setup = setup;
		this.conversation = setup.conversation;
		this.stdout = setup.stdout;
		this.abilities = setup.abilities;
		this.options = setup.options;
		this.cwd = setup.cwd;
		this.conversation.begin();
	}

	/** The rows before the model is asked: the prompt, and the old versions' context rows. */
	async prompt(text: string, expanded: string[]): Promise<void> {
		const row = this.conversation.row(TYPE.userInput, SOURCE.userExplicit);
		const items = [text, ...expanded].map((item) => ({ text: item }));
		row.body = { userInput: { userResponse: text, items } };
		if (this.options.placeholder !== "none") {
			row.commitPlaceholder(STATUS.done, this.options.placeholder);
			await this.breathe();
		}
		row.commit(STATUS.done);
		this.stdout.step({ step_index: row.idx, state: "DONE", step_type: "user_input" });
		await this.breathe();
		if (this.options.genericTools) return;
		if (row.idx === 0) await this.#systemRow(TYPE.history, { conversationHistory: {} });
		const content = "The stand-in reminds itself of nothing.";
		await this.#systemRow(TYPE.ephemeral, {
			ephemeralMessage: { content, triggeredHeuristics: ["bash_command_reminder"] },
		});
	}

	/** Plays the steps to their end; how the turn ended is in the result. */
	async run(steps: readonly ScenarioStep[]): Promise<Outcome> {
		try {
			await this.play(steps);
			await this.#endPlanner(true);
			return { status: "SUCCESS", exitCode: 0, termination: 4 };
		} catch (error) {
			if (!(error instanceof TurnEnd)) throw error;
			await this.#endPlanner(true);
			return error.outcome;
		}
	}

	/** Plays one turn of a recording instead; the execution's end is part of it. */
	async replay(recording: Recording, turn: number): Promise<Outcome> {
		for (const commit of replayCommits(recording, turn)) {
			commit.write(this.conversation.store);
			commit.tell(this.stdout);
			await this.breathe();
		}
		this.#executionEnded = true;
		return { status: "SUCCESS", exitCode: 0, termination: 4 };
	}

	async play(steps: readonly ScenarioStep[]): Promise<void> {
		for (const step of steps) {
			if (isControl(step)) await control(step, { ...this.#setup, conversation: this.conversation });
			else if (isTool(step)) await this.#tools([step]);
			else await this.#rowStep(step);
		}
	}

	/** Writes the end of the turn; from here on nothing of it moves any more. */
	close(outcome: Outcome): void {
		this.#stopped = true;
		const canceled = outcome.termination === 2 && compareVersions(this.options.version, "1.2.5") >= 0;
		if (canceled) for (const row of this.conversation.rows) if (row.open) row.commit(STATUS.canceled);
		const left = this.#background.size;
		for (const { row } of this.#background.values()) {
			if (row.open && compareVersions(this.options.version, "1.2.5") >= 0) row.commit(STATUS.canceled);
		}
		if (left > 0) process.stderr.write(`terminating ${left} background task(s) on exit\n`);
		if (!this.#executionEnded) this.conversation.endExecution(outcome.termination, outcome.error);
		this.#executionEnded = true;
		this.conversation.remember();
	}

	async breathe(): Promise<void> {
		const { pace } = this.#setup;
		await new Promise<void>((resolve) => (pace > 0 ? setTimeout(resolve, pace) : setImmediate(resolve)));
		// After its end the turn waits here for the process to leave.
		if (this.#stopped) await new Promise(() => {});
	}

	async #rowStep(step: RowStep): Promise<void> {
		if ("think" in step) {
			for (const chunk of [step.think].flat()) await (await this.#openPlanner()).think(chunk);
		} else if ("say" in step) {
			for (const chunk of chunksOf(step.say)) await (await this.#openPlanner()).say(chunk);
		} else if ("repeat" in step) {
			for (let n = 1; n <= step.repeat.times; n++) await this.play(fillIn(step.repeat.steps, "{{n}}", String(n)));
		} else if ("rewriteText" in step) await (await this.#openPlanner()).rewrite(step.rewriteText);
		else if ("usage" in step) this.#usage = step.usage;
		else if ("parallel" in step) await this.#tools(step.parallel);
		else if ("finish" in step) await this.#finish(step.finish);
		else if ("checkpoint" in step) await this.#checkpoint({ userIntent: step.checkpoint, intentOnly: true }, true);
		else if ("compaction" in step) await this.#compaction(step.compaction);
		else if ("systemMessage" in step) await this.#systemMessage(step.systemMessage);
		else if ("retry" in step) await this.#retry(step.retry);
		else if ("error" in step) await this.#error(step.error);
		else if ("rewind" in step) {
			await this.#endPlanner(false);
			this.conversation.rewind(step.rewind);
			await this.breathe();
		} else if ("idle" in step) await this.#idle(step.idle);
		else if ("end" in step) {
			const termination = step.end.status === "CANCELED" ? 2 : step.end.status === "ERROR" ? 1 : 4;
			const error = step.end.error === undefined ? {} : { error: step.end.error };
			throw new TurnEnd({ status: step.end.status, exitCode: 0, termination, ...error });
		} else if ("printTimeout" in step) {
			throw new TurnEnd(timeoutOutcome(this.abilities, this.options.version, "5m0s"));
		} else throw new Error(`not a step the stand-in knows: ${JSON.stringify(step)}`);
	}

	async #openPlanner(): Promise<Planner> {
		if (this.#planner !== undefined) return this.#planner;
		this.#planner = new Planner(this, this.#usage);
		this.#usage = {};
		await this.#planner.open();
		return this.#planner;
	}

	/** The planner row that called nothing is DONE, and its model call is written down. */
	async #endPlanner(last: boolean): Promise<void> {
		const planner = this.#planner;
		if (planner === undefined) return;
		this.#planner = undefined;
		const stats = await planner.finish(last);
		this.conversation.endGeneration(stats, [planner.row.idx], this.options.promptBytes);
		await this.breathe();
	}

	async #tools(steps: readonly ToolStep[]): Promise<void> {
		const planner = await this.#openPlanner();
		const plans = steps.map((step) => ({ step, plan: planTool(step, this.cwd) }));
		await planner.call(plans.map(({ plan }) => plan.call));
		const runs: { step: ToolStep; run: ToolRun }[] = [];
		for (const { step, plan } of plans) {
			const run = new ToolRun(this, plan);
			await run.pend();
			runs.push({ step, run });
		}
		this.#planner = undefined;
		const stats = await planner.finish(false);
		let ended: unknown;
		await Promise.all(runs.map(({ step, run }) => this.#runTool(step, run))).catch((error) => {
			ended = error;
		});
		this.conversation.endGeneration(
			stats,
			[planner.row.idx, ...runs.map(({ run }) => run.row.idx)],
			this.options.promptBytes,
		);
		await this.breathe();
		if (ended !== undefined) throw ended;
	}

	async #runTool(step: ToolStep, run: ToolRun): Promise<void> {
		const { background } = run.plan.options;
		if (background !== undefined) {
			this.#background.set(background, run);
			const id = `${this.conversation.id}/task-${this.#background.size}`;
			run.row.envelope.taskDetails = { id, logUri: this.conversation.logUri, description: run.plan.summary };
		}
		if ("callMcp" in step) return run.run({}, () => this.#callMcp(step.callMcp));
		if (!("subagent" in step)) return run.run();
		const child = await this.#subagent(step.subagent, run);
		const result = { conversationId: child.id, logAbsoluteUri: child.logUri };
		await run.run({ results: [result] });
		const report = step.subagent.report ?? "The subagent is done.";
		await this.#systemMessage({ text: report, event: "subagent_report", sender: child.id });
	}

	async #callMcp(spec: ToolSteps["callMcp"]): Promise<{ extra: Plain; output: string }> {
		const { mcp } = this.#setup;
		let { server, text } = await mcp.call(spec.tool, spec.args ?? {});
		while (spec.patiently && /is still running/.test(text))
			({ server, text } = await mcp.call(spec.tool, spec.args ?? {}));
		return { extra: { serverName: server, resultString: text }, output: text };
	}

	async #subagent(spec: { prompt: string; steps: ScenarioStep[] }, run: ToolRun): Promise<Conversation> {
		const { id, options } = this.conversation;
		const root = options.parent?.root ?? id;
		const depth = (options.parent?.depth ?? 0) + 1;
		const child = Conversation.create({ ...options, kind: "normal", parent: { id, root, depth } });
		run.announceSubagent(child.id, child.logUri);
		const quiet = { format: "text", init: false, result: false, text: false, splitUtf8: false, mute: true } as const;
		const turn = new Turn({ ...this.#setup, conversation: child, stdout: new Stdout(quiet) });
		await turn.prompt(spec.prompt, []);
		turn.close(await turn.run(spec.steps));
		return child;
	}

	async #finish(finish: RowSteps["finish"]): Promise<void> {
		const spec = typeof finish === "string" ? { task: finish } : finish;
		const run = this.#background.get(spec.task);
		if (run === undefined) throw new Error(`nothing called "${spec.task}" is in the background`);
		this.#background.delete(spec.task);
		if (spec.canceled) return run.cancel();
		const full = spec.output?.join("") ?? run.plan.output;
		const extra = run.plan.field === "runCommand" ? { combinedOutput: { full }, exitCode: spec.exitCode ?? 0 } : {};
		await run.end(extra, full);
		const details = run.row.envelope.taskDetails;
		const sender = typeof details === "object" && "id" in details ? String(details.id) : spec.task;
		await this.#systemMessage({ text: `${run.plan.summary} has finished.`, event: "task_completed", sender });
	}

	async #systemMessage(message: RowSteps["systemMessage"]): Promise<void> {
		const spec = typeof message === "string" ? { text: message } : message;
		await this.#endPlanner(false);
		const row = this.conversation.row(TYPE.systemMessage, SOURCE.system);
		const agentMessage: Plain = {
			id: randomUUID(),
			recipient: this.conversation.id,
			sender: spec.sender ?? "system",
			content: spec.text,
			priority: 2,
			timestamp: now(),
			renderDetails: { messageTitle: spec.text.slice(0, 60) },
		};
		const renderInfo = { title: spec.text.slice(0, 60), markdown: spec.text };
		row.body = { systemMessage: { message: spec.text, renderInfo, eventType: spec.event ?? "notice", agentMessage } };
		row.commit(STATUS.done);
		this.stdout.step({ step_index: row.idx, state: "DONE", step_type: "system_message" });
		await this.breathe();
	}

	/** A separate, small model call: the title, or what is left of the conversation after a compaction. */
	async #checkpoint(checkpoint: Plain, afterAnswer: boolean): Promise<void> {
		await this.#endPlanner(afterAnswer);
		const row = await this.#systemRow(TYPE.checkpoint, { checkpoint }, (open) => {
			const usage = usageStats({ input: 40, cacheRead: 0, output: 5, thinking: 0 }, 1050);
			open.metadata.modelUsage = usage;
			open.metadata.retryInfos = [{ usage }];
			open.body = { checkpoint: { ...checkpoint, includedStepIndexEnd: open.idx, userRequests: ["…"] } };
		});
		this.conversation.addUsage({ input: 40, cacheRead: 0, output: 5, thinking: 0 });
		this.stdout.step({ step_index: row.idx, state: "DONE", step_type: "checkpoint", duration_seconds: 0.1 });
	}

	async #compaction(spec: RowSteps["compaction"]): Promise<void> {
		const covered = Array.from({ length: this.conversation.nextIdx }, (_, idx) => idx);
		const checkpoint = {
			checkpointIndex: 1,
			includedStepIndices: covered,
			sessionSummary: spec.summary,
			conversationTitle: spec.title,
		};
		await this.#checkpoint(checkpoint, false);
	}

	async #systemRow(type: number, body: Plain, finish?: (row: ReturnType<Conversation["row"]>) => void) {
		const row = this.conversation.row(type, SOURCE.system);
		row.body = body;
		for (const status of [STATUS.pending, STATUS.running, STATUS.done]) {
			if (status === STATUS.done) finish?.(row);
			row.commit(status);
			await this.breathe();
		}
		return row;
	}

	async #retry(spec: RowSteps["retry"]): Promise<void> {
		const planner = this.#planner ?? new Planner(this, {});
		this.#planner = undefined;
		await planner.fail(spec.stopReason ?? STOP.clientStreamError);
		await this.#errorRow({ message: spec.message, code: spec.code ?? 503 });
	}

	async #error(spec: RowSteps["error"]): Promise<never> {
		await this.#endPlanner(false);
		await this.#errorRow(spec);
		throw new TurnEnd(errorOutcome(this.abilities, this.options.version, spec, this.stdout.response !== ""));
	}

	async #errorRow(spec: { message: string; code?: number }): Promise<void> {
		const row = this.conversation.row(TYPE.errorMessage, SOURCE.system);
		const error = {
			userErrorMessage: spec.message,
			shortError: spec.message,
			fullError: spec.message,
			errorCode: spec.code,
			modelErrorMessage: spec.message,
		};
		row.body = { errorMessage: { error, shouldShowUser: true } };
		row.commit(STATUS.done);
		const told = { type: "MODEL_ERROR", message: spec.message };
		this.stdout.step({ step_index: row.idx, state: "DONE", step_type: "error_message", error: told });
		await this.breathe();
	}

	/** agy's own turn is over, its process is not: background tasks run, and `result` has to wait. */
	async #idle(steps: ScenarioStep[]): Promise<void> {
		await this.#endPlanner(true);
		this.conversation.endExecution(4);
		this.#executionEnded = true;
		const tasks = this.#background.size;
		const wait = this.abilities.waitsForBackground ? "" : " up to 5s";
		const bound = this.abilities.waitsForBackground ? " (bounded by --print-timeout)" : "";
		if (tasks > 0) process.stderr.write(`root agent idle; waiting${wait} for ${tasks} background task(s)${bound}\n`);
		await this.play(steps);
	}
}

function chunksOf(say: RowSteps["say"]): string[] {
	if (typeof say === "string") return [say];
	if (Array.isArray(say)) return say;
	return Array.from({ length: say.times }, (_, index) => say.chunk.replaceAll("{{n}}", String(index + 1)));
}
