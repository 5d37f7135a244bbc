import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import {
	createAgentSession,
	DefaultResourceLoader,
	ModelRuntime,
	SessionManager,
	SettingsManager,
} from "@earendil-works/pi-coding-agent";
import { defaultSettings } from "../../src/config/schema.ts";
import { systemClock } from "../../src/engine/clock.ts";
import { silentLog } from "../../src/engine/log.ts";
import { registerAntigravity } from "../../src/extension/register.ts";
import { createSharedState } from "../../src/extension/shared-state.ts";
import { FakeEngine, text } from "../support/fake-engine.ts";
import { FakePlanner } from "../support/fake-planner.ts";
import { piHome } from "../support/pi.ts";
import { model } from "../support/pi-model.ts";

test("two sessions of one process keep apart although they share pi's providers", async (t) => {
	const { cwd, agentDir } = piHome(t);
	const shared = createSharedState(process.env);
	const modelRuntime = await ModelRuntime.create({ authPath: `${agentDir}/auth.json`, modelsPath: null });

	async function open(name: string) {
		const engine = new FakeEngine((run) => {
			run.emit({ type: "conversation", id: name }, text(1, `I am ${name}.`));
			run.end();
		});
		const planner = new FakePlanner();
		const settingsManager = SettingsManager.inMemory();
		const resourceLoader = new DefaultResourceLoader({
			cwd,
			agentDir,
			settingsManager,
			noSkills: true,
			noContextFiles: true,
			extensionFactories: [
				(pi) =>
					registerAntigravity(
						pi,
						{
							engine,
							planner,
							clock: systemClock,
							log: silentLog,
							settings: () => defaultSettings,
							findAgyProblem: () => undefined,
							async loadTurn() {},
							outputsDirectory: `${agentDir}/outputs`,
							catalogue: {
								models: () => [model],
								learn: async () => {},
								resolve: (id) => ({ choice: { slug: id }, family: "gemini" }),
								restore() {},
								refresh: async () => ({ kind: "not-needed" }),
							},
						},
						shared,
					),
			],
		});
		await resourceLoader.reload();
		const sessionManager = SessionManager.inMemory(cwd);
		const options = { cwd, agentDir, settingsManager, resourceLoader, modelRuntime, sessionManager };
		const { session } = await createAgentSession(options);
		await session.bindExtensions({});
		const ours = modelRuntime.getModel("antigravity", model.id);
		assert.ok(ours);
		await session.setModel(ours);
		t.after(() => session.dispose());
		return { session, engine, planner };
	}

	const first = await open("first");
	const second = await open("second");
	await first.session.prompt("who are you?");
	await second.session.prompt("and you?");
	await turnOfTheLoop();
	for (const { planner } of [first, second]) assert.equal(planner.planned.length, 1);
	assert.notEqual(first.planner.planned[0]?.sessionId, second.planner.planned[0]?.sessionId);
	assert.equal(first.session.getLastAssistantText(), "I am first.");
	assert.equal(second.session.getLastAssistantText(), "I am second.");
});
