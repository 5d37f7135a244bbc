import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { AgyEvent } from "../../src/engine/events.ts";
import { FAKE_AGY, type FakeHome, fakeHome } from "../support/scenario.ts";
import { noticeCodes, ofType, textOf } from "../unit/ledger/make.ts";
import { all, ask, endOf, engineIn, prompted, rest, until } from "./engine.ts";

/** An agy of the user's, in a terminal, which shares the folder with ours and stays until the test lets it go. */
async function foreignAgy(t: TestContext, home: FakeHome, prompt: string): Promise<void> {
	const child = spawn(FAKE_AGY, [`--print=${prompt}`], { cwd: home.cwd, env: home.env, stdio: "ignore" });
	t.after(async () => {
		child.kill("SIGKILL");
		if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
	});
	await once(child, "spawn");
}

function conversationOf(events: readonly AgyEvent[]): string | undefined {
	return endOf(events).progress.conversationId;
}

/** The conversation in which the stand-in answered `prompt`. */
function answeredIn(home: FakeHome, prompt: string): string | null | undefined {
	return prompted(home).find((invocation) => invocation.prompt === prompt)?.conversation;
}

for (const version of ["1.3.3", "1.1.7"]) {
	const how = version === "1.1.7" ? "without ids on stdout" : "with ids on stdout";
	describe(`agy ${version}, ${how}`, () => {
		test("runs of two pi and an agy of the user's begin at the same instant", async (t) => {
			const home = fakeHome(t, undefined, version);
			const [gate, recognised] = [home.gate("foreign"), home.gate("recognised")];
			home.play({
				match: [{ prompt: "^foreign$", steps: [{ say: "Not yours." }, { waitFor: gate.file }] }],
				// An old agy is recognised while it lives, which no real one does as briefly as the stand-in.
				steps: [{ say: "You said " }, { waitFor: recognised.file }, { say: "{{prompt}}." }],
			});
			const engines = [engineIn(t, home), engineIn(t, home)];
			const prompts = ["one", "two", "three", "four"];
			const foreign = foreignAgy(t, home, "foreign");
			const running = prompts.map((prompt, index) => {
				const engine = engines[index % 2] ?? assert.fail();
				return engine.start(ask(home, { prompt })).events[Symbol.asyncIterator]();
			});
			const told = await Promise.all(running.map((events) => until(events, ({ type }) => type === "conversation")));
			await foreign;
			recognised.open();
			const runs = await Promise.all(running.map(rest));
			assert.deepEqual(
				told.map((event) => event.type === "conversation" && event.id),
				runs.map(conversationOf),
			);
			assert.deepEqual(
				runs.map((events) => textOf(events)),
				prompts.map((prompt) => `You said ${prompt}.`),
			);
			assert.deepEqual(
				runs.map(conversationOf),
				prompts.map((prompt) => answeredIn(home, prompt)),
			);
		});

		test("a subagent's conversation is not taken for ours", async (t) => {
			const home = fakeHome(t, "subagent", version);
			const events = await all(engineIn(t, home).start(ask(home)));
			assert.match(textOf(events), /The reviewer is content\.$/);
			assert.equal(conversationOf(events), answeredIn(home, "hello"));
			assert.ok(readdirSync(home.conversations).filter((name) => name.endsWith(".db")).length > 1);
			assert.deepEqual(endOf(events).outcome, { kind: "answered" });
		});

		test("a continued conversation is told from one of a subagent's that begins in it", async (t) => {
			const home = fakeHome(t, "two-turns", version);
			const engine = engineIn(t, home);
			const first = engine.start(ask(home));
			const conversationId = conversationOf(await all(first)) ?? assert.fail();
			await first.settled;
			home.play("subagent");
			const events = await all(engine.start(ask(home, { prompt: "review", resume: { conversationId } })));
			assert.match(textOf(events), /The reviewer is content\.$/);
			assert.deepEqual(
				ofType(events, "conversation").map(({ id, insteadOf }) => [id, insteadOf]),
				[[conversationId, undefined]],
			);
		});

		test("agy's folder may be a link", async (t) => {
			const home = fakeHome(t, { steps: [{ say: "Answered." }] }, version);
			const real = join(home.dir, "elsewhere");
			mkdirSync(real);
			symlinkSync(real, join(home.dir, ".gemini"));
			const events = await all(engineIn(t, home).start(ask(home)));
			assert.equal(textOf(events), "Answered.");
			assert.equal(conversationOf(events), answeredIn(home, "hello"));
			assert.deepEqual(noticeCodes(events), []);
		});

		test("agy's folder may be moved by its own flags", async (t) => {
			const home = fakeHome(t, { steps: [{ say: "Answered." }] }, version);
			const extraArgs = `--gemini_dir='${join(home.dir, "my data")}' --app_data_dir agy`;
			const events = await all(engineIn(t, home, { settings: { extraArgs } }).start(ask(home)));
			assert.equal(textOf(events), "Answered.");
			assert.ok(existsSync(join(home.dir, "my data", "agy", "conversations", `${conversationOf(events)}.db`)));
			assert.deepEqual(noticeCodes(events), []);
		});

		test("the folder of conversations may be named by the setting, through a link", async (t) => {
			const home = fakeHome(t, { steps: [{ say: "Answered." }] }, version);
			const real = join(home.dir, "real");
			const conversationsDir = join(home.dir, "link");
			mkdirSync(real);
			symlinkSync(real, conversationsDir);
			home.env.FAKE_AGY_CONVERSATIONS_DIR = real;
			const events = await all(engineIn(t, home, { settings: { conversationsDir } }).start(ask(home)));
			assert.equal(textOf(events), "Answered.");
			assert.ok(existsSync(join(real, `${conversationOf(events)}.db`)));
			assert.deepEqual(noticeCodes(events), []);
		});

		test("an agy that dies before it writes has no conversation, whatever others write", async (t) => {
			const home = fakeHome(t, undefined, version);
			const dying = home.gate("dying");
			const gate = home.gate("foreign");
			home.play({ before: [{ waitFor: dying.file }, { exit: 1 }] });
			const running = all(engineIn(t, home).start(ask(home, { prompt: "mine" })));
			await dying.reached();
			home.play({ steps: [{ say: "Not yours." }, { waitFor: gate.file }] });
			await foreignAgy(t, home, "foreign");
			await gate.reached();
			dying.open();
			const events = await running;
			assert.equal(textOf(events), "");
			assert.equal(conversationOf(events), undefined);
			assert.equal(endOf(events).outcome.kind, "failed");
			assert.equal(endOf(events).progress.promptSeen, false);
		});

		test("an agy that is killed after it wrote keeps its conversation", async (t) => {
			const home = fakeHome(t, { steps: [{ say: "Half" }, { kill: "SIGKILL" }] }, version);
			const events = await all(engineIn(t, home).start(ask(home)));
			assert.equal(conversationOf(events), answeredIn(home, "hello"));
			assert.equal(endOf(events).outcome.kind, "failed");
			assert.equal(endOf(events).progress.promptSeen, true);
		});
	});
}
