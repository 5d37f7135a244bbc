import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { only, type PiHome, PiScreen, parseEvents, piHome, runPi, skipWithoutTmux } from "../support/pi.ts";
import { type FakeHome, fakeHome, type Gate, type Scenario, type ScenarioStep } from "../support/scenario.ts";

const ARGS = [...only(fileURLToPath(new URL("../..", import.meta.url))), "--model", "antigravity/gemini-3.8-flash"];

/** What one card of the JSON stream tells. */
interface Card {
	readonly title: string;
	readonly text: string;
	readonly failed: boolean;
}

/** The tool steps of one of the stand-in's scenario files. */
function stepsOf(scenario: string): ScenarioStep[] {
	const file = new URL(`../fake-agy/scenarios/${scenario}.json`, import.meta.url);
	const { steps = [] } = JSON.parse(readFileSync(file, "utf8")) as Scenario;
	return steps.filter((step) => !("say" in step) && !("think" in step));
}

/** Every kind of step, with what its card has to show in each generation of agy. */
const kinds: { scenario: string; cards: [title: RegExp, text: RegExp, failed?: true][] }[] = [
	{ scenario: "command", cards: [[/^command npm test$/, /^> test\nok 1 - adds\nok 2 - subtracts$/]] },
	{ scenario: "command-failed", cards: [[/^command npm test$/, /not ok 1 - adds\n\[exit code 1( · \d+ s)?\]$/, true]] },
	{
		scenario: "command-error",
		cards: [[/^command no-such-program$/, /^\[failed: exec: .+not found in \$PATH\]$/, true]],
	},
	{ scenario: "command-canceled", cards: [[/^command sleep 100$/, /^\[cancelled.*\]$/, true]] },
	{ scenario: "command-flood", cards: [[/^command yes/, /\[60 of 2500000 lines shown, full output: .+\.txt\]$/]] },
	{ scenario: "edit", cards: [[/^edit src\/sum\.js$/, /^edited .+\/src\/sum\.js \+2 -2/]] },
	{ scenario: "new-file", cards: [[/^edit hello\.txt$/, /^created .+\/hello\.txt \+2/]] },
	{
		scenario: "delete",
		cards: [
			[/^edit old\.txt$/, /^deleted .+\/old\.txt -2/],
			[/^edit build$/, /^deleted .+\/build/],
		],
	},
	{
		scenario: "view",
		cards: [
			[/^read README\.md$/, /^# Title\n\nText\.$/],
			[/^read README\.md:3-3$/, /^Text\.$/],
		],
	},
	{ scenario: "list", cards: [[/^list src$/, /^lib\/\nindex\.ts\n\.hidden$/]] },
	{
		scenario: "grep",
		cards: [
			[/^grep "TODO" in src$/, /^src\/a\.ts:3:\/\/ TODO: one\nsrc\/b\.ts:14:/],
			[/^grep "FIXME" in src$/, /: done$/],
		],
	},
	{ scenario: "find", cards: [[/^find \*\.test\.ts in tests$/, /^tests\/a\.test\.ts\ntests\/b\.test\.ts$/]] },
	{ scenario: "mcp", cards: [[/^mcp tracker\/search_issues$/, /^#1 First\n#2 Second$/]] },
	{ scenario: "web", cards: [[/^web "sqlite wal"$/, /^WAL is a journal mode\.\n\nWrite-Ahead Logging https:/]] },
	{
		scenario: "url",
		cards: [[/^url https:\/\/sqlite\.org\/wal\.html$/, /^The default method is a rollback journal\.$/]],
	},
	{ scenario: "subagent", cards: [[/^subagent Reviewer$/, /./]] },
	{ scenario: "generic", cards: [[/^other (Ran )?List subagents$/, /^No subagents are running\.$/]] },
	{
		scenario: "question",
		cards: [[/^question Which database\?$/, /SQLite\n\[agy cannot ask here and decided by itself\]$/]],
	},
	{ scenario: "image", cards: [[/^image lighthouse$/, /lighthouse\.png$/]] },
	{ scenario: "unknown", cards: [[/^other Do what nobody knows yet$/, /: done$/]] },
	{ scenario: "hook-denied", cards: [[/^command ls$/, /^\[refused: tool call denied by pre-tool hook\]$/, true]] },
];
const everything: Scenario = {
	steps: [...kinds.flatMap(({ scenario }) => stepsOf(scenario)), { say: "That was all." }],
};
const expected = kinds.flatMap(({ cards }) => cards);

for (const version of ["1.0.16", "1.1.10", "1.3.3"]) {
	test(`every kind of step is a card that says what it did, agy ${version}`, async (t) => {
		const { stdout } = await runPi(home(t, everything, { version }), [...ARGS, "--mode", "json", "go"]);
		const cards = cardsIn(stdout);
		assert.equal(cards.length, expected.length);
		for (const [index, [title, text, failed = false]] of expected.entries()) {
			const card = cards[index];
			assert.match(card?.title ?? "", title);
			assert.match(card?.text ?? "", text, card?.title);
			assert.equal(card?.failed, failed, card?.title);
			assert.ok((card?.text.length ?? 0) < 5_000, "what other models read of a card is small");
		}
		const said = stdout.split("\n").filter((line) => line.includes('"message_end"'));
		assert.match(said.join("\n"), /It looks fine\./, "a subagent's report is shown, in its card or after it");
		assert.match(said.at(-1) ?? "", /That was all\./);
	});
}

test("a step that needs permission is refused with the reason and the setting that would allow it", async (t) => {
	for (const version of ["1.0.16", "1.1.10", "1.3.3"]) {
		const place = home(t, { steps: stepsOf("permission-denied") }, { version, permissions: "deny" });
		const { stdout } = await runPi(place, [...ARGS, "--mode", "json", "go"]);
		const [card] = cardsIn(stdout);
		assert.match(
			card?.text ?? "",
			/^\[refused: no permission to run rm -rf build · the setting `permissions: skip` would allow it\]$/,
		);
		assert.equal(card?.failed, true);
		const message = /"errorMessage":"([^"]*)"/.exec(stdout)?.[1] ?? "";
		assert.match(message, /^agy was not allowed to run rm -rf build\. `\/agy permissions skip` allows it/, version);
	}
});

describe("on the screen", async () => {
	const skip = await skipWithoutTmux();
	const scenario = (shown: Gate): Scenario => ({
		steps: [
			{ run: { command: "make all", exitCode: 2, output: ["cc a.c\n", { pause: 1_100 }, "Error 2\n"] } },
			{ run: { command: "npm run dev", background: "server", output: ["listening\n"] } },
			{ mcp: { server: "tracker", tool: "find", args: { query: "open" }, result: "#1 First" } },
			{ edit: { file: "logo.png", before: "\u0000old", after: "\u0000new" } },
			{ edit: { file: "src/a.ts", before: "const a = 1;\n", after: "const a = 2;\n" } },
			{ run: { command: "ls", hookDenied: true } },
			{ say: "Waiting for the server." },
			{ waitFor: shown.file },
			{ finish: { task: "server", output: ["listening\n", "closed\n"], exitCode: 0 } },
			{ compaction: { summary: "s", title: "A long conversation" } },
			{ retry: { message: "The model is overloaded.", code: 503 } },
			{ say: "That was all." },
		],
	});
	const lines = [
		/^ run make all$/,
		/^ exit code 2$/,
		/^ Took \d+\.\ds$/,
		/^ run npm run dev$/,
		/^ still running in the background/,
		/^ call tracker\/find$/,
		/^ query: "open"$/,
		/^ edit logo\.png$/,
		/^ (The file was written\.|binary file)$/,
		/^ edit src\/a\.ts \+1 -1$/,
		/^ -1 const a = 1;$/,
		/^ \+1 const a = 2;$/,
		/^ run ls$/,
		/^ refused: tool call denied by pre-tool hook$/,
		/^ Waiting for the server\.$/,
		/^ ── agy compacted its context ──$/,
		/^ run npm run dev$/,
		/^ closed$/,
		/^ finished in the background( · \d+ s)?$/,
		/^ A model call failed \(The model is overloaded, HTTP 503\); agy repeated it\.$/,
		/^ That was all\.$/,
		/A long conversation$/,
		/%\/200k/,
	];

	for (const { columns, theme, version } of [
		{ columns: 80, theme: "dark", version: "1.3.3" },
		{ columns: 120, theme: "light", version: "1.1.10" },
	]) {
		test(`a turn tells its whole story in order: ${columns} columns, ${theme}, agy ${version}`, { skip }, async (t) => {
			const agy = fakeHome(t, undefined, version);
			const gate = agy.gate("shown");
			agy.play(scenario(gate));
			const screen = await PiScreen.open(piAround(t, agy, { settings: { theme } }), ARGS, { columns, rows: 110 });
			await screen.shows(/gemini-3\.8-flash/);
			await screen.submit("go");
			await screen.shows(/Waiting for the server\./);
			gate.open();
			const shown = (await screen.shows(/That was all\.[\s\S]*A long conversation/))
				.split("\n")
				.map((line) => line.trimEnd());
			let at = 0;
			for (const line of lines) {
				const found = shown.findIndex((text, index) => index >= at && line.test(text));
				assert.ok(found >= 0, `${line} after line ${at} of\n${shown.join("\n")}`);
				at = found + 1;
			}
		});
	}

	for (const [hideThinkingBlock, told] of [
		[false, / agy 1\.0\.16 cannot be told/],
		[true, / Warning: agy 1\.0\.16 cannot be told/],
	] as const) {
		test(`a warning is told once, with thinking ${hideThinkingBlock ? "hidden" : "shown"}`, { skip }, async (t) => {
			const place = home(t, { steps: [{ say: "Hello." }] }, { version: "1.0.16", settings: { hideThinkingBlock } });
			const screen = await PiScreen.open(place, ARGS);
			await screen.shows(/gemini-3\.8-flash/);
			await screen.submit("go");
			const shown = await screen.shows(/Hello\./);
			assert.match(shown, told);
			assert.equal(shown.split("cannot be told").length, 2, shown);
		});
	}
});

function home(
	t: TestContext,
	scenario: Scenario,
	options: { version?: string; settings?: object; permissions?: "skip" | "deny" },
): PiHome {
	return piAround(t, fakeHome(t, scenario, options.version), options);
}

function piAround(
	t: TestContext,
	agy: FakeHome,
	options: { settings?: object; permissions?: "skip" | "deny" },
): PiHome {
	const { settings = {}, permissions = "skip" } = options;
	return piHome(t, { env: { ...agy.env, AGY_SKIP_PERMISSIONS: permissions === "skip" ? "on" : "off" }, settings });
}

/** The cards of pi's JSON output, in the order in which they began. */
function cardsIn(stdout: string): Card[] {
	const events = parseEvents(stdout);
	return events.flatMap((event): Card[] => {
		if (event.type !== "tool_execution_start") return [];
		const { kind, summary } = event.args as { kind: string; summary: string };
		const end = events.find((other) => other.type === "tool_execution_end" && other.toolCallId === event.toolCallId);
		assert.ok(end !== undefined, `${summary} has ended`);
		const { content } = end.result as { content: { text?: string }[] };
		return [{ title: `${kind} ${summary}`, text: content[0]?.text ?? "", failed: end.isError === true }];
	});
}
