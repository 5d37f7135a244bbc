import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { decode, type Plain } from "../support/agy-proto.ts";
import { copyRealDatabase, realConversations, skipWithoutFixtures } from "../support/fixtures.ts";
import { only, type PiEvent, PiRpc, piHome } from "../support/pi.ts";
import { fakeHome } from "../support/scenario.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MODEL = ["--model", "antigravity/gemini-3.8-flash"];
const USER_INPUT = 14;
const PLANNER = 15;
const CHECKPOINT = 23;

/** One turn as the finished database tells it. */
interface Turn {
	/** The blocks of the answer, in the order of its model calls. */
	blocks: { type: "thinking" | "text"; text: string }[];
	/** Of the last model call: what the context holds after the turn. */
	usage: { input: number; output: number; reasoning: number; cacheRead: number; totalTokens: number };
	responseId: string;
	title: string | undefined;
}

interface Message {
	readonly role: string;
	readonly content: readonly { readonly type: string; readonly text?: string; readonly thinking?: string }[];
	readonly usage: Turn["usage"];
	readonly responseId?: string;
	readonly stopReason: string;
}

for (const conversation of realConversations()) {
	for (const version of ["1.0.16", "1.3.3"]) {
		test(`${conversation} in one session, agy ${version}: pi shows what the finished database says`, async (t) => {
			const { env, turns } = recording(t, conversation, version);
			const rpc = new PiRpc(piHome(t, { env }), [...only(ROOT), ...MODEL]);
			for (const [index, turn] of turns.entries()) {
				const events = await rpc.prompt(`prompt ${index + 1}`);
				assert.deepEqual(streamed(events), turn.blocks, "the deltas alone rebuild the answer");
			}
			assertTranscript(await messages(rpc), turns);
			const title = turns.findLast((turn) => turn.title !== undefined)?.title;
			assert.equal((await rpc.request({ type: "get_state" })).sessionName, title);
		});
	}
}

test("three turns with pi started anew for each", { skip: skipWithoutFixtures }, async (t) => {
	const { env, turns } = recording(t, "1f695f1c-d086-4389-86e4-61c28c388879", "1.3.3");
	assert.equal(turns.length, 3);
	const home = piHome(t, { env });
	let last: Message[] = [];
	for (const [index] of turns.entries()) {
		const rpc = new PiRpc(home, [...only(ROOT), ...MODEL, ...(index === 0 ? [] : ["--continue"])]);
		await rpc.prompt(`prompt ${index + 1}`);
		last = await messages(rpc);
		await rpc.close();
	}
	assertTranscript(last, turns);
});

function assertTranscript(said: readonly Message[], turns: readonly Turn[]): void {
	assert.deepEqual(
		said.map((message) => blocksOf(message.content)),
		turns.map((turn) => turn.blocks),
	);
	for (const [index, { usage, responseId, stopReason }] of said.entries()) {
		const expected = turns[index];
		assert.ok(expected !== undefined);
		const { input, output, reasoning, cacheRead, totalTokens } = usage;
		assert.deepEqual({ input, output, reasoning, cacheRead, totalTokens }, expected.usage);
		assert.equal(responseId, expected.responseId);
		assert.equal(stopReason, "stop");
	}
}

/** The environment of a pi whose agy plays the recording, and what the recording holds. */
function recording(
	t: TestContext,
	conversation: string,
	version: string,
): { env: Record<string, string>; turns: Turn[] } {
	const file = copyRealDatabase(t, conversation);
	const { env } = fakeHome(t, { replay: file }, version);
	// A pause after each commit, so that pi sees them one by one.
	return { env: { ...env, FAKE_AGY_PACE: "4" }, turns: readTurns(file) };
}

async function messages(rpc: PiRpc): Promise<Message[]> {
	const { messages: all } = await rpc.request({ type: "get_messages" });
	return (all as Message[]).filter((message) => message.role === "assistant");
}

/** What a reader of the events has, who only joins the deltas. */
function streamed(events: readonly PiEvent[]): Turn["blocks"] {
	const blocks = new Map<number, Turn["blocks"][number]>();
	for (const { type, assistantMessageEvent } of events) {
		if (type !== "message_update") continue;
		const update = assistantMessageEvent as { type: string; contentIndex: number; delta?: string };
		if (update.type === "text_delta" || update.type === "thinking_delta") {
			const kind = update.type === "text_delta" ? "text" : "thinking";
			const text = (blocks.get(update.contentIndex)?.text ?? "") + (update.delta ?? "");
			blocks.set(update.contentIndex, { type: kind, text });
		}
	}
	return withoutOwnLines([...blocks.values()]);
}

function blocksOf(content: Message["content"]): Turn["blocks"] {
	return withoutOwnLines(
		content.map((part) =>
			part.type === "text"
				? { type: "text" as const, text: part.text ?? "" }
				: { type: "thinking" as const, text: part.thinking ?? "" },
		),
	);
}

/** Our own line about an agy that cannot be told its model is no part of the recording. */
function withoutOwnLines(blocks: Turn["blocks"]): Turn["blocks"] {
	return blocks.filter(({ text }) => !/^agy 1\.0\.16 cannot be told/.test(text));
}

/** The turns of a finished database, read without any of the product's code. */
function readTurns(file: string): Turn[] {
	const db = new DatabaseSync(file);
	const rows = db.prepare("SELECT step_type AS type, step_payload AS payload FROM steps ORDER BY idx").all();
	db.close();
	const turns: Turn[] = [];
	for (const { type, payload } of rows) {
		const step = decode("Step", payload as Uint8Array);
		if (type === USER_INPUT) turns.push({ blocks: [], usage: usageOf({}), responseId: "", title: undefined });
		const turn = turns.at(-1);
		if (type === PLANNER) addCall(turn, step);
		if (type === CHECKPOINT && turn) turn.title = String(plain(step.checkpoint).userIntent);
	}
	return turns;
}

function addCall(turn: Turn | undefined, step: Plain): void {
	assert.ok(turn !== undefined);
	const { thinking, response } = plain(step.plannerResponse);
	if (typeof thinking === "string") turn.blocks.push({ type: "thinking", text: thinking });
	if (typeof response === "string") turn.blocks.push({ type: "text", text: response });
	const usage = plain(plain(step.metadata).modelUsage);
	turn.usage = usageOf(usage);
	turn.responseId = String(usage.responseId);
}

function usageOf(stats: Plain): Turn["usage"] {
	const count = (name: string) => Number(stats[name] ?? 0);
	const [input, output, cacheRead] = [count("inputTokens"), count("outputTokens"), count("cacheReadTokens")];
	const cacheWrite = count("cacheWriteTokens");
	const reasoning = count("thinkingOutputTokens");
	return { input, output, reasoning, cacheRead, totalTokens: input + output + cacheRead + cacheWrite };
}

function plain(value: Plain[string]): Plain {
	const isMessage = typeof value === "object" && !Array.isArray(value) && !(value instanceof Uint8Array);
	return isMessage ? value : {};
}
