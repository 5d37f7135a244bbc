import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";
import { defaultSettings, settingsSchema } from "../../../src/config/schema.ts";
import { systemClock } from "../../../src/engine/clock.ts";
import type { Failure } from "../../../src/engine/failure.ts";
import { silentLog } from "../../../src/engine/log.ts";
import { registerAntigravity } from "../../../src/extension/register.ts";
import { sharedState } from "../../../src/extension/shared-state.ts";
import { FakeEngine } from "../fake-engine.ts";
import { FakePlanner } from "../fake-planner.ts";
import { model } from "../pi-model.ts";
import { play } from "./scenes.ts";

/**
 * The real extension around an engine that plays the scene named by the prompt's first word. `SCRIPT_LOG` gets one JSON line
 * for each run that starts and for each that is cancelled; `SCRIPT_SETTINGS` are settings as JSON, `SCRIPT_GATE` is
 * what the scene `waits_and_ends` waits for.
 */
export default function scripted(pi: ExtensionAPI): void {
	const settings = settingsSchema.parse({ ...defaultSettings, ...JSON.parse(process.env.SCRIPT_SETTINGS ?? "{}") });
	const noAgy: Failure | undefined =
		process.env.SCRIPT_NO_AGY === undefined
			? undefined
			: { kind: "not-installed", searched: ["AGY_BIN", "PATH", "~/.local/bin/agy"] };
	const engine = new FakeEngine((run) => {
		note({ started: run.request.prompt, purpose: run.request.purpose });
		void run.settled.then(() => note({ ended: run.request.prompt, cancelledBy: run.cancelledBy ?? null }));
		if (noAgy === undefined) void play(run);
		else run.end({ kind: "failed", failure: noAgy });
	});
	registerAntigravity(
		pi,
		{
			engine,
			planner: new FakePlanner(),
			clock: systemClock,
			catalogue: {
				models: () => [model],
				resolve: (id) =>
					id === model.id
						? { choice: { slug: id }, family: "gemini" }
						: { unknown: id, available: [model.id], alike: [] },
				learn: async () => {},
				restore() {},
				refresh: async () => ({ kind: "not-needed" }),
			},
			log: silentLog,
			settings: () => settings,
			findAgyProblem: () => noAgy,
			async loadTurn() {},
			outputsDirectory: join(getAgentDir(), "antigravity", "outputs"),
		},
		sharedState,
	);
}

function note(line: object): void {
	const path = process.env.SCRIPT_LOG;
	if (path !== undefined) appendFileSync(path, `${JSON.stringify(line)}\n`);
}
