import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import type { Api, Model, SimpleStreamOptions, ToolResultMessage, TranscriptContext } from "@earendil-works/pi-ai";
import type { SessionBridge } from "../bridge/session-bridge.ts";
import type { ConversationPlanner, TurnModel, TurnPlan, WordsPlan } from "../conversation/plan.ts";
import type { Clock } from "../engine/clock.ts";
import type { Effort, Engine, RunMode, RunRequest } from "../engine/engine.ts";
import type { ActivityEvent, EndEvent, NoticeEvent } from "../engine/events.ts";
import type { Failure } from "../engine/failure.ts";
import type { ModelCatalogue } from "../models/catalogue.ts";
import { stepTitle } from "../words/step-title.ts";
import { failureText, finalText } from "./failure-text.ts";
import { LiveRun, type LiveRunHooks } from "./live-run.ts";
import type { StepDisplay } from "./message-boundary.ts";
import type { MessageWriter } from "./message-writer.ts";
import type { SessionRuns } from "./session-runs.ts";
import { readTail, type TranscriptTail } from "./transcript-tail.ts";

/** The parts a turn is made with; the same for all sessions. */
export interface TurnParts {
	readonly engine: Engine;
	readonly planner: ConversationPlanner;
	readonly catalogue: Pick<ModelCatalogue, "learn" | "resolve">;
	readonly clock: Clock;
}

/** The pi session a turn belongs to. */
export interface TurnSession {
	readonly id: string;
	/** Absolute. */
	readonly cwd: string;
	readonly runs: SessionRuns;
	/** Offers the tools of the session to agy. */
	readonly bridge?: Pick<SessionBridge, "prepareRun">;
	readonly mode: RunMode;
	readonly permissions: "skip" | "deny";
	/** How steps are shown, as it is at the moment. */
	display(): StepDisplay;
	activity(event: ActivityEvent): void;
	title(text: string): void;
	notice(event: NoticeEvent): void;
	/** A run of the session's turn begins or is over. */
	runStarted(model: TurnModel): void;
	runEnded(end: EndEvent): void;
}

/** One call of pi's `streamSimple`. */
export interface TurnCall {
	readonly model: Model<Api>;
	readonly context: TranscriptContext;
	readonly options: SimpleStreamOptions;
	readonly writer: MessageWriter;
}

/**
 * A turn of the session, or the next message of one that is running. Never rejects; always ends `call.writer`, though perhaps
 * after this resolves.
 */
export async function runTurn(parts: TurnParts, session: TurnSession, call: TurnCall): Promise<void> {
	const tail = readTail(call.context.messages);
	const live = session.runs.current;
	const ours =
		live === undefined
			? []
			: tail.ourResults.filter(({ toolCallId: id }) => live.card(id) !== undefined || live.isBridged(id));
	// A run that waits for these results comes before any other consideration: a new one would do its work twice.
	if (live !== undefined && ours.length > 0 && (live.state === "parked" || !tail.userSpoke)) {
		const blocked = ours.find((result) => live.card(result.toolCallId)?.executed === false);
		if (blocked !== undefined) return endBlockedRun(live, session, call, blocked);
		if (live.state === "parked" && !tail.userSpoke) {
			live.deliver(ours);
			return follow(live, session, call);
		}
		if (live.state === "parked") await interrupt(live, session, call);
	}
	await session.runs.endTurn("owner-gone");
	const problem = await findProblem(session, tail);
	if (problem !== undefined) call.writer.fail(problem);
	else if (!call.writer.closed) await startTurn(parts, session, call);
}

/** A call that is no turn: words in, words out, in a conversation that is thrown away. Never rejects. */
export async function runWordsOnly(
	parts: TurnParts,
	session: Pick<TurnSession, "cwd" | "runs">,
	call: TurnCall,
): Promise<void> {
	const model = await resolveModel(parts, call);
	if ("kind" in model) return call.writer.fail(failureText(model, false, parts.clock.now()));
	const plan = await parts.planner.wordsOnly({ context: call.context, model });
	if ("refused" in plan) return call.writer.fail(failureText(plan.refused, false, parts.clock.now()));
	const request = await announce(plan.request, call);
	if (call.writer.closed) return plan.discard();
	const live = new LiveRun(parts.engine.start(request), parts.clock, wordsHooks(plan, call));
	session.runs.track(live);
	live.watch(call.options.signal);
	live.continueIn({ writer: call.writer, display: "off", cwd: session.cwd, closingLine: false });
}

async function startTurn(parts: TurnParts, session: TurnSession, call: TurnCall): Promise<void> {
	const { planner, clock } = parts;
	const model = await resolveModel(parts, call);
	if ("kind" in model) return call.writer.fail(failureText(model, false, clock.now()));
	const { id: sessionId, cwd, mode, permissions } = session;
	const plan = await planner.plan({ context: call.context, sessionId, cwd, model, mode, permissions });
	if ("refused" in plan) return call.writer.fail(failureText(plan.refused, false, clock.now()));
	const announced = await announce(plan.request, call);
	const prepared = await session.bridge?.prepareRun(announced, call.context);
	const { request, tools } = prepared ?? { request: announced };
	if (call.writer.closed) return planner.finished(plan, NEVER_STARTED, "");
	const live = new LiveRun(parts.engine.start(request), clock, turnHooks(planner, plan, session, call), tools);
	session.runs.beginTurn(live);
	session.runStarted(model);
	for (const text of plan.notices) {
		call.writer.line(text);
		session.notice({ type: "notice", level: "warning", code: "other", text });
	}
	follow(live, session, call);
}

function follow(live: LiveRun, session: TurnSession, { options, writer }: TurnCall): void {
	live.watch(options.signal);
	live.continueIn({ writer, display: session.display(), cwd: session.cwd, closingLine: true });
}

/** The user spoke while agy worked: agy is stopped, and what it had said meanwhile opens the message of the next run. */
async function interrupt(live: LiveRun, session: TurnSession, { writer }: TurnCall): Promise<void> {
	const display = session.display() === "off" ? "off" : "inline";
	live.tellWaiting({ writer, display, cwd: session.cwd, closingLine: false });
	live.cancel("steering");
	await live.recorded;
}

async function endBlockedRun(
	live: LiveRun,
	session: TurnSession,
	call: TurnCall,
	result: ToolResultMessage,
): Promise<void> {
	live.cancel("veto");
	const step = live.card(result.toolCallId)?.step;
	const title = step === undefined ? "a step" : `"${stepTitle(step, session.cwd)}"`;
	const reason = result.content
		.map((part) => (part.type === "text" ? part.text : ""))
		.join(" ")
		.trim();
	const plain =
		"An extension of pi blocked a step of agy, and agy was stopped. The step had already begun: check what it did.";
	const text = `An extension of pi blocked ${title} (${reason}), and agy was stopped. The step had already begun: check what it did.`;
	call.writer.fail(finalText(text, plain));
	await live.recorded;
}

/** What makes a new run pointless, as the whole error message. */
async function findProblem(session: TurnSession, tail: TranscriptTail): Promise<string | undefined> {
	if (!tail.userSpoke && !tail.otherResults) return tail.ourResults.length > 0 ? LOST_RUN : NOTHING_SAID;
	return (await isUsableDirectory(session.cwd))
		? undefined
		: finalText(
				`The working directory ${session.cwd} cannot be read. Start pi in a directory that exists and that you may read.`,
				"The working directory cannot be read. Start pi in a directory that exists and that you may read.",
			);
}

const LOST_RUN =
	"agy is no longer running, so the results of its steps lead nowhere. Send a message to go on in the same conversation.";
const NOTHING_SAID = "There is nothing to send to agy. Write a message.";

async function isUsableDirectory(path: string): Promise<boolean> {
	try {
		await access(path, constants.R_OK | constants.X_OK);
		return (await stat(path)).isDirectory();
	} catch {
		return false;
	}
}

async function resolveModel(parts: TurnParts, call: TurnCall): Promise<TurnModel | Failure> {
	await parts.catalogue.learn(call.model.id, call.options.signal);
	const found = parts.catalogue.resolve(call.model.id, effortOf(call));
	if ("unknown" in found) {
		const { unknown, available, alike } = found;
		return { kind: "unknown-model", model: unknown, available, alike };
	}
	return { id: call.model.id, choice: found.choice, family: found.family };
}

function effortOf({ model, options }: TurnCall): Effort | undefined {
	if (options.reasoning === undefined) return undefined;
	const level = model.thinkingLevelMap?.[options.reasoning] ?? options.reasoning;
	switch (level) {
		case "low":
		case "minimal":
			return "low";
		case "medium":
		case "high":
		case "xhigh":
		case "max":
			return level;
		default:
			return undefined;
	}
}

/** Shows pi's extensions what is about to be sent; one of them may replace the prompt. */
async function announce(request: RunRequest, { model, options }: TurnCall): Promise<RunRequest> {
	const { prompt, cwd, resume } = request;
	const payload = { prompt, cwd, model: request.model?.slug, conversation: resume?.conversationId };
	const replaced = await options.onPayload?.(payload, model);
	const changed =
		typeof replaced === "object" && replaced !== null && "prompt" in replaced ? replaced.prompt : undefined;
	return typeof changed === "string" ? { ...request, prompt: changed } : request;
}

function turnHooks(planner: ConversationPlanner, plan: TurnPlan, session: TurnSession, call: TurnCall): LiveRunHooks {
	return {
		conversation(id) {
			void planner.started(plan, id);
			reportResponse(call);
		},
		activity: (event) => session.activity(event),
		title: (text) => session.title(text),
		notice(event) {
			// What a card or a line of its own shows anyway needs no second word.
			if (event.step === undefined || session.display() === "off") session.notice(event);
		},
		async ended(end, answer) {
			session.runEnded(end);
			await planner.finished(plan, end, answer);
		},
	};
}

function wordsHooks(plan: WordsPlan, call: TurnCall): LiveRunHooks {
	return { conversation: () => reportResponse(call), ended: async () => {}, closed: () => plan.discard() };
}

/** agy answers without HTTP that we could see: its first sign of life is the response. */
function reportResponse({ model, options }: TurnCall): void {
	Promise.resolve(options.onResponse?.({ status: 200, headers: {} }, model)).catch(() => {});
}

const NEVER_STARTED: EndEvent = {
	type: "end",
	outcome: { kind: "cancelled", by: "user" },
	progress: { lastStep: -1, promptSeen: false, toolsRan: false, textSeen: false },
};
