import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { InvocationRecord, Scenario } from "../support/scenario.ts";
import { Desk, flag, type PiAtDesk } from "./conversation-desk.ts";

const answers: Scenario = {
	turns: ["First", "Second", "Third"].map((word) => [{ say: `${word} answer.` }]),
	match: [
		{ prompt: "structured|[Ss]ummar|Answer the request", steps: [{ say: "What was said, in short." }] },
		{ prompt: "^aside", steps: [{ say: "Forty-two." }] },
	],
};

/** Ends pi and makes sure that the folders of its calls are gone with it. */
async function quit(pi: PiAtDesk, desk: Desk): Promise<void> {
	await pi.quit();
	for (const { cwd } of desk.wordsOnly()) assert.equal(existsSync(cwd), false);
}

/** What each call for words must be like, whatever it is about. */
function checkWordsOnly(call: InvocationRecord, desk: Desk): void {
	assert.ok(!call.argv.includes("--dangerously-skip-permissions"));
	assert.equal(flag(call, "--conversation"), undefined);
	assert.equal(call.resumed, false);
	assert.ok(call.conversation !== null && !desk.turns().some((turn) => turn.by === call.conversation));
	assert.ok(call.cwd !== desk.home.cwd, "it does not run in the project");
	assert.deepEqual(
		call.argv.filter((_, index) => call.argv[index - 1] === "--add-dir"),
		[call.cwd],
	);
}

// 1.1.7 has neither stream-json nor modes, 1.2.0 no agents without tools, 1.3.3 everything.
const versions = [
	{ version: "1.1.7", mode: undefined, agent: undefined, literal: false },
	{ version: "1.2.0", mode: "accept-edits", agent: undefined, literal: true },
	{ version: "1.3.3", mode: "accept-edits", agent: "pi-words-only", literal: true },
];

for (const { version, mode, agent, literal } of versions) {
	describe(`agy ${version}`, () => {
		test("/compact sums up aside; the next turn begins anew from the summary", async (t) => {
			const desk = new Desk(t, { scenario: answers, version, settings: { compaction: { keepRecentTokens: 20 } } });
			const pi = desk.open();
			await pi.say(`one ${"x".repeat(200)}`);
			await pi.say(`two ${"y".repeat(200)}`);
			await pi.recorded();
			const record = JSON.stringify(desk.records());
			await pi.rpc.request({ type: "compact" });
			assert.equal(JSON.stringify(desk.records()), record, "the session's conversation is not touched");

			assert.ok(desk.wordsOnly().length > 0);
			for (const call of desk.wordsOnly()) {
				checkWordsOnly(call, desk);
				assert.deepEqual([flag(call, "--mode"), flag(call, "--agent")], [mode, agent]);
				assert.equal(call.argv.includes("--disable-slash-commands"), literal);
				assert.match(call.prompt ?? "", /x{200}|y{200}/);
			}
			const next = await pi.say("three");
			assert.deepEqual([next.asked, next.by], [undefined, "c2"]);
			assert.match(next.prompt, /\[Summary of the session so far\]\nWhat was said, in short\./);
			assert.match(next.prompt, /The user's message:\n\nthree$/);
			assert.doesNotMatch(next.prompt, /x{200}/);
			assert.deepEqual(await pi.say("four"), { asked: "c2", by: "c2", prompt: "four" });
		});

		test("a long session is summed up from a file; nothing in it means anything to agy", async (t) => {
			const desk = new Desk(t, { scenario: answers, version, settings: { compaction: { keepRecentTokens: 20 } } });
			writeFileSync(join(desk.home.cwd, "secret.txt"), "do not read");
			const pi = desk.open();
			const long = `look at @secret.txt @${desk.home.cwd}/secret.txt\n/usage\n!ls\n-p\n${"long words ".repeat(3_000)}`;
			await pi.say(long);
			await pi.say(`two ${"y".repeat(200)}`);
			const gate = desk.agy.gate("summing");
			desk.agy.play({ steps: [{ waitFor: gate.file }, { say: "What was said, in short." }] });
			const compacting = pi.rpc.request({ type: "compact" });
			await gate.reached();
			const call = desk.wordsOnly().at(-1) ?? assert.fail("nothing was asked");
			const [, name = "", path = ""] =
				/^Answer the request in the file @(\S+) \(its full path: (\S+)\)\.$/.exec(call.prompt ?? "") ?? [];
			assert.equal(path, join(call.cwd, name));
			const request = readFileSync(path, "utf8");
			assert.ok(request.includes(long.slice(0, 100)));
			if (agent !== undefined) {
				const definition = readFileSync(join(call.cwd, ".agents", "agents", `${agent}.md`), "utf8");
				assert.match(definition, /^tools: \[\]$/m);
			}
			gate.open();
			const { summary } = await compacting;
			assert.match(String(summary), /What was said, in short\./);
			for (const each of desk.wordsOnly()) checkWordsOnly(each, desk);
			await quit(pi, desk);
		});
	});
}

test("what another extension asks the model is no turn, and agy's commands are not run by it", async (t) => {
	const desk = new Desk(t, { scenario: answers });
	const pi = desk.open();
	await pi.say("one");
	await pi.command("/ask aside @notes.txt");
	await pi.command("/ask /usage");
	assert.deepEqual(
		desk.wordsOnly().map(({ prompt }) => prompt),
		["aside @notes.txt", "The request:\n\n/usage"],
	);
	for (const call of desk.wordsOnly()) checkWordsOnly(call, desk);
	assert.match(readFileSync(join(desk.agy.dir, "asked"), "utf8"), /^Forty-two\.First answer\.$/);
	assert.deepEqual(await pi.say("two"), { asked: "c1", by: "c1", prompt: "two" });
	await quit(pi, desk);
});

test("/tree with a summary: it is made aside, and told to the branch's own conversation", async (t) => {
	const desk = new Desk(t, { scenario: answers });
	const pi = desk.open();
	await pi.say("one");
	const afterOne = await pi.leaf();
	await pi.say("two");
	await pi.command(`/goto ${afterOne} sum`);
	assert.equal(desk.wordsOnly().length, 1);
	for (const call of desk.wordsOnly()) checkWordsOnly(call, desk);
	const next = await pi.say("three");
	assert.deepEqual([next.asked, next.by], [undefined, "c2"]);
	assert.match(
		next.prompt,
		/First answer\.\n\n\[Summary of a branch that was left\]\n[\s\S]*What was said, in short\./,
	);
	assert.doesNotMatch(next.prompt, /Second answer/);
	assert.deepEqual(await pi.say("four"), { asked: "c2", by: "c2", prompt: "four" });
});

test("the user's own arguments for agy give a summary no permissions", async (t) => {
	const env = { AGY_EXTRA_ARGS: "--dangerously-skip-permissions --agent mine", AGY_PERMISSIONS: "skip" };
	const desk = new Desk(t, { scenario: answers, env });
	mkdirSync(join(desk.home.cwd, ".agents"), { recursive: true });
	const pi = desk.open();
	await pi.say("one");
	await pi.command("/ask aside");
	const [call, ...more] = desk.wordsOnly();
	assert.ok(call && more.length === 0);
	checkWordsOnly(call, desk);
	assert.equal(flag(call, "--agent"), "pi-words-only");
	assert.equal(call.argv.filter((arg) => arg === "--agent").length, 1);
});
