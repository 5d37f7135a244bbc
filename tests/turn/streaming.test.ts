import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Log } from "../../src/engine/log.ts";
import { fakeHome, type Scenario } from "../support/scenario.ts";
import { noticeCodes, ofType, rebuild, textOf, toolStates } from "../unit/ledger/make.ts";
import { all, ask, endOf, engineIn, isText, prompted, rest, until } from "./engine.ts";

/** With stream-json, and before it existed: then the database and the process's end are all there is. */
const versions = ["1.3.3", "1.1.7"];

describe("a turn", () => {
	for (const version of versions) {
		test(`shows text while agy runs (agy ${version})`, async (t) => {
			const home = fakeHome(t, undefined, version);
			const gate = home.gate("go");
			home.play({ steps: [{ think: "Hm." }, { say: "One " }, { waitFor: gate.file }, { say: "two." }] });
			const run = engineIn(t, home).start(ask(home));
			const events = run.events[Symbol.asyncIterator]();
			const first = await until(events, isText);
			// The stand-in goes on only now: what was shown cannot have come at its exit.
			assert.equal(textOf([first]).trim(), "One");
			gate.open();
			const after = await rest(events);
			assert.equal(textOf([first, ...after]), "One two.");
			assert.deepEqual(endOf(after).outcome, { kind: "answered" });
		});

		test(`tells what happened in order (agy ${version})`, async (t) => {
			const home = fakeHome(t, "command", version);
			const events = await all(engineIn(t, home).start(ask(home)));
			assert.equal(textOf(events), "I will run the tests.Both tests pass.");
			assert.equal(toolStates(events).at(-1), "done");
			const types = events.map((event) => event.type);
			assert.ok(types.indexOf("conversation") < types.indexOf("generation"));
			const { progress } = endOf(events);
			assert.equal(progress.promptSeen && progress.toolsRan && progress.textSeen, true);
			assert.equal(progress.conversationId, prompted(home)[0]?.conversation);
			assert.deepEqual(
				ofType(events, "usage").map((event) => event.isAnswer),
				[true, true],
			);
		});

		test(`keeps every character (agy ${version})`, async (t) => {
			const texts = [
				"👩‍👩‍👧‍👦 and 👍🏽\r\n",
				"日本語\u0000\u0007 שלום é e\u0301\n\n\n",
				"  \ttrailing   \n",
				"```\n\\u0041 \"quoted\" 'x' </script>\n",
				"end 🏁",
			];
			const home = fakeHome(t, { stdout: { splitUtf8: true }, steps: [{ say: texts }] }, version);
			const events = await all(engineIn(t, home).start(ask(home)));
			assert.equal(textOf(events), texts.join(""));
			assert.deepEqual(noticeCodes(events), []);
		});

		test(`follows a text that is rewritten while it grows (agy ${version})`, async (t) => {
			const home = fakeHome(t, "rewritten", version);
			const events = await all(engineIn(t, home).start(ask(home)));
			assert.equal(textOf(events), "It is 42. Yes.");
		});
	}

	test("of a megabyte arrives whole", async (t) => {
		const chunk = `${"lorem ipsum ".repeat(4_200)}\n`;
		const home = fakeHome(t, { database: { synchronous: "NORMAL" }, steps: [{ say: { chunk, times: 21 } }] });
		const events = await all(engineIn(t, home).start(ask(home)));
		const text = textOf(events);
		assert.equal(text.length, chunk.length * 21);
		assert.ok(text === chunk.repeat(21));
	});

	test("shows thinking before text, and text between tools in its own steps", async (t) => {
		const home = fakeHome(t, {
			steps: [
				{ think: ["Let ", "me see."] },
				{ say: "Looking." },
				{ view: { file: "a.txt", content: "a\n" } },
				{ say: "Found." },
			],
		});
		const events = await all(engineIn(t, home).start(ask(home)));
		const { text, thinking } = rebuild(events);
		assert.deepEqual([...text.values()], ["Looking.", "Found."]);
		assert.deepEqual([...thinking.values()], ["Let me see."]);
		const starts = events.filter((event) => event.type === "thinking" || event.type === "text");
		assert.deepEqual([...new Set(starts.map((event) => event.type))], ["thinking", "text"]);
	});

	test("goes on after a model call that failed, and says so", async (t) => {
		const home = fakeHome(t, "model-error");
		const events = await all(engineIn(t, home).start(ask(home)));
		assert.deepEqual(noticeCodes(events), ["model-retry"]);
		assert.deepEqual(endOf(events).outcome, { kind: "answered" });
	});

	test("with parallel tools ends each of them once", async (t) => {
		const home = fakeHome(t, "parallel");
		const events = await all(engineIn(t, home).start(ask(home)));
		const ended = ofType(events, "tool").filter((event) => event.state === "done");
		assert.equal(ended.length, 3);
		assert.equal(new Set(ended.map((event) => event.callId)).size, 3);
	});

	test("with a subagent follows the parent's conversation only", async (t) => {
		for (const version of versions) {
			const home = fakeHome(t, "subagent", version);
			const events = await all(engineIn(t, home).start(ask(home)));
			assert.equal(textOf(events), "I will ask a reviewer.The reviewer is content.");
			assert.equal(endOf(events).progress.conversationId, prompted(home)[0]?.conversation);
			assert.deepEqual(
				ofType(events, "subagent").map((event) => event.state),
				["running", "done"],
			);
		}
	});

	test("passes on what was asked", async (t) => {
		const home = fakeHome(t);
		const request = ask(home, { prompt: "--model x", env: { AGY_TEST: "1" }, addDirs: [home.dir] });
		await all(engineIn(t, home).start(request));
		const [invocation] = prompted(home);
		assert.equal(invocation?.prompt, "--model x");
		assert.equal(invocation?.env.AGY_TEST, "1");
		assert.equal(invocation?.stdin, "null");
		assert.ok(invocation?.argv.includes(home.dir));
	});
});

describe("stdout and the database", () => {
	const cases: Record<string, Scenario | string> = {
		"stdout first": { stdout: { ahead: true }, steps: [{ say: ["One ", "two ", "three."] }] },
		"no text on stdout": "database-only-text",
		"junk between the lines": "junk",
		"no init": "no-init",
		"no result": { stdout: { result: false }, steps: [{ say: "One two three." }] },
	};
	for (const [name, scenario] of Object.entries(cases)) {
		test(`give one answer: ${name}`, async (t) => {
			const home = fakeHome(t, scenario);
			const events = await all(engineIn(t, home).start(ask(home)));
			assert.deepEqual(ofType(events, "rewrite"), []);
			assert.deepEqual(noticeCodes(events), []);
			assert.match(textOf(events), /^(One two three\.|Only in the database\.|The answer\.)$/);
			assert.deepEqual(endOf(events).outcome, { kind: "answered" });
		});
	}

	test("lines that are none of agy's are counted in the log", async (t) => {
		const logged: string[] = [];
		const home = fakeHome(t, "junk");
		const log: Log = { info: (event, facts) => logged.push(`${event} ${JSON.stringify(facts)}`), debug() {} };
		const run = engineIn(t, home, { log }).start(ask(home));
		await all(run);
		await run.settled;
		const [line, ...more] = logged.filter((entry) => entry.startsWith("run.skipped-lines"));
		assert.match(line ?? "", /"lines":[1-9]\d*}$/);
		assert.deepEqual(more, []);
	});

	test("text that only stdout has is delivered, once, with a notice", async (t) => {
		for (const version of versions) {
			const home = fakeHome(t, "stdout-only-text", version);
			const events = await all(engineIn(t, home).start(ask(home)));
			assert.equal(textOf(events), "Only on stdout.");
			assert.deepEqual(noticeCodes(events), ["recovered-text"]);
		}
	});
});

test("a folder that is not there is refused before anything starts", async (t) => {
	const home = fakeHome(t);
	const events = await all(engineIn(t, home).start(ask(home, { cwd: join(home.dir, "nowhere") })));
	const { outcome } = endOf(events);
	assert.ok(outcome.kind === "failed" && outcome.failure.kind === "bad-request");
	assert.match(outcome.failure.problem, /nowhere does not exist/);
	assert.deepEqual(prompted(home), []);
});
