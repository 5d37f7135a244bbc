import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { DiffLine, ToolEvent } from "../../../src/engine/events.ts";
import { type FakeRun, generation, text, thinking, tool, usage } from "../fake-engine.ts";

/** A scene of what agy does in one run. Pauses are agy's own pace; no test waits for them by the clock. */
type Scene = (run: FakeRun) => Promise<void>;

/** Longer than a card is held once agy went on. */
const LONGER_THAN_GRACE_MS = 400;

let timesBusy = 0;

const scenes: Readonly<Record<string, Scene>> = {
	async hello(run) {
		run.emit(thinking(1, "A greeting."), text(1, "Hello "), text(1, "there."), usage(1, { input: 1200, output: 30 }));
		run.emit(generation(1, "done", []), { type: "title", text: "A greeting" });
		run.end();
	},

	async steps(run) {
		say(
			run,
			1,
			"I will look around.",
			["call-2", "call-3"],
			[
				tool(2, "done", { kind: "list", name: "list_dir", summary: `${run.request.cwd}/src`, output: "a.ts\nb.ts" }),
				tool(3, "running", { startedAt: 0 }),
			],
		);
		await pause(50);
		run.emit(tool(3, "running", { startedAt: 0, output: lines(3) }));
		await pause(150);
		run.emit(tool(3, "done", { startedAt: 0, endedAt: 2400, output: lines(200), exitCode: 1 }));
		say(run, 4, "One test fails.", ["call-5"], [edit(run, 5)]);
		say(run, 6, "Fixed: the sum is right now.", [], []);
		run.end();
	},

	async many(run) {
		for (let index = 0; index < 100; index++) {
			const step = index * 2 + 1;
			say(
				run,
				step,
				"",
				[`call-${step + 1}`],
				[tool(step + 1, "done", { summary: `echo ${index}`, output: `${index}` })],
			);
		}
		run.emit(text(201, "All hundred ran."));
		run.end();
	},

	async background(run) {
		say(run, 1, "Starting the server.", ["call-2"], [tool(2, "running", { summary: "npm run serve" })]);
		await pause(LONGER_THAN_GRACE_MS);
		for (const [step, name] of [
			[3, "one"],
			[5, "two"],
			[7, "three"],
		] as const) {
			say(run, step, `Now ${name}.`, [`call-${step + 1}`], [tool(step + 1, "running", { summary: `check ${name}` })]);
			await pause(LONGER_THAN_GRACE_MS);
			run.emit(tool(step + 1, "done", { summary: `check ${name}`, exitCode: 0 }));
		}
		run.emit(tool(2, "done", { summary: "npm run serve", exitCode: 0, output: "served" }));
		say(run, 9, "The server did its work.", [], []);
		run.end();
	},

	/** pi would like to compact the session after this step. */
	async full(run) {
		run.emit(text(1, "It is getting full."), tool(2, "done"), usage(1, { input: 195_000 }));
		run.emit(generation(1, "done", ["call-2"]));
		await pause(LONGER_THAN_GRACE_MS);
		run.emit(text(3, "Done all the same."), usage(3, { input: 1000 }), generation(3, "done", []));
		run.end();
	},

	async only_a_step(run) {
		say(run, 1, "", ["call-2"], [tool(2, "done", { exitCode: 0 })]);
		run.end();
	},

	async fails_after_a_step(run) {
		say(run, 1, "Working.", ["call-2"], [tool(2, "done", { exitCode: 0 })]);
		run.end({ kind: "failed", failure: { kind: "overloaded", code: 503 } }, { toolsRan: true });
	},

	/** Google is too busy the first time. */
	async busy(run) {
		timesBusy++;
		if (timesBusy === 1) run.end({ kind: "failed", failure: { kind: "overloaded" } }, { textSeen: false });
		else await scenes.hello?.(run);
	},

	async fails_at_once(run) {
		run.end({ kind: "failed", failure: { kind: "not-signed-in", expired: true } }, { textSeen: false });
	},

	/** A step that never ends by itself. */
	async waits(run) {
		run.emit({ type: "activity", doing: "running-tool", detail: "sleep 1000" });
		say(run, 1, "This takes long.", ["call-2"], [tool(2, "running", { summary: "sleep 1000", output: "sleeping" })]);
	},

	/** A step that ends when the test lets it, with more to come. */
	async waits_and_ends(run) {
		await scenes.waits?.(run);
		while (!existsSync(process.env.SCRIPT_GATE ?? "")) await pause(5);
		run.emit(tool(2, "done", { summary: "sleep 1000", exitCode: 0 }));
	},

	/** A text that never ends by itself. */
	async talks(run) {
		run.emit(text(1, "Once upon a time"));
	},

	/** Nothing at all. */
	async silent() {},
};

/** Plays the scene that the prompt's first word names. */
export async function play(run: FakeRun): Promise<void> {
	const name = /^\w+/.exec(run.request.prompt)?.[0] ?? "";
	run.emit({ type: "conversation", id: `conversation-${name}` });
	await (scenes[name] ?? scenes.hello)?.(run);
}

/** One model call: what it says, and the steps it asks for. */
function say(run: FakeRun, step: number, words: string, callIds: string[], steps: ToolEvent[]): void {
	run.emit(generation(step, "started"));
	if (words !== "") run.emit(text(step, words));
	run.emit(...steps, usage(step, { input: 1000 + step, output: 10 }), generation(step, "done", callIds));
}

function edit(run: FakeRun, step: number): ToolEvent {
	const path = `${run.request.cwd}/src/sum.ts`;
	const context = (line: string): DiffLine => ({ kind: "context", text: line });
	return tool(step, "done", {
		kind: "edit",
		name: "replace_file_content",
		summary: path,
		diff: {
			path,
			change: "edited",
			added: 2,
			removed: 1,
			lines: [
				...Array.from({ length: 12 }, (_, line) => context(`// line ${line + 1}`)),
				context("export function sum(a: number, b: number) {"),
				{ kind: "remove", text: "\treturn a - b;" },
				{ kind: "add", text: "\tconst total = a + b;" },
				{ kind: "add", text: "\treturn total;" },
				context("}"),
			],
		},
	});
}

function lines(count: number): string {
	return Array.from({ length: count }, (_, line) => `output line ${line + 1}`).join("\n");
}
