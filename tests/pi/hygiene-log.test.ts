import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Scenario } from "../support/scenario.ts";
import { Desk } from "./conversation-desk.ts";

const TOKEN = "ya29.a0AfH6SMBx-secret-token-of-a-user";

/** Says what must never be in a log, in every place where it could come from. */
const TALKATIVE: Scenario = {
	steps: [
		{ think: "THOUGHT-words" },
		{ say: "ANSWER-words" },
		{ run: { command: "echo COMMAND-words", output: ["OUTPUT-words\n"] } },
		{ stderr: `refreshing ${TOKEN}\nworking on {{prompt}}\n` },
		{ say: "MORE-words" },
	],
};

const files = (folder: string): string[] =>
	readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) =>
		entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
	);

for (const [level, words] of [
	["info", false],
	["debug", true],
] as const) {
	test(`the log at ${level} ${words ? "may have" : "has no"} words of a turn, and neither has a key`, async (t) => {
		const env = {
			ANTHROPIC_API_KEY: "sk-ant-KEY-of-the-user",
			GEMINI_API_KEY: "AIzaKEY-of-the-user",
			AGY_LOG_LEVEL: level,
		};
		const desk = new Desk(t, { env });
		const pi = desk.open();
		desk.agy.play(TALKATIVE);
		await pi.rpc.prompt("PROMPT-words to answer");
		desk.agy.play({ steps: [...(TALKATIVE.steps ?? []), { error: { message: "something new", code: 418 } }] });
		await pi.rpc.prompt("PROMPT-words to fail");
		desk.agy.play({ steps: [...(TALKATIVE.steps ?? []), { hang: true }] });
		const from = pi.rpc.events.length;
		await pi.rpc.request({ type: "prompt", message: "PROMPT-words to abort" });
		await pi.rpc.next((event) => JSON.stringify(event).includes("MORE-words"), from);
		await pi.rpc.request({ type: "abort" });
		await pi.quit();

		const root = join(desk.home.agentDir, "antigravity");
		const log = files(join(root, "logs"))
			.map((path) => readFileSync(path, "utf8"))
			.join("");
		assert.match(log, /"event":"run.start"[\s\S]*"event":"run.end"[\s\S]*"event":"run.last-words"/);
		assert.match(log, /"failure":"overloaded"/);
		assert.doesNotMatch(log, /KEY-of-the-user|secret-token/);
		if (!words) assert.doesNotMatch(log, /(?:PROMPT|ANSWER|THOUGHT|COMMAND|OUTPUT|MORE)-words/);
		for (const path of files(root)) assert.equal(statSync(path).mode & 0o077, 0, path);
		assert.equal(statSync(root).mode & 0o077, 0);
	});
}
