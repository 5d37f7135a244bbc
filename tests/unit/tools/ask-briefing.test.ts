import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fauxAssistantMessage, fauxToolCall, type Message } from "@earendil-works/pi-ai";
import { writeBriefing } from "../../../src/tools/ask-antigravity/briefing.ts";
import type { Delegation } from "../../../src/tools/ask-antigravity/request.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const messages: Message[] = [
	{ role: "user", content: "Why is the sum wrong?", timestamp: 1 },
	fauxAssistantMessage([{ type: "text", text: "I look." }, fauxToolCall("read", { path: "sum.ts" }, { id: "r-1" })]),
	{
		role: "toolResult",
		toolCallId: "r-1",
		toolName: "read",
		content: [{ type: "text", text: "return a - b" }],
		isError: false,
		timestamp: 2,
	},
	fauxAssistantMessage([
		{ type: "text", text: "I ask another." },
		fauxToolCall("AskAntigravity", { prompt: "the task itself" }, { id: "a-1" }),
	]),
];

function delegation(more: Partial<Delegation> = {}): Delegation {
	return {
		task: "Fix it.",
		model: { slug: "m" },
		mode: "accept-edits",
		permissions: "skip",
		cwd: "/",
		context: "none",
		compact: false,
		...more,
	};
}

function options(stagingRoot: string, said: readonly Message[] = messages) {
	return { messages: () => said, digestBytes: 12_000, stagingRoot };
}

test("without context only the task is told, and no file is made", async (t) => {
	const folder = temporaryFolder(t);
	const briefing = await writeBriefing(delegation(), {
		...options(folder),
		messages: () => assert.fail("the conversation is not looked at"),
	});
	assert.deepEqual([briefing.prompt, briefing.addDirs], ["Fix it.", []]);
	assert.deepEqual(readdirSync(folder), []);
	await briefing.remove();
});

test("a compact answer is asked for after the task", async (t) => {
	const { prompt } = await writeBriefing(delegation({ compact: true }), options(temporaryFolder(t)));
	assert.match(prompt, /^Fix it\.\n\nAnswer compactly/);
});

describe("context", () => {
	test("is a private file in a private folder, named before the task, and gone afterwards", async (t) => {
		const briefing = await writeBriefing(delegation({ context: "summary" }), options(temporaryFolder(t)));
		const [folder = ""] = briefing.addDirs;
		const [name = ""] = readdirSync(folder);
		const path = join(folder, name);
		assert.match(briefing.prompt, /^The task below comes out of another conversation\. A digest/);
		assert.ok(briefing.prompt.includes(path) && briefing.prompt.endsWith("\n\nFix it."));
		assert.equal(statSync(path).mode & 0o777, 0o600);
		assert.equal(statSync(folder).mode & 0o777, 0o700);
		const told = readFileSync(path, "utf8");
		assert.match(told, /\[User\]\nWhy is the sum wrong\?/);
		assert.match(told, /\[Result of read\]\nreturn a - b/);
		await briefing.remove();
		assert.equal(existsSync(folder), false);
	});

	test("does not hold the call that is being made", async (t) => {
		const briefing = await writeBriefing(delegation({ context: "full" }), options(temporaryFolder(t)));
		const [folder = ""] = briefing.addDirs;
		const told = readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8");
		assert.match(told, /I ask another\./);
		assert.doesNotMatch(told, /the task itself/);
	});

	test("is bounded as a summary and whole in full", async (t) => {
		const long: Message[] = Array.from({ length: 40 }, (_, index) => ({
			role: "user",
			content: `message ${index} ${"x".repeat(1_000)}`,
			timestamp: index,
		}));
		const told = async (context: "summary" | "full") => {
			const briefing = await writeBriefing(delegation({ context }), options(temporaryFolder(t), long));
			const [folder = ""] = briefing.addDirs;
			return readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8");
		};
		const summary = await told("summary");
		assert.ok(Buffer.byteLength(summary) <= 12_000 && /oldest \d+ entries are left out/.test(summary));
		assert.match(summary, /message 39 /);
		const full = await told("full");
		for (let index = 0; index < 40; index++) assert.ok(full.includes(`message ${index} `));
	});

	test("brings its pictures along", async (t) => {
		const image = { type: "image" as const, data: PIXEL, mimeType: "image/png" };
		const said: Message[] = [{ role: "user", content: [{ type: "text", text: "See." }, image], timestamp: 1 }];
		const briefing = await writeBriefing(delegation({ context: "summary" }), options(temporaryFolder(t), said));
		const [folder = ""] = briefing.addDirs;
		const picture = readdirSync(folder).find((name) => name.endsWith(".png")) ?? "";
		assert.deepEqual(readFileSync(join(folder, picture)), Buffer.from(PIXEL, "base64"));
	});

	test("of an empty conversation is none", async (t) => {
		const briefing = await writeBriefing(delegation({ context: "full" }), options(temporaryFolder(t), []));
		assert.deepEqual([briefing.prompt, briefing.addDirs], ["Fix it.", []]);
	});
});

test("a task that agy would drop for its length is put into a file", async (t) => {
	const briefing = await writeBriefing(delegation({ task: "long ".repeat(6_000) }), options(temporaryFolder(t)));
	assert.ok(Buffer.byteLength(briefing.prompt) < 1_000);
	const [folder = ""] = briefing.addDirs;
	assert.equal(readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8"), "long ".repeat(6_000));
	await briefing.remove();
	assert.equal(existsSync(folder), false);
});

test("a task that begins like a command of agy's does not reach it as one", async (t) => {
	const { prompt } = await writeBriefing(delegation({ task: "/quit" }), options(temporaryFolder(t)));
	assert.match(prompt, /^[A-Z].*\n\n\/quit$/s);
});

test("nothing is left behind when it fails", async (t) => {
	const folder = temporaryFolder(t);
	writeFileSync(join(folder, "file"), "");
	await assert.rejects(writeBriefing(delegation({ context: "full" }), options(join(folder, "file"))));
	const broken: Message[] = [{ role: "user", content: "x", timestamp: 1 }];
	const failing = { ...options(folder, broken), messages: () => assert.fail("no session") };
	await assert.rejects(writeBriefing(delegation({ context: "full" }), failing));
	assert.deepEqual(readdirSync(folder), ["file"]);
});
