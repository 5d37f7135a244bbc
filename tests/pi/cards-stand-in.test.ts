import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { PiRpc } from "../support/pi.ts";
import type { Scenario } from "../support/scenario.ts";
import { type AgyHome, agyHome } from "./agy-home.ts";

interface Card {
	readonly kind: string;
	readonly summary: string;
	readonly result: string;
	readonly isError: boolean;
}

/** Plays a scenario through the whole extension and real pi, in a session of its own. Gives its cards and its last words or error. */
async function turn(
	{ play }: AgyHome,
	pi: PiRpc,
	scenario: Scenario | string,
): Promise<{ cards: Card[]; last: string; said: string }> {
	play(scenario);
	await pi.request({ type: "new_session" });
	const events = await pi.prompt("go");
	const cards = events.flatMap((event) => {
		if (event.type !== "tool_execution_end") return [];
		const start = events.find(
			(other) => other.type === "tool_execution_start" && other.toolCallId === event.toolCallId,
		);
		const { kind, summary } = (start?.args ?? {}) as { kind: string; summary: string };
		const { content } = event.result as { content: { text?: string }[] };
		return [{ kind, summary, result: content[0]?.text ?? "", isError: event.isError === true }];
	});
	const messages = events.flatMap((event) => (event.type === "message_end" ? [event.message] : [])) as {
		content: { text?: string }[];
		errorMessage?: string;
	}[];
	const message = messages.at(-1);
	const said = JSON.stringify(events.filter((event) => event.type === "message_end"));
	return { cards, said, last: message?.errorMessage ?? message?.content.findLast((part) => part.text)?.text ?? "" };
}

const scenes: {
	scenario: string;
	card: [kind: string, summary: RegExp, result: RegExp];
	isError?: boolean;
	last: RegExp;
}[] = [
	{ scenario: "command", card: ["command", /npm test/, /ok 2 - subtracts/], last: /Both tests pass/ },
	{
		scenario: "command-failed",
		card: ["command", /npm test/, /\[exit code 1( · \d+ s)?\]/],
		isError: true,
		last: /One test fails/,
	},
	{ scenario: "command-error", card: ["command", /no-such-program/, /failed:/], isError: true, last: /not installed/ },
	{ scenario: "command-flood", card: ["command", /./, /full output: .+\.txt/], last: /./ },
	{ scenario: "edit", card: ["edit", /./, /^edited .+ \+\d+ -\d+/], last: /./ },
	{ scenario: "new-file", card: ["edit", /./, /^created .+ \+\d+/], last: /./ },
	{ scenario: "delete", card: ["edit", /./, /^deleted .+ -\d+/], last: /Both are gone/ },
	{ scenario: "view", card: ["read", /./, /./], last: /./ },
	{ scenario: "list", card: ["list", /./, /./], last: /./ },
	{ scenario: "grep", card: ["grep", /./, /./], last: /./ },
	{ scenario: "find", card: ["find", /./, /./], last: /./ },
	{ scenario: "mcp", card: ["mcp", /tracker\/search_issues/, /#2 Second/], last: /Two issues/ },
	{ scenario: "web", card: ["web", /./, /./], last: /./ },
	{ scenario: "url", card: ["url", /./, /./], last: /./ },
	{ scenario: "subagent", card: ["subagent", /Reviewer/, /looks fine/], last: /content/ },
	{ scenario: "question", card: ["question", /Which database/, /SQLite/], last: /SQLite it is/ },
	{ scenario: "image", card: ["image", /lighthouse/, /lighthouse\.png/], last: /Here is/ },
	{ scenario: "unknown", card: ["other", /./, /./], last: /Done/ },
];

describe("what agy does is cards in pi", () => {
	const home = agyHome({ after }, "command");
	let pi: PiRpc;
	before(() => {
		pi = home.rpc();
	});

	for (const { scenario, card, isError = false, last } of scenes) {
		test(`agy's ${scenario} is a card`, async () => {
			const played = await turn(home, pi, scenario);
			const shown = played.cards[0];
			const [kind, summary, result] = card;
			assert.equal(shown?.kind, kind);
			assert.match(shown.summary, summary);
			assert.match(shown.result, result);
			assert.equal(shown.isError, isError);
			assert.ok(shown.result.length < 5_000, "a card is small");
			assert.match(played.last, last);
		});
	}

	test("steps asked for at once are cards of one message", async () => {
		assert.equal((await turn(home, pi, "parallel")).cards.length, 3);
	});

	test("the end of a background step is told", async () => {
		const gate = home.agy.gate("shown");
		const from = pi.events.length;
		const playing = turn(home, pi, {
			steps: [
				{ run: { command: "npm run dev", background: "server", output: ["ready\n"] } },
				{ say: "The server is starting in the background." },
				{ waitFor: gate.file },
				{ finish: { task: "server", output: ["ready\n", "closed\n"], exitCode: 0 } },
				{ say: "It has ended now." },
			],
		});
		await pi.next((event) => event.type === "tool_execution_end", from);
		gate.open();
		const { cards, said } = await playing;
		assert.match(cards[0]?.result ?? "", /still running in the background/);
		// A second card, or a line where the end came while the last answer was being written.
		assert.match(said, /finished in the background/);
	});

	test("a failure is told in our words", async () => {
		assert.match((await turn(home, pi, "quota")).last, /quota .*is used up; resets in .+Wait for the reset/);
		assert.match((await turn(home, pi, "signed-out")).last, /not signed in\. Run `agy` in a terminal/);
	});
});
