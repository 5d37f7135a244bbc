import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type PiEvent, PiRpc, PiScreen, parseEvents, runPi, skipWithoutTmux } from "../support/pi.ts";
import { type ScriptedPi, scriptedPi } from "../support/scripted/scripted-pi.ts";

const OTHER_MODEL = fileURLToPath(new URL("../support/scripted/other-model.ts", import.meta.url));
const VETO = fileURLToPath(new URL("../support/scripted/veto.ts", import.meta.url));

interface Said {
	readonly role: string;
	readonly stopReason?: string;
	readonly errorMessage?: string;
	readonly content: readonly { readonly type: string; readonly text?: string; readonly thinking?: string }[];
	readonly usage?: { readonly input: number };
}

async function turn(pi: ScriptedPi, scene: string): Promise<{ events: PiEvent[]; messages: Said[] }> {
	const { stdout } = await runPi(pi.home, pi.args("--mode", "json", scene));
	const events = parseEvents(stdout);
	const messages = events.flatMap((event) => (event.type === "message_end" ? [event.message as Said] : []));
	return { events, messages: messages.filter((message) => message.role !== "system") };
}

function texts(messages: readonly Said[]): string[] {
	return messages.flatMap((message) => message.content.flatMap((part) => part.text ?? []));
}

test("each model call is a message with its own words, steps and usage", async (t) => {
	const { messages } = await turn(scriptedPi(t), "steps");
	const answers = messages.filter((message) => message.role === "assistant");
	assert.deepEqual(
		answers.map((message) => [message.content.map((part) => part.type).join("+"), message.stopReason]),
		[
			["text+toolCall+toolCall", "toolUse"],
			["text+toolCall", "toolUse"],
			["text", "stop"],
		],
	);
	assert.deepEqual(
		answers.map((message) => message.usage?.input),
		[1001, 1004, 1006],
	);
});

test("a hundred cards in one turn", async (t) => {
	const pi = scriptedPi(t);
	const { events, messages } = await turn(pi, "many");
	assert.equal(events.filter((event) => event.type === "tool_execution_end").length, 100);
	assert.equal(texts(messages).at(-1), "All hundred ran.");
	assert.equal(pi.notes().length, 2);
});

test("a command that outlives three later steps never holds them back, and its end comes as a second card", async (t) => {
	const { events, messages } = await turn(scriptedPi(t), "background");
	const ends = events.flatMap((event) => {
		if (event.type !== "tool_execution_end") return [];
		const { content } = event.result as { content: { text: string }[] };
		return [content[0]?.text];
	});
	assert.deepEqual(ends, [
		"[still running in the background]",
		"run check one: done",
		"run check two: done",
		"run check three: done",
		"served\n[finished in the background]",
	]);
	assert.equal(texts(messages).at(-1), "The server did its work.");
});

test("a blocked card is a veto", async (t) => {
	const pi = scriptedPi(t, { extensions: [VETO] });
	const { messages } = await turn(pi, "waits");
	assert.match(messages.at(-1)?.errorMessage ?? "", /blocked "run sleep 1000" \(not on my watch\).*already begun/);
	assert.deepEqual(
		pi.notes().flatMap((note) => note.cancelledBy ?? []),
		["veto"],
	);
});

test("where the card tool is not active, steps are lines of thinking", async (t) => {
	const pi = scriptedPi(t);
	const { stdout } = await runPi(pi.home, pi.args("--tools", "read,bash", "--mode", "json", "steps"));
	const messages = parseEvents(stdout).flatMap((event) =>
		event.type === "message_end" ? [event.message as Said] : [],
	);
	const answer = messages.filter((message) => message.role === "assistant");
	assert.equal(answer.length, 1);
	const lines = answer[0]?.content.map((part) => part.thinking ?? part.text).join("\n") ?? "";
	assert.match(lines, /^run npm test · exit 1 · 2 s$/m);
	assert.match(lines, /edit src\/sum\.ts \+2 -1/);
});

test("pi does not compact between a card and what follows", async (t) => {
	const pi = scriptedPi(t, { settings: { compaction: { keepRecentTokens: 1 } } });
	const { messages } = await turn(pi, "full");
	assert.equal(texts(messages).at(-1), "Done all the same.");
	assert.deepEqual(
		pi.notes().map((note) => note.started ?? `${note.ended} over`),
		["full", "full over"],
	);
});

describe("while a card waits", () => {
	test("a switch to another model ends agy", async (t) => {
		const pi = scriptedPi(t, { extensions: [OTHER_MODEL] });
		const { SCRIPT_LOG = "" } = pi.home.env;
		const home = { ...pi.home, env: { ...pi.home.env, OTHER_LOG: SCRIPT_LOG } };
		const rpc = new PiRpc(home, pi.args());
		await rpc.request({ type: "prompt", message: "waits_and_ends" });
		await rpc.next((event) => event.type === "tool_execution_update", 0);
		await rpc.request({ type: "set_model", provider: "faux", modelId: "other" });
		pi.endStep();
		await rpc.next((event) => event.type === "agent_settled", 0);
		assert.equal((await rpc.request({ type: "get_last_assistant_text" })).text, "The other model speaks.");
		assert.deepEqual(
			pi.notes().map((note) => note.cancelledBy ?? (note.started === undefined ? "other model" : "started")),
			["started", "owner-gone", "other model"],
			"agy has ended before the other model is asked",
		);
	});

	test("a message of the user interrupts agy and goes on with the new words", async (t) => {
		const pi = scriptedPi(t);
		const rpc = new PiRpc(pi.home, pi.args());
		await rpc.request({ type: "prompt", message: "waits_and_ends" });
		await rpc.next((event) => event.type === "tool_execution_update", 0);
		await rpc.request({ type: "steer", message: "hello, stop that" });
		pi.endStep();
		await rpc.next((event) => event.type === "agent_settled", 0);
		assert.equal((await rpc.request({ type: "get_last_assistant_text" })).text, "Hello there.");
		const notes = pi.notes();
		assert.deepEqual(
			notes.flatMap((note) => note.started ?? []),
			["waits_and_ends", "hello, stop that"],
		);
		assert.deepEqual(
			notes.flatMap((note) => note.cancelledBy ?? []),
			["steering"],
		);
	});

	test("a new session ends agy", async (t) => {
		const pi = scriptedPi(t);
		const rpc = new PiRpc(pi.home, pi.args());
		await rpc.request({ type: "prompt", message: "waits" });
		await rpc.next((event) => event.type === "tool_execution_update", 0);
		await rpc.request({ type: "new_session" });
		assert.equal(pi.notes().filter((note) => note.ended !== undefined).length, 1);
		await rpc.prompt("hello");
		assert.equal((await rpc.request({ type: "get_last_assistant_text" })).text, "Hello there.");
	});
});

describe("on the screen", async () => {
	const skip = await skipWithoutTmux();

	for (const { columns, theme } of [
		{ columns: 80, theme: "dark" },
		{ columns: 140, theme: "light" },
	]) {
		test(`steps look like pi's own tools, ${columns} columns, ${theme}`, { skip }, async (t) => {
			const pi = scriptedPi(t, { settings: { theme } });
			const screen = await PiScreen.open(pi.home, pi.args(), { columns, rows: 60 });
			await screen.shows(/gemini-3\.8-flash/);
			await screen.submit("steps");
			const shown = await screen.shows(/Fixed: the sum is right now/);
			assert.match(shown, /list src/);
			assert.match(shown, /run npm test/);
			assert.match(shown, /earlier lines, ctrl\+o to expand/);
			assert.match(shown, /exit code 1/);
			assert.match(shown, /edit src\/sum\.ts \+2 -1/);
			assert.match(shown, /-14 {4}return a - b;\s+\+14 {4}const total = a \+ b;/);
			await screen.press("C-o");
			await screen.shows(/output line 190\n/);
		});
	}

	test("the working line tells what agy does, and Escape ends it", { skip }, async (t) => {
		const pi = scriptedPi(t);
		const screen = await PiScreen.open(pi.home, pi.args());
		await screen.shows(/gemini-3\.8-flash/);
		await screen.submit("waits");
		await screen.shows(/agy: running sleep 1000 · \d+ s/);
		await screen.press("Escape");
		const shown = await screen.shows(/Operation aborted/);
		assert.match(shown, /This takes long/);
		assert.deepEqual(
			pi.notes().flatMap((note) => note.cancelledBy ?? []),
			["user"],
		);
	});
});
