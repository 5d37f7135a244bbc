import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Message } from "@earendil-works/pi-ai";
import { defaultSettings, type Settings } from "../../../src/config/schema.ts";
import type { ConversationPlanner, Planned, TurnPlan } from "../../../src/conversation/plan.ts";
import { createConversationPlanner, type PlannerOptions } from "../../../src/conversation/planner.ts";
import { createSessionStore } from "../../../src/conversation/session-store.ts";
import type { EndEvent, Outcome, RunProgress } from "../../../src/engine/events.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { context } from "./messages.ts";

/** Two processes' planners on one store, and agy's databases. */
export function setUp(t: TestContext, settings: Partial<Settings> = {}) {
	const root = temporaryFolder(t);
	const cwd = join(root, "work");
	const stagingRoot = join(root, "tmp");
	for (const folder of [cwd, stagingRoot]) mkdirSync(folder);
	const clock = new FakeClock();
	const databases = new Set(["c1", "c2", "c3"]);
	const alive = new Set([100, 200]);
	const folder = join(root, "sessions");
	const options = (pid: number): PlannerOptions => ({
		store: createSessionStore({ folder, clock }),
		settings: () => ({ ...defaultSettings, ...settings }),
		clock,
		conversationExists: (id) => databases.has(id),
		stagingRoot,
		pid,
		isAlive: (other) => alive.has(other),
	});
	const planners = {
		here: createConversationPlanner(options(100)),
		elsewhere: createConversationPlanner(options(200)),
	};
	return {
		root,
		cwd,
		folder,
		stagingRoot,
		clock,
		databases,
		alive,
		...planners,
		restart: () => createConversationPlanner(options(100)),
	};
}

export function input(messages: Message[], more: { sessionId?: string; cwd?: string; family?: string } = {}) {
	const { sessionId = "s1", cwd = "/project", family = "gemini" } = more;
	return {
		context: context(...messages),
		sessionId,
		cwd,
		model: { id: "gemini-3.8-flash", family },
		mode: "accept-edits",
		permissions: "skip",
	} as const;
}

export function planned(plan: Planned<TurnPlan>): TurnPlan {
	assert.ok(!("refused" in plan), `refused: ${JSON.stringify(plan)}`);
	return plan;
}

export function ended(
	conversationId: string,
	outcome: Outcome = { kind: "answered" },
	more: Partial<RunProgress> = {},
): EndEvent {
	const progress = { conversationId, lastStep: 3, promptSeen: true, toolsRan: false, textSeen: false, ...more };
	return { type: "end", outcome, progress };
}

/** Plays a whole turn; `conversation` is the one agy writes. */
export async function turn(
	planner: ConversationPlanner,
	messages: Message[],
	run: {
		conversation: string;
		answer?: string;
		outcome?: Outcome;
		progress?: Partial<RunProgress>;
		sessionId?: string;
	},
): Promise<TurnPlan> {
	const plan = planned(
		await planner.plan(input(messages, run.sessionId === undefined ? {} : { sessionId: run.sessionId })),
	);
	await planner.started(plan, run.conversation);
	await planner.finished(plan, ended(run.conversation, run.outcome, run.progress), run.answer ?? "");
	return plan;
}
