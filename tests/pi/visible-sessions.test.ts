import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { only, type PiEvent, PiRpc, parseEvents, piHome, runPi } from "../support/pi.ts";
import { type FakeHome, fakeHome, type Scenario } from "../support/scenario.ts";

const OTHER_MODEL = fileURLToPath(new URL("../support/scripted/other-model.ts", import.meta.url));
const EXTENSIONS = only(OTHER_MODEL, fileURLToPath(new URL("../..", import.meta.url)));
const OURS = [...EXTENSIONS, "--model", "antigravity/gemini-3.8-flash"];
const THEIRS = [...EXTENSIONS, "--model", "faux/other"];

function set(t: TestContext, scenario: Scenario | string) {
	const agy = fakeHome(t, scenario);
	const home = piHome(t, { env: agy.env });
	const log = join(home.dir, "other.log");
	return { agy, home: { ...home, env: { ...home.env, OTHER_LOG: log } }, log };
}

test("a hundred steps are a hundred cards of one agy", async (t) => {
	const { agy, home } = set(t, "many-tools");
	const { stdout } = await runPi(home, [...OURS, "--mode", "json", "go"]);
	const cards = cardsIn(parseEvents(stdout));
	assert.equal(cards.length, 100);
	assert.equal(new Set(cards.map(({ id }) => id)).size, 100);
	for (const [index, { title, text }] of cards.entries()) {
		assert.deepEqual([title, text], [`echo ${index + 1}`, `${index + 1}`]);
	}
	assert.match(stdout.split('"message_end"').at(-1) ?? "", /A hundred\./);
	assert.equal(promptsTo(agy), 1);
});

test("a command that outlives three later steps holds none of them back and shows its end", async (t) => {
	const { agy, home } = set(t, {});
	const gate = agy.gate("shown");
	agy.play({
		steps: [
			{ run: { command: "npm run dev", background: "server", output: ["listening\n"] } },
			{ view: { file: "a.txt", content: "a\n" } },
			{ list: { directory: ".", entries: [{ name: "a.txt", size: 2 }] } },
			{ find: { pattern: "*.txt", directory: ".", found: ["a.txt"] } },
			{ say: "It is starting." },
			{ waitFor: gate.file },
			{ finish: { task: "server", output: ["listening\n", "closed\n"], exitCode: 3 } },
			{ say: "It has ended." },
		],
	});
	const rpc = new PiRpc(home, OURS);
	const running = rpc.prompt("go");
	await rpc.next((event) => event.type === "message_update" && JSON.stringify(event).includes("It is starting."), 0);
	gate.open();
	const cards = cardsIn(await running);
	assert.deepEqual(
		cards.map(({ title }) => title),
		["npm run dev", "a.txt", ".", "*.txt in .", "npm run dev"],
	);
	assert.match(cards[0]?.text ?? "", /still running in the background/);
	assert.match(cards[4]?.text ?? "", /^listening\nclosed\n\[finished in the background · exit code 3( · \d+ s)?\]$/);
	assert.match(String((await rpc.request({ type: "get_last_assistant_text" })).text), /It has ended\./);
});

test("rows that agy forgets and writes anew are shown as what they are now, and nothing old comes again", async (t) => {
	const { home } = set(t, {
		turns: [
			[{ run: { command: "one", output: ["1\n"] } }, { say: "A first answer." }],
			[{ rewind: 2 }, { run: { command: "two", output: ["2\n"] } }, { say: "Another answer in its place." }],
		],
	});
	const rpc = new PiRpc(home, OURS);
	const seen: string[][] = [];
	for (const prompt of ["one", "two"]) {
		const events = await rpc.prompt(prompt);
		const said = events.flatMap(({ type, message }) => (type === "message_end" ? [message as Message] : []));
		const answers = said.filter(({ role }) => role === "assistant").flatMap(({ content }) => content);
		seen.push([...cardsIn(events).map(({ title }) => title), ...answers.flatMap(({ text }) => text ?? [])]);
	}
	assert.deepEqual(seen, [
		["one", "A first answer."],
		["two", "Another answer in its place."],
	]);
});

test("a switch of model while a card waits ends agy and hands what it did to the other model", async (t) => {
	const { agy, home, log } = set(t, {});
	const gate = agy.gate("command");
	agy.play({
		steps: [
			{ say: "I will wait." },
			{ run: { command: "sleep 1000", output: ["asleep\n", { waitFor: gate.file }, "awake\n"] } },
			{ view: { file: "never.txt", content: "never\n" } },
			{ hang: true },
			{ say: "Never said." },
		],
	});
	const rpc = new PiRpc(home, OURS);
	await rpc.request({ type: "prompt", message: "go" });
	await gate.reached();
	await rpc.next(({ type }) => type === "tool_execution_update", 0);
	await rpc.request({ type: "set_model", provider: "faux", modelId: "other" });
	gate.open();
	await rpc.next(({ type }) => type === "agent_settled", 0);
	assert.equal((await rpc.request({ type: "get_last_assistant_text" })).text, "The other model speaks.");
	const [pid = 0] = agy.invocations().flatMap((invocation) => (invocation.prompt === null ? [] : invocation.pid));
	await gone(pid);
	const { words } = otherModelSaw(log);
	assert.match(words, /I will wait\.\s+asleep\nawake$/);
});

test("a session is resumed and handed to another model, which gets little of it and never the card tool", async (t) => {
	const { agy, home, log } = set(t, {
		steps: [
			{ run: { command: "yes", output: ["y\n"], outputBytes: 5_000_000 } },
			{ newFile: { file: "big.txt", content: "b\n".repeat(5_000) } },
			{ image: { prompt: "a dot", name: "dot" } },
			{ say: "All of it is done." },
		],
	});
	await runPi(home, [...OURS, "-p", "go"]);
	const { stdout } = await runPi(home, [...THEIRS, "-c", "-p", "what was done?"]);
	assert.equal(stdout, "The other model speaks.\n");
	const { words, tools } = otherModelSaw(log);
	assert.match(words, /60 of 2500000 lines shown.*created .*big\.txt \+5000.*dot\.png.*All of it is done\./s);
	assert.ok(words.length < 2_000, `${words.length} characters`);
	assert.ok(tools.includes("read") && !tools.includes("agy_step"), tools.join());
	assert.equal(promptsTo(agy), 1);

	await runPi(home, [...OURS, "-c", "-p", "go on"]);
	assert.equal(promptsTo(agy), 2);
	assert.match(
		agy.invocations().at(-1)?.prompt ?? "",
		/The other model speaks\./,
		"agy learns what was said meanwhile",
	);
});

interface Message {
	readonly role: string;
	readonly content: readonly { readonly text?: string }[];
}

interface Card {
	readonly id: string;
	readonly title: string;
	readonly text: string;
}

/** In the order in which they began. */
function cardsIn(events: readonly PiEvent[]): Card[] {
	return events.flatMap((event): Card[] => {
		if (event.type !== "tool_execution_start") return [];
		const end = events.find((other) => other.type === "tool_execution_end" && other.toolCallId === event.toolCallId);
		assert.ok(end !== undefined, "each card ends");
		const { content } = end.result as { content: { text?: string }[] };
		const { summary } = event.args as { summary: string };
		return [{ id: String(event.toolCallId), title: summary, text: content[0]?.text ?? "" }];
	});
}

function promptsTo(agy: FakeHome): number {
	return agy.invocations().filter(({ prompt }) => prompt !== null).length;
}

/** Resolves when the process has ended. */
async function gone(pid: number): Promise<void> {
	for (;;) {
		try {
			process.kill(pid, 0);
		} catch {
			return;
		}
		await sleep(20);
	}
}

/** What the other model was last sent: the tools it may call, and what was said and done before. */
function otherModelSaw(log: string): { words: string; tools: string[] } {
	const line = readFileSync(log, "utf8").trimEnd().split("\n").at(-1) ?? "";
	const { messages, tools } = JSON.parse(line) as { messages: Message[]; tools: string[] };
	const said = messages.filter(({ role }) => role !== "system");
	return { words: said.flatMap(({ content }) => content.map(({ text = "" }) => text)).join("\n"), tools };
}
