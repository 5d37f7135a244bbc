import { join } from "node:path";
import { type AssistantMessageEventStream, normalizeContext } from "@earendil-works/pi-ai";
import { createParts } from "../../src/extension/parts.ts";
import { createAntigravityProvider } from "../../src/provider/provider.ts";
import { SessionRuns } from "../../src/provider/session-runs.ts";
import { runTurn, type TurnSession } from "../../src/provider/turn.ts";
import { model } from "../../tests/support/pi-model.ts";
import { type FakeHome, fakeHome, type Scenario } from "../../tests/support/scenario.ts";

/** The provider as pi gets it, with everything real below it, in the home of a stand-in agy. */
export interface BenchProvider {
	readonly home: FakeHome;
	/** One turn of a session of its own. */
	ask(prompt: string): AssistantMessageEventStream;
}

/** Runs with a provider whose agy plays `scenario`; `env` is added to agy's environment. */
export async function withProvider<T>(
	scenario: Scenario,
	env: Readonly<Record<string, string>>,
	run: (provider: BenchProvider) => Promise<T>,
): Promise<T> {
	const cleanUps: (() => unknown)[] = [];
	const home = fakeHome({ after: (fn: unknown) => void cleanUps.push(fn as () => unknown) }, scenario);
	const parts = createParts({ ...home.env, ...env }, join(home.dir, "pi"));
	// As pi does when it has started.
	await parts.loadTurn();
	const runs: SessionRuns[] = [];
	let sessions = 0;
	const provider = createAntigravityProvider({
		catalogue: parts.catalogue,
		findAgyProblem: () => parts.findAgyProblem(),
		hidesWithoutAgy: () => false,
		now: () => Date.now(),
		run(call) {
			const own = new SessionRuns();
			runs.push(own);
			const session: TurnSession = {
				id: `bench-${sessions++}`,
				cwd: home.cwd,
				runs: own,
				mode: "accept-edits",
				permissions: "skip",
				display: () => "inline",
				activity() {},
				title() {},
				notice() {},
				runStarted() {},
				runEnded() {},
			};
			return runTurn(parts, session, call);
		},
	});
	try {
		return await run({
			home,
			ask(prompt) {
				const message = { role: "user" as const, content: prompt, timestamp: Date.now() };
				return provider.streamSimple(model, normalizeContext({ messages: [message] }), {});
			},
		});
	} finally {
		await Promise.all(runs.map((own) => own.shutDown()));
		for (const cleanUp of cleanUps) cleanUp();
	}
}
