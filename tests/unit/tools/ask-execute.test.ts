import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { AgentToolResult } from "@earendil-works/pi-coding-agent";
import { OutputFiles } from "../../../src/tools/agy-step/output-files.ts";
import type { AskDetails } from "../../../src/tools/ask-antigravity/details.ts";
import { EarlierDelegations } from "../../../src/tools/ask-antigravity/earlier.ts";
import { type EditRight, execute } from "../../../src/tools/ask-antigravity/execute.ts";
import type { Delegation } from "../../../src/tools/ask-antigravity/request.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { FakeEngine, type FakeRun, text, tool, usage } from "../../support/fake-engine.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

type Result = AgentToolResult<AskDetails | undefined>;

const delegation: Delegation = {
	task: "Fix it.",
	model: { slug: "gemini-3.8-flash-high", base: "gemini-3.8-flash", effort: "high" },
	mode: "accept-edits",
	permissions: "skip",
	cwd: "/home/me/project",
	context: "summary",
	compact: false,
};

interface SetUp {
	readonly script?: (run: FakeRun) => void;
	readonly lockEdits?: (signal: AbortSignal, onWaiting: () => void) => Promise<EditRight | undefined>;
}

function setUp(t: TestContext, { script, lockEdits }: SetUp = {}) {
	const root = temporaryFolder(t);
	const staging = mkdtempSync(join(root, "staging-"));
	const engine = new FakeEngine(script);
	const clock = new FakeClock();
	const earlier = new EarlierDelegations(join(root, "delegations"));
	const updates: Result[] = [];
	const stop = new AbortController();
	let released = 0;
	const right = {
		release: () => {
			released++;
		},
	};
	const start = () =>
		execute(
			{
				engine,
				clock,
				settings: () => ({ digestBytes: 12_000 }),
				earlier,
				answers: new OutputFiles(join(root, "outputs")),
				stagingRoot: staging,
				lockEdits: ({ onWaiting }) => lockEdits?.(stop.signal, onWaiting) ?? Promise.resolve(right),
				runStarted() {},
			},
			{
				delegation,
				fileName: "ask_1",
				messages: () => [{ role: "user", content: "Before.", timestamp: 1 }],
				signal: stop.signal,
				onUpdate: (update) => updates.push(update),
			},
		);
	return { start, engine, clock, earlier, updates, stop, staging, right, released: () => released };
}

function textOf(result: Result): string {
	return result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Resolves when agy was started. */
async function started(engine: FakeEngine): Promise<FakeRun> {
	while (engine.runs.length === 0) await new Promise((resolve) => setImmediate(resolve));
	return engine.last;
}

test("a delegation answers with its work and its usage, can be continued, and leaves nothing behind", async (t) => {
	let context = "";
	const { start, engine, earlier, staging, released } = setUp(t, {
		script: (run) => {
			const [folder = ""] = run.request.addDirs;
			context = readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8");
			run.emit({ type: "conversation", id: "c-1" }, tool(2, "done", { exitCode: 0 }), text(3, "Fixed."));
			run.emit(usage(3, { input: 10, output: 2 }));
			run.end();
		},
	});
	const result = await start();
	assert.match(textOf(result), /^Fixed\.\n\nCommands run:\n- npm test \(exit 0\)/);
	assert.equal(result.isError, false);
	assert.equal(result.usage?.totalTokens, 12);
	assert.equal(result.details?.conversationId, "c-1");
	assert.equal(engine.last.request.purpose, "delegation");
	assert.match(context, /Before\./);
	assert.deepEqual(readdirSync(staging), []);
	assert.equal(released(), 1);
	assert.deepEqual(await earlier.find("c-1"), {
		conversationId: "c-1",
		cwd: "/home/me/project",
		model: "gemini-3.8-flash",
		effort: "high",
	});
});

test("a failure is an error with its cause, and what was done before it", async (t) => {
	const { start, staging, released } = setUp(t, {
		script: (run) => {
			run.emit(tool(2, "done", { exitCode: 0 }));
			run.end({ kind: "failed", failure: { kind: "quota", adminManaged: false } });
		},
	});
	const result = await start();
	assert.equal(result.isError, true);
	assert.match(
		textOf(result),
		/^The Antigravity quota is used up\. Delegate again after the reset.*\n\nCommands run:\n- npm test/,
	);
	assert.equal(result.details?.outcome, "failed");
	assert.deepEqual(readdirSync(staging), []);
	assert.equal(released(), 1);
});

test("cancelling ends agy at once and keeps what came", async (t) => {
	const { start, engine, earlier, stop, staging } = setUp(t);
	const running = start();
	const run = await started(engine);
	run.emit({ type: "conversation", id: "c-2" }, text(1, "Half of it"));
	while ((await earlier.find("c-2")) === undefined) await new Promise((resolve) => setImmediate(resolve));
	stop.abort();
	const result = await running;
	assert.equal(run.cancelledBy, "user");
	assert.match(textOf(result), /^The delegation was cancelled\. What agy had said:\n\nHalf of it/);
	assert.deepEqual([result.isError, result.details?.outcome], [true, "cancelled"]);
	assert.deepEqual(readdirSync(staging), []);
});

test("a call that is cancelled while it waits for its directory starts nothing", async (t) => {
	const { start, engine, stop, updates } = setUp(t, {
		lockEdits: (signal, onWaiting) => {
			onWaiting();
			return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
		},
	});
	const running = start();
	assert.equal(updates.at(-1)?.details?.activity, "waiting for another delegation in this directory");
	stop.abort();
	assert.equal((await running).details?.outcome, "cancelled");
	assert.equal(engine.runs.length, 0);
});

test("a call that is cancelled before it starts starts nothing, and gives its directory back", async (t) => {
	const { start, engine, stop, staging, released } = setUp(t);
	stop.abort();
	assert.equal((await start()).details?.outcome, "cancelled");
	assert.deepEqual([engine.runs.length, released(), readdirSync(staging)], [0, 1, []]);
});

test("the directory of an agy that was stopped is given back when it is gone, that of one that answered at once", async (t) => {
	for (const outcome of ["answered", "failed"] as const) {
		let gone = () => {};
		const settled = new Promise<void>((resolve) => {
			gone = resolve;
		});
		const { start, released, engine } = setUp(t);
		const plain = engine.start.bind(engine);
		engine.start = (request) => Object.defineProperty(plain(request), "settled", { value: settled });
		const running = start();
		const run = await started(engine);
		run.end(outcome === "answered" ? { kind: outcome } : { kind: outcome, failure: { kind: "print-timeout" } });
		await running;
		assert.equal(released(), outcome === "answered" ? 1 : 0);
		gone();
		await settled;
		await new Promise((resolve) => setImmediate(resolve));
		assert.equal(released(), 1);
	}
});

test("the card follows agy, but not faster than it can be drawn", async (t) => {
	const { start, engine, clock, updates } = setUp(t);
	const running = start();
	assert.equal(updates.length, 1);
	const run = await started(engine);
	run.emit({ type: "activity", doing: "running-tool", detail: "npm test" });
	for (let index = 0; index < 50; index++) run.emit(text(1, `${index} `));
	while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
	await new Promise((resolve) => setImmediate(resolve));
	assert.equal(updates.length, 1);
	clock.advance(200);
	assert.equal(updates.length, 2);
	const shown = updates.at(-1);
	assert.deepEqual([shown?.details?.outcome, shown?.details?.activity], ["running", "running npm test"]);
	assert.match(shown?.details?.answer ?? "", /0 1 2 .* 49$/);
	run.end();
	await running;
	assert.equal(clock.pending, 0);
});

test("a long answer is whole in a private file", async (t) => {
	const long = "a line of the answer\n".repeat(10_000);
	const { start } = setUp(t, {
		script: (run) => {
			run.emit(text(1, long));
			run.end();
		},
	});
	const { details, content } = await start();
	const path = details?.answerPath ?? "";
	assert.equal(readFileSync(path, "utf8"), long.trim());
	assert.equal(statSync(path).mode & 0o777, 0o600);
	assert.ok(content[0]?.type === "text" && content[0].text.includes(path) && content[0].text.length < 60_000);
});

test("a disk without room for the context starts nothing, and gives the directory back", async (t) => {
	const { start, engine, staging, released } = setUp(t);
	rmSync(staging, { recursive: true });
	await assert.rejects(start(), /ENOENT/);
	assert.deepEqual([engine.runs.length, released(), existsSync(staging)], [0, 1, false]);
});
