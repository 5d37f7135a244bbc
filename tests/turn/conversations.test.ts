import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Engine } from "../../src/engine/engine.ts";
import { type FakeHome, fakeHome } from "../support/scenario.ts";
import { noticeCodes, ofType, textOf } from "../unit/ledger/make.ts";
import { all, ask, endOf, engineIn, isText, prompted, rest, until } from "./engine.ts";

const versions = ["1.3.3", "1.1.7"];

/** The id of a conversation with one turn in it. */
async function begun(engine: Engine, home: FakeHome): Promise<string> {
	const run = engine.start(ask(home));
	const id = endOf(await all(run)).progress.conversationId;
	await run.settled;
	if (id === undefined) throw new Error("no conversation");
	return id;
}

describe("a continued conversation", () => {
	for (const version of versions) {
		test(`shows the new turn only (agy ${version})`, async (t) => {
			const home = fakeHome(t, "two-turns", version);
			const engine = engineIn(t, home);
			const conversationId = await begun(engine, home);
			const events = await all(engine.start(ask(home, { resume: { conversationId } })));
			assert.equal(textOf(events), "Second.");
			assert.deepEqual(
				ofType(events, "conversation").map(({ id, insteadOf }) => [id, insteadOf]),
				[[conversationId, undefined]],
			);
			assert.deepEqual(noticeCodes(events), []);
			assert.ok(endOf(events).progress.lastStep > 3);
		});

		test(`that agy does not continue is told as another one, and agy is stopped (agy ${version})`, async (t) => {
			const home = fakeHome(t, "two-turns", version);
			const engine = engineIn(t, home);
			const conversationId = await begun(engine, home);
			home.play({ ignoreConversation: true, steps: [{ hang: true }] });
			const events = await all(engine.start(ask(home, { resume: { conversationId } })));
			const [told] = ofType(events, "conversation");
			assert.equal(told?.insteadOf, conversationId);
			assert.notEqual(told?.id, conversationId);
			const failure = { kind: "conversation-replaced", id: conversationId };
			assert.deepEqual(endOf(events).outcome, { kind: "failed", failure });
		});

		test(`that agy does not continue is a failure also when agy was too quick to be stopped (agy ${version})`, async (t) => {
			const home = fakeHome(t, "two-turns", version);
			const engine = engineIn(t, home);
			const conversationId = await begun(engine, home);
			home.play("other-conversation");
			const { outcome } = endOf(await all(engine.start(ask(home, { resume: { conversationId } }))));
			// An old agy may even be too quick to be seen: then it is only known not to have gone on with this one.
			const unseen = version === "1.1.7" ? ["conversation-unbound"] : [];
			assert.equal(outcome.kind, "failed");
			assert.ok(["conversation-replaced", ...unseen].includes(outcome.failure.kind), outcome.failure.kind);
			assert.ok(JSON.stringify(outcome).includes(conversationId));
		});

		test(`that is gone is a failure before agy is started (agy ${version})`, async (t) => {
			const home = fakeHome(t, "two-turns", version);
			const engine = engineIn(t, home);
			const conversationId = await begun(engine, home);
			const path = join(home.conversations, `${conversationId}.db`);
			rmSync(path);
			const { outcome } = endOf(await all(engine.start(ask(home, { resume: { conversationId } }))));
			const where = `${path}: it does not exist (any more)`;
			assert.deepEqual(outcome, { kind: "failed", failure: { kind: "conversation-lost", id: conversationId, where } });
			assert.equal(prompted(home).length, 1);
		});
	}

	test("waits for the agy that still lingers from the turn before, and hurries it", async (t) => {
		const home = fakeHome(t, "hang-after-result");
		const engine = engineIn(t, home, { settings: { exitGraceSeconds: 3_600 } });
		const first = await all(engine.start(ask(home)));
		const conversationId = endOf(first).progress.conversationId ?? "";
		home.play({ steps: [{ say: "Again." }] });
		const events = await all(engine.start(ask(home, { resume: { conversationId } })));
		assert.equal(textOf(events), "Again.");
		assert.ok(ofType(events, "activity").some((event) => event.doing === "waiting-for-conversation"));
	});

	test("does not wait for long, when the agy that lingers has the only place", async (t) => {
		const home = fakeHome(t, "hang-after-result");
		const engine = engineIn(t, home, { settings: { exitGraceSeconds: 3_600, maxParallelRuns: 1 } });
		const conversationId = endOf(await all(engine.start(ask(home)))).progress.conversationId ?? "";
		for (const request of [ask(home), ask(home, { resume: { conversationId } })]) {
			const events = await all(engine.start(request));
			assert.deepEqual(endOf(events).outcome, { kind: "answered" });
			assert.ok(ofType(events, "activity").some((event) => event.doing === "waiting-for-slot"));
		}
	});

	test("that another process uses is refused after a while", async (t) => {
		const home = fakeHome(t, "hang-after-result");
		const agentDir = join(home.dir, "pi");
		const first = engineIn(t, home, { agentDir, settings: { exitGraceSeconds: 3_600 } });
		const conversationId = endOf(await all(first.start(ask(home)))).progress.conversationId ?? "";
		// An engine of its own knows nothing of the other one's runs, as in another process.
		const second = engineIn(t, home, { agentDir, settings: { startUpSeconds: 0.2 } });
		const { outcome } = endOf(await all(second.start(ask(home, { resume: { conversationId } }))));
		assert.deepEqual(outcome, {
			kind: "failed",
			failure: { kind: "conversation-locked", id: conversationId, pid: process.pid },
		});
	});
});

describe("a new conversation", () => {
	for (const version of versions) {
		test(`is told apart from others that start at the same instant (agy ${version})`, async (t) => {
			const home = fakeHome(t, {}, version);
			// An old agy is recognised while it lives, which no real one does as briefly as the stand-in.
			const gate = home.gate("recognised");
			home.play({ steps: [{ waitFor: gate.file }, { say: "You said {{prompt}}." }] });
			const engine = engineIn(t, home);
			const prompts = ["one", "two", "three"];
			const runs = prompts.map((prompt) => engine.start(ask(home, { prompt })).events[Symbol.asyncIterator]());
			await Promise.all(runs.map((events) => until(events, (event) => event.type === "conversation")));
			gate.open();
			const all3 = await Promise.all(runs.map(rest));
			assert.deepEqual(
				all3.map((events) => textOf(events)),
				prompts.map((prompt) => `You said ${prompt}.`),
			);
			const ids = all3.map((events) => endOf(events).progress.conversationId);
			const expected = prompts.map((prompt) => prompted(home).find((one) => one.prompt === prompt)?.conversation);
			assert.deepEqual(ids, expected);
		});
	}

	test("of an old agy whose folder is elsewhere is refused, not guessed", async (t) => {
		const home = fakeHome(t, undefined, "1.1.7");
		const engine = engineIn(t, home, { settings: { conversationsDir: join(home.dir, "elsewhere") } });
		const { outcome } = endOf(await all(engine.start(ask(home))));
		assert.deepEqual(outcome, {
			kind: "failed",
			failure: { kind: "conversation-unbound", directory: join(home.dir, "elsewhere"), candidates: [] },
		});
	});

	test("of which the folder is elsewhere is answered from stdout, with a notice that names it", async (t) => {
		const home = fakeHome(t);
		const elsewhere = join(home.dir, "elsewhere");
		const events = await all(engineIn(t, home, { settings: { conversationsDir: elsewhere } }).start(ask(home)));
		assert.deepEqual(endOf(events).outcome, { kind: "answered" });
		const [notice] = ofType(events, "notice");
		assert.equal(notice?.code, "recovered-text");
		assert.ok(notice?.text.includes(elsewhere));
	});
});

describe("a database that cannot be read", () => {
	for (const scenario of ["corrupt-database", "no-steps-table", "empty-database", "no-database"]) {
		test(`leaves the answer to stdout, with a notice: ${scenario}`, async (t) => {
			const home = fakeHome(t, scenario);
			const events = await all(engineIn(t, home).start(ask(home)));
			assert.deepEqual(endOf(events).outcome, { kind: "answered" });
			assert.equal(textOf(events), "The answer.");
			assert.deepEqual(noticeCodes(events), ["recovered-text"]);
		});

		test(`is a failure with an agy that has no stream-json: ${scenario}`, async (t) => {
			const home = fakeHome(t, scenario, "1.1.7");
			const { outcome } = endOf(await all(engineIn(t, home).start(ask(home))));
			assert.equal(outcome.kind, "failed");
			assert.match(JSON.stringify(outcome), new RegExp(home.conversations));
		});
	}

	test("any more, since another took its place, leaves the rest of the answer to stdout", async (t) => {
		const home = fakeHome(t);
		const gate = home.gate("begun");
		home.play({ steps: [{ say: "One " }, { waitFor: gate.file }, { replaceDatabase: true }, { say: "two." }] });
		const events = engineIn(t, home).start(ask(home)).events[Symbol.asyncIterator]();
		const first = await until(events, isText);
		gate.open();
		const more = await rest(events);
		assert.deepEqual(endOf(more).outcome, { kind: "answered" });
		assert.equal(textOf([first, ...more]), "One two.");
		assert.deepEqual(noticeCodes(more), ["recovered-text"]);
	});

	test("that was damaged between two turns leaves the answer to stdout", async (t) => {
		const home = fakeHome(t, "two-turns");
		const engine = engineIn(t, home);
		const conversationId = await begun(engine, home);
		const path = join(home.conversations, `${conversationId}.db`);
		for (const side of ["-wal", "-shm"]) rmSync(path + side, { force: true });
		writeFileSync(path, "this is no database, and it is long enough to be looked at".repeat(100));
		const events = await all(engine.start(ask(home, { resume: { conversationId } })));
		// The stand-in cannot use it either; what matters is that the run ends, once, and says why.
		assert.equal(endOf(events).outcome.kind, "failed");
	});

	test("that appears late is read all the same", async (t) => {
		const home = fakeHome(t, "late-database");
		const events = await all(engineIn(t, home).start(ask(home)));
		assert.equal(textOf(events), "The answer.");
	});

	test("that is deleted in the middle is read to its end", async (t) => {
		const home = fakeHome(t, "deleted-database");
		const events = await all(engineIn(t, home).start(ask(home)));
		assert.equal(textOf(events), "One two.");
		assert.deepEqual(endOf(events).outcome, { kind: "answered" });
	});
});
