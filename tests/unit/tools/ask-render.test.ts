import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { defineTool, initTheme, ToolExecutionComponent } from "@earendil-works/pi-coding-agent";
import { type TUI, visibleWidth } from "@earendil-works/pi-tui";
import type { AskDetails } from "../../../src/tools/ask-antigravity/details.ts";
import { type AskParameters, askParameters } from "../../../src/tools/ask-antigravity/parameters.ts";
import { askResultRenderer, renderAskCall } from "../../../src/tools/ask-antigravity/render.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const running: AskDetails = {
	model: "gemini-3.8-flash high",
	mode: "accept-edits",
	cwd: "/home/me/project",
	outcome: "running",
	activity: "running npm test",
	startedAt: 1_000_000,
	answer: "",
	files: [],
	commands: [],
	pictures: [],
	denied: [],
	notes: [],
	steps: ["list src", "search sum", "read src/sum.ts", "edit src/sum.ts +2 -1", "run npm test"].map((title, index) => ({
		title,
		outcome: index === 4 ? "" : "1 s",
		state: index === 4 ? ("open" as const) : ("done" as const),
		...(index === 3 && { diff: "-14 \treturn a - b;\n+14 \treturn a + b;" }),
	})),
	earlierSteps: 2,
};

const answered: AskDetails = {
	...running,
	outcome: "answered",
	conversationId: "0f8e-1",
	duration: 125_000,
	answer: Array.from({ length: 30 }, (_, line) => `Line ${line + 1} of the answer.`).join("\n\n"),
	files: [{ path: "src/sum.ts", change: "edited", added: 2, removed: 1 }],
	commands: [
		{ command: "npm test", exitCode: 0, state: "done" },
		{ command: "npm run lint", exitCode: 1, state: "done" },
		{ command: "npm run build", exitCode: 0, state: "done" },
	],
	denied: ["agy had no permission to run rm -rf build."],
};

interface Look {
	readonly width: number;
	readonly expanded?: boolean;
	readonly isPartial?: boolean;
	readonly isError?: boolean;
	readonly args?: Partial<AskParameters>;
	readonly text?: string;
}

function card(clock: FakeClock, ui: Partial<TUI> = { requestRender() {} }, args: Partial<AskParameters> = {}) {
	const tool = defineTool({
		name: "AskAntigravity",
		label: "Antigravity",
		description: "",
		parameters: askParameters,
		execute: () => assert.fail("not called"),
		renderCall: renderAskCall,
		renderResult: askResultRenderer(clock),
	});
	const parameters = { prompt: "Fix the failing test.", ...args };
	return new ToolExecutionComponent(tool.name, "id", parameters, {}, tool, ui as TUI, "/home/me/project");
}

function draw(details: AskDetails | undefined, look: Look): string {
	const component = card(new FakeClock(1_012_000), undefined, look.args);
	const { isPartial = false, isError = false, text = "" } = look;
	component.updateResult({ content: [{ type: "text", text }], details, isError } as never, isPartial);
	component.setExpanded(look.expanded ?? false);
	const lines = component.render(look.width);
	for (const line of lines) assert.ok(visibleWidth(line) <= look.width, `too wide: ${line}`);
	return lines.map((line) => stripVTControlCharacters(line).trimEnd()).join("\n");
}

before(() => initTheme("dark"));

for (const width of [60, 140]) {
	describe(`at ${width} columns`, () => {
		test("a running delegation shows model, mode, time, what agy does, its last steps and the end of its words", () => {
			const answer = Array.from({ length: 30 }, (_, line) => `word ${line + 1}`).join("\n");
			const shown = draw({ ...running, answer }, { width, isPartial: true });
			assert.match(shown.replace(/\s+/g, " "), /gemini-3\.8-flash high · accept-edits · 12 s · running npm test/);
			assert.match(
				shown,
				/\.\.\. 4 earlier steps\n.*✓ read src\/sum\.ts · 1 s\n.*✓ edit src\/sum\.ts \+2 -1 · 1 s\n.*… run npm test/,
			);
			assert.doesNotMatch(shown, /return a - b|word 20\b/);
			assert.match(shown, /22 earlier lines[\s\S]*word 30/);
		});

		test("a finished one shows the start of the answer and the work in numbers", () => {
			const shown = draw(answered, { width });
			assert.match(shown.replace(/\s+/g, " "), /accept-edits · 2 min 5 s · 0f8e-1/);
			assert.match(shown, /Line 1 of the answer\.[\s\S]*more lines/);
			assert.match(shown, /1 file changed \+2 -1 · 3 commands run, 1 failed/);
			assert.match(shown.replace(/\s+/g, " "), /agy had no permission to run rm -rf build\./);
			assert.doesNotMatch(shown, /list src/);
		});

		test("expanded it shows every step with its diff, the whole answer, every file and command", () => {
			const shown = draw(answered, { width, expanded: true });
			assert.match(shown, /✓ list src/);
			assert.match(shown, /-14 +return a - b;/);
			assert.match(shown, /Line 30 of the answer\./);
			assert.match(shown, /src\/sum\.ts \+2 -1\n.*npm test \(exit 0\)\n.*npm run lint \(exit 1\)/);
		});

		test("a failed one shows why", () => {
			const problem = "The Antigravity quota is used up. Wait for the reset, or choose a model of another pool.";
			const shown = draw({ ...answered, outcome: "failed", problem }, { width, isError: true });
			assert.match(
				shown.replace(/\s+/g, " "),
				/· failed · 0f8e-1 .*The Antigravity quota is used up\. Wait for the reset/,
			);
		});

		test("a long task is folded, and what the call asks for stands beside the name", () => {
			const prompt = Array.from({ length: 10 }, (_, line) => `step ${line + 1}`).join("\n");
			const args = { prompt, model: "flash high", mode: "plan" as const, context: "full" as const };
			const shown = draw(running, { width, args });
			assert.match(
				shown,
				/AskAntigravity flash high · plan · context full\n.*step 1\n.*step 2\n.*step 3\n.*7 more lines/,
			);
			assert.match(draw(running, { width, args, expanded: true }), /step 10/);
		});
	});
}

test("the answer is shown as Markdown, folded too", () => {
	for (const outcome of ["answered", "running"] as const) {
		const shown = draw({ ...answered, outcome, answer: "**Done:** `sum` adds now." }, { width: 80 });
		assert.match(shown, /^ Done: sum adds now\.$/m);
	}
});

test("files below the home folder are named in short", () => {
	const [answerPath, picture] = [join(homedir(), "answer.txt"), join(homedir(), "dot.png")];
	const details = { ...answered, answerPath, pictures: [picture] };
	const shown = draw(details, { width: 120, args: { cwd: join(homedir(), "other") } });
	assert.match(shown, /AskAntigravity in ~.other\n[\s\S]*full answer: ~.answer\.txt\n[\s\S]* · ~.dot\.png/);
	assert.equal(shown.includes(homedir()), false);
});

test("details of another version show the text", () => {
	assert.match(draw(undefined, { width: 80, text: "No such directory." }), /No such directory\./);
});

test("nothing that agy says can draw on the screen", () => {
	const evil = "\u001b]0;title\u0007\u001b[2Jx";
	const component = card(new FakeClock(), undefined, { prompt: evil, model: evil });
	component.updateResult({ content: [], details: { ...running, activity: evil }, isError: false } as never, true);
	const drawn = component.render(100).join("");
	for (const sequence of ["\u001b]0;title", "\u001b[2J"]) assert.equal(drawn.includes(sequence), false);
});

test("the elapsed time is redrawn while it runs, and no longer", () => {
	const clock = new FakeClock(1_000_000);
	let redrawn = 0;
	const component = card(clock, {
		requestRender: () => {
			redrawn++;
		},
	});
	const update = (details: AskDetails, isPartial: boolean) => {
		component.updateResult({ content: [], details, isError: false } as never, isPartial);
		component.render(80);
	};
	update(running, true);
	const before = redrawn;
	clock.advance(3_000);
	assert.ok(redrawn > before);
	assert.match(stripVTControlCharacters(component.render(80).join("\n")), /accept-edits · 3 s/);
	update(answered, false);
	assert.equal(clock.pending, 0);
});
