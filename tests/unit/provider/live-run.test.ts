import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { StepRef } from "../../../src/engine/events.ts";
import { type ItemConsumer, type LiveItem, LiveRun } from "../../../src/provider/live-run.ts";
import type { StepCard } from "../../../src/provider/step-card.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { FakeEngine, text, tool } from "../../support/fake-engine.ts";

function begin() {
	const run = new FakeEngine().start({
		prompt: "go",
		cwd: "/home/me/project",
		addDirs: [],
		mode: "accept-edits",
		permissions: "skip",
		purpose: "turn",
		literalPrompt: false,
	});
	const live = new LiveRun(run, new FakeClock(), { ended: async () => {} });
	run.emit({ type: "conversation", id: "c1" });
	return { run, live };
}

const NOTHING = { words: "", *writtenSteps(): Iterable<{ kind: "text"; step: string; text: string }> {} };

/** A message that takes one step and ends with its card. */
class OneStepMessage implements ItemConsumer {
	readonly #live: LiveRun;
	card: StepCard | undefined;

	constructor(live: LiveRun) {
		this.#live = live;
	}

	accept(item: LiveItem): boolean {
		if (item.type !== "tool") return false;
		this.card = this.#live.cardFor(item).card;
		this.#live.detach([this.card], NOTHING);
		return true;
	}

	abort(): void {}
}

function described(items: readonly LiveItem[]): string[] {
	return items.map((item) => {
		const step: StepRef | undefined =
			item.type === "late-end" ? item.card.step.step : "step" in item ? item.step : undefined;
		return `${item.type} ${step?.index}`;
	});
}

test("the end of a background step that comes with its beginning is told after the message that shows it", async () => {
	const { run, live } = begin();
	run.emit(tool(2, "background"), tool(2, "done"), text(3, "Done."));
	await turnOfTheLoop();
	const message = new OneStepMessage(live);
	live.attach(message);
	assert.equal(message.card?.end, "background");
	assert.equal(message.card.step.state, "done");
	assert.deepEqual(described(live.takeWaiting()), ["late-end 2", "text 3"]);
});

test("news of a step whose card pi follows go to the card and not to the next message", async () => {
	const { run, live } = begin();
	run.emit(tool(2, "running"), tool(2, "running", { output: "1" }), tool(2, "done", { output: "12" }));
	await turnOfTheLoop();
	const message = new OneStepMessage(live);
	live.attach(message);
	assert.equal(message.card?.end, "finished");
	assert.equal(message.card.step.output, "12");
	assert.deepEqual(live.takeWaiting(), []);
});
