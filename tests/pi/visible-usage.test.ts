import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { only, PiRpc, PiScreen, parseEvents, piHome, runPi, skipWithoutTmux } from "../support/pi.ts";
import { fakeHome, type Scenario } from "../support/scenario.ts";

const ARGS = [...only(fileURLToPath(new URL("../..", import.meta.url))), "--model", "antigravity/gemini-3.8-flash"];

interface Answer {
	readonly role: string;
	readonly responseId?: string;
	readonly usage: { input: number; cacheRead: number; output: number; reasoning?: number; totalTokens: number };
}

/** Three model calls, with usage that grows as a real conversation's does. */
const threeCalls: Scenario = {
	// A disk that takes long to sync could keep a call's usage back until its message has ended.
	database: { synchronous: "NORMAL" },
	steps: [
		{ usage: { input: 61_000, cacheRead: 0, output: 120, thinking: 20 } },
		{ say: "I will run the tests." },
		{ run: { command: "npm test", output: ["ok\n"] } },
		{ usage: { input: 900, cacheRead: 61_000, output: 80, thinking: 10 } },
		{ view: { file: "a.ts", content: "a\n" } },
		{ usage: { input: 1_000, cacheRead: 62_000, output: 400, thinking: 300 } },
		{ say: "All is well." },
		{ checkpoint: "Tests" },
	],
};
const threeUsages = [
	{ input: 61_000, cacheRead: 0, output: 120, reasoning: 20, totalTokens: 61_120 },
	{ input: 900, cacheRead: 61_000, output: 80, reasoning: 10, totalTokens: 61_980 },
	{ input: 1_000, cacheRead: 62_000, output: 400, reasoning: 300, totalTokens: 63_400 },
];

/** No step carries usage, neither in the database nor on stdout; the result's counts grow from turn to turn. */
const onlyTotals: Scenario = {
	stdout: { result: false },
	turns: [
		turnWithTotal("First.", { input: 1_000, cacheRead: 0, output: 50, thinking: 10 }),
		turnWithTotal("Second.", { input: 1_300, cacheRead: 900, output: 80, thinking: 15 }),
		turnWithTotal("Third.", { input: 1_500, cacheRead: 2_000, output: 100, thinking: 15 }),
	],
};

for (const version of ["1.0.16", "1.1.10", "1.3.3"]) {
	test(`each message carries the usage of its own model call, agy ${version}`, async (t) => {
		const { stdout } = await runPi(home(t, threeCalls, version), [...ARGS, "--mode", "json", "go"]);
		const ended = parseEvents(stdout).filter(({ type }) => type === "message_end");
		const answers = answersIn(ended.map(({ message }) => message));
		assert.deepEqual(answers.map(usageOf), threeUsages);
		assert.equal(new Set(answers.map(({ responseId }) => responseId)).size, 3, "no response is counted twice");
	});
}

test("the context is what the last model call read and wrote, never a sum over calls", async (t) => {
	const rpc = new PiRpc(home(t, threeCalls), ARGS);
	await rpc.prompt("go");
	const { contextUsage } = await rpc.request({ type: "get_session_stats" });
	assert.equal((contextUsage as { tokens: number }).tokens, 63_400);
});

test("pi's footer shows that", { skip: await skipWithoutTmux() }, async (t) => {
	const screen = await PiScreen.open(home(t, threeCalls), ARGS);
	await screen.shows(/gemini-3\.8-flash/);
	await screen.submit("go");
	await screen.shows(/All is well\./);
	// 63,400 of 200,000; the sum of the three calls would be 93.3%.
	await screen.shows(/31\.7%\/200k/);
});

test("where agy only counts the whole conversation, a message carries what its turn added", async (t) => {
	const rpc = new PiRpc(home(t, onlyTotals), ARGS);
	for (const prompt of ["one", "two", "three"]) await rpc.prompt(prompt);
	const { messages } = await rpc.request({ type: "get_messages" });
	assert.deepEqual(answersIn(messages).map(usageOf), [
		{ input: 1_000, cacheRead: 0, output: 50, reasoning: 10, totalTokens: 1_050 },
		{ input: 300, cacheRead: 900, output: 30, reasoning: 5, totalTokens: 1_230 },
		{ input: 200, cacheRead: 1_100, output: 20, reasoning: 0, totalTokens: 1_320 },
	]);
});

test("a turn whose conversation's total before is unknown shows no usage rather than a wrong one", async (t) => {
	const place = home(t, onlyTotals);
	const first = new PiRpc(place, ARGS);
	await first.prompt("one");
	await first.close();
	const second = new PiRpc(place, [...ARGS, "--continue"]);
	await second.prompt("two");
	const { messages } = await second.request({ type: "get_messages" });
	assert.equal(answersIn(messages).at(-1)?.usage.totalTokens, 0);
});

function turnWithTotal(
	words: string,
	total: { input: number; cacheRead: number; output: number; thinking: number },
): NonNullable<Scenario["steps"]> {
	const usage = {
		input_tokens: total.input,
		output_tokens: total.output,
		thinking_tokens: total.thinking,
		cache_read_tokens: total.cacheRead,
	};
	const result = { event: "result", result: { status: "SUCCESS", response: words, usage } };
	return [
		{ usage: { input: 0, cacheRead: 0, output: 0, thinking: 0 } },
		{ say: words },
		{ stdout: `${JSON.stringify(result)}\n` },
	];
}

function home(t: TestContext, scenario: Scenario, version?: string) {
	return piHome(t, { env: { ...fakeHome(t, scenario, version).env, AGY_SKIP_PERMISSIONS: "on" } });
}

function answersIn(messages: unknown): Answer[] {
	return (messages as Answer[]).filter(({ role }) => role === "assistant");
}

function usageOf({ usage }: Answer): Answer["usage"] {
	const { input, cacheRead, output, reasoning, totalTokens } = usage;
	return { input, cacheRead, output, ...(reasoning !== undefined && { reasoning }), totalTokens };
}
