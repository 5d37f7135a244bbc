import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { type AgentToolResult, type ExtensionToolContext, initTheme } from "@earendil-works/pi-coding-agent";
import type { ToolEvent } from "../../../../src/engine/events.ts";
import { StepCard } from "../../../../src/provider/step-card.ts";
import type { StepDetails } from "../../../../src/tools/agy-step/details.ts";
import { OutputFiles } from "../../../../src/tools/agy-step/output-files.ts";
import { createStepTool } from "../../../../src/tools/agy-step/tool.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { tool } from "../../../support/fake-engine.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { drawCard, drawRaw, growingCard, plain } from "./draw-card.ts";

type Result = AgentToolResult<StepDetails | undefined>;

function setUp(
	t: TestContext,
	step: ToolEvent,
	{ permissions = "skip", recorded }: { permissions?: "skip" | "deny"; recorded?: unknown } = {},
) {
	const directory = temporaryFolder(t);
	const clock = new FakeClock();
	const card = new StepCard("agy_2_x", step);
	const files = new OutputFiles(join(directory, "outputs"));
	const stepTool = createStepTool({
		card: (id) => (id === card.id ? card : undefined),
		cwd: () => "/home/me/project",
		permissions: () => permissions,
		recorded: () => recorded,
		files,
		clock,
	});
	const updates: Result[] = [];
	const run = (signal?: AbortSignal, id = card.id) =>
		stepTool.execute(
			id,
			{ kind: "command", tool: "run_command", summary: "npm test" },
			signal,
			(update) => updates.push(update),
			{} as ExtensionToolContext,
		);
	return { card, clock, run, updates, files, directory: join(directory, "outputs"), stepTool };
}

function textOf(result: Result | undefined): string {
	return result?.content.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
}

describe("the tool behind a card", () => {
	test("is hidden from models and from other tools", (t) => {
		const { stepTool } = setUp(t, tool(2, "done"));
		assert.equal(stepTool.exposure, "model-only");
		assert.deepEqual(stepTool.prepareLoadout?.({} as never), { hiddenDeclarations: ["agy_step"] });
	});

	test("gives a finished step at once", async (t) => {
		const { run, updates, card } = setUp(
			t,
			tool(2, "done", { output: "ok\n", exitCode: 0, startedAt: 0, endedAt: 3000 }),
		);
		const result = await run();
		assert.equal(textOf(result), "ok\n[3 s]");
		assert.equal(result.isError, false);
		assert.equal(updates.length, 0);
		assert.equal(card.executed, true);
	});

	test("follows a running step, without drawing every single change", async (t) => {
		const { run, updates, card, clock } = setUp(t, tool(2, "running"));
		const result = run();
		for (let count = 1; count <= 50; count++) card.update(tool(2, "running", { output: `${count}` }));
		clock.advance(100);
		assert.deepEqual(
			updates.map((update) => update.details?.output),
			[undefined, "50"],
		);
		card.update(tool(2, "done", { output: "51", exitCode: 2 }));
		const { isError, details } = await result;
		assert.equal(isError, true);
		assert.equal(details?.exitCode, 2);
		assert.equal(clock.pending, 0);
	});

	test("says that a step runs on in the background", async (t) => {
		const { run, card } = setUp(t, tool(2, "running", { output: "serving" }));
		const result = run();
		card.release("background");
		assert.equal(textOf(await result), "serving\n[still running in the background]");
	});

	test("says that it was stopped", async (t) => {
		const { run, card } = setUp(t, tool(2, "running", { output: "one of two" }));
		const result = run();
		card.release("stopped");
		assert.equal(textOf(await result), "one of two\n[stopped before it was over]");
		assert.equal((await result).isError, true);
	});

	test("says that agy stopped first", async (t) => {
		const { run, card } = setUp(t, tool(2, "running"));
		const result = run();
		card.release("lost");
		assert.match(textOf(await result), /stopped before this step was over/);
		assert.equal((await result).isError, true);
	});

	test("returns at once on an abort", async (t) => {
		const { run } = setUp(t, tool(2, "running"));
		const controller = new AbortController();
		const result = run(controller.signal);
		controller.abort();
		assert.equal((await result).details?.state, "stopped");
	});

	test("refuses a call that agy did not make", async (t) => {
		const { run } = setUp(t, tool(2, "done"));
		const result = await run(undefined, "call_invented_by_a_model");
		assert.equal(result.isError, true);
	});

	for (const [permissions, remedy] of [
		["deny", "the setting `permissions: skip` would allow it"],
		["skip", "a rule in agy's own permissions, or a policy, forbids it"],
	] as const) {
		test(`names what was refused, why, and what would have helped, with permissions: ${permissions}`, async (t) => {
			const denied = { by: "permission" as const, action: "command", target: "rm -rf /" };
			const { run } = setUp(t, tool(2, "failed", { error: { message: "permission denied", denied } }), { permissions });
			const result = await run();
			assert.equal(textOf(result), `[refused: no permission to run rm -rf / · ${remedy}]`);
			assert.equal(result.isError, true);
		});
	}

	test("says of no user that they refused what nobody asked them", async (t) => {
		const denied = { by: "permission" as const, action: "command", target: "ls" };
		const message = "User denied permission to run command: ls";
		const { run } = setUp(t, tool(2, "failed", { error: { message, denied } }));
		assert.match(textOf(await run()), /^\[refused: no permission to run ls · /);
	});

	test("says of a question that nobody was asked", async (t) => {
		const question = { kind: "question", name: "ask_question", summary: "Which database?" } as const;
		const { run } = setUp(t, tool(2, "done", { ...question, output: "Which database?\n→ SQLite" }));
		assert.match(textOf(await run()), /→ SQLite\n\[agy cannot ask here and decided by itself\]$/);
	});

	test("shows nothing of a binary file", async (t) => {
		const diff = { path: "/home/me/project/a.png", change: "edited" as const, binary: true, added: 0, removed: 0 };
		const { run } = setUp(t, tool(2, "done", { kind: "edit", summary: diff.path, diff }));
		assert.equal(textOf(await run()), "edited /home/me/project/a.png\n[binary file]");
	});
});

describe("a long output", () => {
	const output = Array.from({ length: 5000 }, (_, line) => `line ${line + 1}`).join("\n");

	test("stays small in the transcript and is kept whole in a private file", async (t) => {
		const { run, directory } = setUp(t, tool(2, "done", { output, exitCode: 0 }));
		const result = await run();
		const path = join(directory, "agy_2_x.txt");
		assert.ok(textOf(result).length < 5000);
		assert.match(textOf(result), /line 5000\n\[60 of 5000 lines shown, full output: .+agy_2_x\.txt\]$/);
		assert.equal(readFileSync(path, "utf8"), output);
		assert.equal(statSync(path).mode & 0o777, 0o600);
		assert.equal(statSync(directory).mode & 0o777, 0o700);
		assert.equal(result.details?.outputPath, path);
		assert.ok(JSON.stringify(result.details).length < 40_000);
	});

	test("of a file that was read shows its beginning", async (t) => {
		const { run } = setUp(t, tool(2, "done", { kind: "read", name: "view_file", output }));
		assert.match(textOf(await run()), /^line 1\n/);
	});

	test("of one endless line is cut as well", async (t) => {
		const { run } = setUp(t, tool(2, "done", { kind: "read", output: "x".repeat(5_000_000) }));
		assert.ok(textOf(await run()).length < 5000);
	});

	test("cannot draw on the screen", async (t) => {
		const { run } = setUp(t, tool(2, "done", { output: "\u001b[2J\u001b]0;title\u0007red\r\n\u0000done" }));
		assert.equal(textOf(await run()), "red\ndone");
	});

	test("is removed when it is old", async (t) => {
		const { run, files, directory } = setUp(t, tool(2, "done", { output }));
		await run();
		utimesSync(join(directory, "agy_2_x.txt"), 1, 1);
		await files.prune(2_000);
		assert.deepEqual(readdirSync(directory), []);
	});

	test("that cannot be kept is still shown", async (t) => {
		const { card } = setUp(t, tool(2, "done", { output }));
		const stepTool = createStepTool({
			card: () => card,
			cwd: () => "/",
			permissions: () => "skip",
			recorded: () => undefined,
			files: new OutputFiles("/dev/null/outputs"),
			clock: new FakeClock(),
		});
		const parameters = { kind: "command", tool: "run_command", summary: "x" };
		const result = await stepTool.execute(card.id, parameters, undefined, undefined, {} as ExtensionToolContext);
		assert.equal(result.details?.outputPath, undefined);
		assert.match(textOf(result), /60 of 5000 lines shown\]$/);
	});
});

test("pictures that a step made are shown, and what is none is only named", async (t) => {
	const { directory } = setUp(t, tool(2, "done"));
	mkdirSync(directory, { recursive: true });
	const [picture, text] = [join(directory, "a.png"), join(directory, "b.png")];
	writeFileSync(picture, Buffer.from(PIXEL, "base64"));
	writeFileSync(text, "no picture");
	const imagePaths = [picture, text, join(directory, "gone.png")];
	const { run } = setUp(t, tool(2, "done", { kind: "image", name: "generate_image", summary: "dot", imagePaths }));
	const { content } = await run();
	assert.equal(content[0]?.type === "text" && content[0].text, imagePaths.join("\n"));
	assert.deepEqual(
		content.slice(1).map((part) => part.type === "image" && part.mimeType),
		["image/png"],
	);
});

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("a card can be drawn at any width, folded and expanded", async (t) => {
	initTheme("dark", false);
	const output = Array.from({ length: 30 }, (_, line) => `${"wide ".repeat(40)}${line}`).join("\n");
	const { run, stepTool } = setUp(t, tool(2, "done", { output, exitCode: 1, summary: "npm test -- --watch=false" }));
	const result = await run();
	for (const width of [60, 80, 140]) {
		const folded = drawCard(stepTool, result, { width, expanded: false });
		const expanded = drawCard(stepTool, result, { width, expanded: true });
		assert.match(folded[0] ?? "", /run npm test -- --watch=false/);
		assert.ok(folded.length < 14, `${folded.length} lines`);
		assert.ok(expanded.length > 30);
		for (const line of [...folded, ...expanded]) assert.ok(line.length <= width, line);
		assert.match(folded.join("\n"), /earlier lines/);
		assert.match(folded.join(" "), /exit code 1/);
	}
});

test("a card of another version shows its text", async (t) => {
	initTheme("dark", false);
	const { stepTool } = setUp(t, tool(2, "done"));
	const old: Result = { content: [{ type: "text", text: "as it was" }], details: { kind: 7 } as never };
	assert.match(drawCard(stepTool, old, { width: 80, expanded: false }).join("\n"), /as it was/);
});

describe("a card", () => {
	const draw = async (t: TestContext, step: ToolEvent, expanded: boolean) => {
		initTheme("dark", false);
		const { run, stepTool } = setUp(t, step);
		return drawCard(stepTool, await run(), { width: 80, expanded }).map((line) => line.trim());
	};

	test("says what an MCP tool was given, on one line until it is expanded", async (t) => {
		const args = {
			ServerName: "tracker",
			ToolName: "find",
			Arguments: { query: `${"long ".repeat(30)}end`, limit: 2 },
		};
		const call = tool(2, "done", { kind: "mcp", name: "call_mcp_tool", summary: "tracker/find", args, output: "#1" });
		const folded = await draw(t, call, false);
		assert.match(folded[1] ?? "", /^query: "long long .+\.\.\.$/);
		assert.equal(folded[2], "#1");
		assert.match((await draw(t, call, true)).join(" "), /long end", limit: 2/);
	});

	test("has the whole of a command of several lines when it is expanded", async (t) => {
		const args = { CommandLine: "cat <<EOF\nfirst\nEOF" };
		const command = tool(2, "done", { summary: "cat <<EOF …", args, output: "first" });
		assert.deepEqual(await draw(t, command, false), ["run cat <<EOF …", "first"]);
		assert.deepEqual(await draw(t, command, true), ["run cat <<EOF …", "cat <<EOF", "first", "EOF", "first"]);
	});

	test("shows the beginning of a new file and counts all that is left out", async (t) => {
		const lines = Array.from({ length: 5000 }, (_, line) => ({ kind: "add" as const, text: `line ${line + 1}` }));
		const diff = { path: "/home/me/project/big", change: "created" as const, lines, added: 5000, removed: 0 };
		const drawn = await draw(t, tool(2, "done", { kind: "edit", summary: diff.path, diff }), false);
		assert.equal(drawn[0], "create big +5000");
		assert.equal(drawn[10], "+  10 line 10");
		assert.match(drawn[11] ?? "", /^\.\.\. \(4990 more lines/);
	});

	test("tells how much of a long output it has", async (t) => {
		const output = Array.from({ length: 5000 }, (_, line) => `line ${line + 1}`).join("\n");
		const drawn = await draw(t, tool(2, "done", { output, exitCode: 0 }), false);
		assert.match(drawn.join(" "), /last 1000 of 5000 lines kept · full output: /);
	});

	test("lets nothing that agy or a server wrote draw on the screen", async (t) => {
		const wipe = "\u001b[2Jwiped\u0007";
		const step = tool(2, "failed", {
			kind: "other",
			name: wipe,
			summary: wipe,
			args: { [wipe]: wipe },
			output: wipe,
			progress: wipe,
			error: { message: wipe },
			imagePaths: [wipe],
		});
		initTheme("dark", false);
		const { run, stepTool } = setUp(t, step);
		const drawn = drawRaw(stepTool, await run(), { width: 80, expanded: true }).join("\n");
		assert.ok(drawn.split("wiped").length > 6, drawn);
		assert.ok(!drawn.includes("\u001b[2J") && !drawn.includes("\u0007"), JSON.stringify(drawn));
	});

	for (const expanded of [false, true]) {
		test(`shows how long its step has run, and then how long it took${expanded ? ", expanded too" : ""}`, async (t) => {
			initTheme("dark", false);
			const startedAt = new FakeClock().now() - 500;
			const { run, card, updates, clock, stepTool } = setUp(t, tool(2, "running", { output: "one", startedAt }));
			const finished = run();
			const [first] = updates;
			assert.ok(first !== undefined);
			const drawn = growingCard(stepTool, first);
			const look = { width: 80, expanded };
			assert.equal(plain(drawn.draw(first, { ...look, isPartial: true })).at(-1), " one");
			clock.advance(3_700);
			assert.equal(plain(drawn.redraw(80)).at(-1), " Elapsed 3.5s");
			card.update(tool(2, "done", { output: "one", exitCode: 2, startedAt, endedAt: startedAt + 64_000 }));
			const end = plain(drawn.draw(await finished, { ...look, isPartial: false }));
			assert.deepEqual(end.slice(-2), [" exit code 2", " Took 1m 4s"]);
			assert.equal(clock.pending, 0);
		});
	}

	test("names files below the home folder in short, and whole to the model", async (t) => {
		initTheme("dark", false);
		const outputPath = join(homedir(), "outputs", "agy_2_x.txt");
		const picture = join(homedir(), "dot.png");
		const { run, card, stepTool } = setUp(
			t,
			tool(2, "running", { output: "x", task: { id: "t", logPath: outputPath } }),
		);
		const running = run();
		card.release("background");
		const result = await running;
		assert.match(textOf(result), new RegExp(`log: ${outputPath}`));
		assert.ok(result.details !== undefined);
		const details = { ...result.details, outputPath, imagePaths: [picture] };
		const drawn = drawCard(stepTool, { ...result, details }, { width: 140, expanded: false }).join("\n");
		assert.match(drawn, /~.dot\.png\n.*log: ~.outputs.agy_2_x\.txt · full output: ~.outputs.agy_2_x\.txt/);
		assert.equal(drawn.includes(homedir()), false);
	});

	test("names the pictures it cannot show", async (t) => {
		const imagePaths = ["/home/me/project/out/dot.png"];
		const drawn = await draw(
			t,
			tool(2, "done", { kind: "image", name: "generate_image", summary: "dot", imagePaths }),
			false,
		);
		assert.deepEqual(drawn, ["draw dot", "out/dot.png"]);
	});

	test("whose result is in the session already has its whole title at once", async (t) => {
		initTheme("dark", false);
		const recorded = {
			kind: "edit",
			tool: "write_to_file",
			summary: "/p/a.ts",
			state: "done",
			change: "created",
			added: 3,
		};
		const { stepTool } = setUp(t, tool(2, "done"), { recorded });
		const context = { cwd: "/p", state: {}, toolCallId: "agy_2_x" };
		const args = { kind: "edit", tool: "write_to_file", summary: "/p/a.ts" };
		const title = stepTool
			.renderCall?.(args, TITLE_THEME as never, context as never)
			.render(80)
			.join("");
		assert.match(title ?? "", /create a\.ts \+3/);
	});
});

const TITLE_THEME = { fg: (_color: string, text: string) => text, bold: (text: string) => text };
