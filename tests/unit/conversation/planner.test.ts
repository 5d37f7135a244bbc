import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { Message } from "@earendil-works/pi-ai";
import { defaultSettings } from "../../../src/config/schema.ts";
import type { TurnPlan } from "../../../src/conversation/plan.ts";
import type { Outcome } from "../../../src/engine/events.ts";
import { command, ours, pixel, result, theirs, user } from "./messages.ts";
import { ended, input, planned, setUp, turn } from "./planner-setup.ts";

const inShort = (plan: TurnPlan) => [plan.kind, plan.request.resume?.conversationId, plan.request.prompt];
const u1 = user("one");
const a1 = ours("first");
const u2 = user("two");

test("a first turn sends the words alone into a new conversation", async (t) => {
	const { here } = setUp(t);
	const plan = planned(await here.plan(input([u1])));
	assert.deepEqual(plan.request, {
		prompt: "one",
		cwd: "/project",
		addDirs: [],
		mode: "accept-edits",
		permissions: "skip",
		purpose: "turn",
		literalPrompt: true,
	});
	assert.deepEqual([plan.kind, plan.conversationId, plan.notices], ["fresh", undefined, []]);
});

test("the second turn continues the conversation of the first, after a restart too", async (t) => {
	const { here, restart } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	assert.deepEqual(inShort(planned(await restart().plan(input([u1, a1, u2])))), ["continue", "c1", "two"]);
});

test("the model that was picked is asked for", async (t) => {
	const { here } = setUp(t);
	const choice = { slug: "gemini-3.8-flash-high", base: "gemini-3.8-flash", effort: "high" } as const;
	const asked = { ...input([u1]), model: { id: "gemini-3.8-flash", choice, family: "gemini" } };
	assert.deepEqual(planned(await here.plan(asked)).request.model, choice);
});

test("turns of another model travel as a digest", async (t) => {
	const { here } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	const plan = planned(
		await here.plan(input([u1, a1, u2, theirs("Two it is."), command("ls", "file"), user("three")])),
	);
	assert.deepEqual(inShort(plan).slice(0, 2), ["continue-with-digest", "c1"]);
	assert.match(
		plan.request.prompt,
		/^<background>\n[\s\S]*\[User\]\ntwo[\s\S]*Two it is\.[\s\S]*Ran `ls`[\s\S]*<\/background>/,
	);
	assert.match(plan.request.prompt, /The user's message:\n\nthree$/);
	assert.doesNotMatch(plan.request.prompt, /\[User\]\none|\[Assistant\]/);
});

test("in the middle of another model's tool loop agy is told to continue", async (t) => {
	const { here } = setUp(t);
	const plan = planned(await here.plan(input([u1, theirs("I look", { calls: ["t"] }), result("t", "files")])));
	assert.match(plan.request.prompt, /\[Result of bash\]\nfiles\n<\/background>\n\nThe user's message:\n\ncontinue$/);
});

test("a fork gets a conversation of its own and both live on", async (t) => {
	const { here } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	const fork = await turn(here, [u1, a1, user("fork")], { conversation: "c2", answer: "forked", sessionId: "s2" });
	assert.deepEqual(inShort(fork).slice(0, 2), ["rebuild", undefined]);
	assert.match(fork.request.prompt, /\[User\]\none\n\n\[Assistant\]\nfirst/);
	const main = planned(await here.plan(input([u1, a1, u2])));
	assert.deepEqual(inShort(main), ["continue", "c1", "two"]);
	const forked = planned(await here.plan(input([u1, a1, user("fork"), ours("forked"), u2], { sessionId: "s2" })));
	assert.deepEqual(inShort(forked), ["continue", "c2", "two"]);
});

test("back in the tree and forward again, each branch finds its conversation", async (t) => {
	const { here } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	await turn(here, [u1, a1, u2], { conversation: "c1", answer: "second" });
	const aside = [u1, a1, user("aside")];
	assert.equal((await turn(here, aside, { conversation: "c2", answer: "beside" })).kind, "rebuild");
	assert.deepEqual(inShort(planned(await here.plan(input([u1, a1, u2, ours("second"), user("on")])))), [
		"continue",
		"c1",
		"on",
	]);
	assert.deepEqual(inShort(planned(await here.plan(input([...aside, ours("beside"), user("on")])))), [
		"continue",
		"c2",
		"on",
	]);
});

test("a deleted database is told to the user and rebuilt from", async (t) => {
	const { here, databases } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	databases.delete("c1");
	const plan = planned(await here.plan(input([u1, a1, u2])));
	assert.equal(plan.kind, "rebuild");
	assert.match(plan.notices.join(), /database of the last one is missing/);
	assert.match(plan.request.prompt, /first/);
});

test("a retry says continue when agy has the prompt, and says it again when not", async (t) => {
	const { here } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	const failed: Outcome = { kind: "failed", failure: { kind: "overloaded" } };
	await turn(here, [u1, a1, u2], { conversation: "c1", outcome: failed, progress: { promptSeen: false } });
	const again = await turn(here, [u1, a1, u2], { conversation: "c1", outcome: failed });
	assert.deepEqual(inShort(again), ["continue", "c1", "two"]);
	const resumed = await turn(here, [u1, a1, u2], { conversation: "c1", answer: "second" });
	assert.deepEqual(inShort(resumed), ["continue", "c1", "continue"]);
	assert.deepEqual(inShort(planned(await here.plan(input([u1, a1, u2, ours("second"), user("on")])))), [
		"continue",
		"c1",
		"on",
	]);
});

test("an aborted first turn is continued", async (t) => {
	const { here } = setUp(t);
	await turn(here, [u1], {
		conversation: "c1",
		outcome: { kind: "cancelled", by: "user" },
		progress: { toolsRan: true },
	});
	assert.deepEqual(inShort(planned(await here.plan(input([u1, ours("half", { stop: "aborted" }), u2])))), [
		"continue",
		"c1",
		"two",
	]);
});

test("steering after a card continues with the new words", async (t) => {
	const { here } = setUp(t);
	await turn(here, [u1], {
		conversation: "c1",
		outcome: { kind: "cancelled", by: "steering" },
		progress: { toolsRan: true },
		answer: "I look.",
	});
	const messages = [u1, ours("I look.", { cards: ["k"] }), result("k", "x"), user("rather not")];
	const steered = await turn(here, messages, { conversation: "c1", answer: "Fine." });
	assert.deepEqual(inShort(steered), ["continue", "c1", "rather not"]);
	const next = planned(await here.plan(input([...messages, ours("Fine."), u2])));
	assert.deepEqual(inShort(next), ["continue", "c1", "two"]);
});

test("a crash of pi loses neither the conversation nor what it was asked", async (t) => {
	const { here, elsewhere, alive } = setUp(t);
	const plan = planned(await here.plan(input([u1])));
	await here.started(plan, "c1");
	alive.delete(100);
	const after = planned(await elsewhere.plan(input([u1, u2])));
	assert.deepEqual(inShort(after), ["continue", "c1", "one\n\ntwo"]);
});

test("while a turn runs, another process gets a conversation of its own", async (t) => {
	const { here, elsewhere } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	const left = planned(await here.plan(input([u1, a1, user("left")])));
	const right = planned(await elsewhere.plan(input([u1, a1, user("right")])));
	assert.deepEqual([left.conversationId, right.conversationId], ["c1", undefined]);
	assert.match(right.notices.join(), /another pi is using/);
	await Promise.all([here.finished(left, ended("c1"), "l"), elsewhere.finished(right, ended("c2"), "r")]);
	const leftOn = planned(await here.plan(input([u1, a1, user("left"), ours("l"), u2])));
	const rightOn = planned(await elsewhere.plan(input([u1, a1, user("right"), ours("r"), u2])));
	assert.deepEqual(
		[inShort(leftOn), inShort(rightOn)],
		[
			["continue", "c1", "two"],
			["continue", "c2", "two"],
		],
	);
});

test("of two processes that ask at the same moment only one gets the conversation", async (t) => {
	const { here, elsewhere } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	const plans = await Promise.all([here, elsewhere].map((planner) => planner.plan(input([u1, a1, u2]))));
	assert.deepEqual(plans.map((plan) => planned(plan).kind).sort(), ["continue", "rebuild"]);
});

test("a claim is over with its turn, with its process, or when no turn can be that old", async (t) => {
	const { here, elsewhere, clock, alive } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	const aborted = (id: string) => ended(id, { kind: "cancelled", by: "user" }, { promptSeen: false });
	const kindElsewhere = async () => {
		const plan = planned(await elsewhere.plan(input([u1, a1, u2])));
		await elsewhere.finished(plan, aborted(plan.conversationId ?? "c2"), "");
		return plan.kind;
	};
	const plan = planned(await here.plan(input([u1, a1, u2])));
	assert.equal(await kindElsewhere(), "rebuild");
	await here.finished(plan, aborted("c1"), "");
	assert.equal(await kindElsewhere(), "continue");
	await here.plan(input([u1, a1, u2]));
	alive.delete(100);
	assert.equal(await kindElsewhere(), "continue");
	alive.add(100);
	await here.plan(input([u1, a1, u2]));
	clock.advance((defaultSettings.turnSeconds + 601) * 1000);
	assert.equal(await kindElsewhere(), "continue");
});

test("a conversation that another process took over meanwhile is trusted by neither", async (t) => {
	const { here, elsewhere, clock } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	const slow = planned(await here.plan(input([u1, a1, user("slow")])));
	clock.advance((defaultSettings.turnSeconds + 601) * 1000);
	planned(await elsewhere.plan(input([u1, a1, user("quick")])));
	await here.finished(slow, ended("c1"), "late");
	assert.equal(planned(await here.plan(input([u1, a1, user("slow"), ours("late"), u2]))).kind, "rebuild");
});

test("what agy began instead of the conversation asked for is not continued", async (t) => {
	const { here } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	const lost = planned(await here.plan(input([u1, a1, u2])));
	await here.started(lost, "c9");
	await here.finished(lost, ended("c9"), "who are you?");
	const plan = planned(await here.plan(input([u1, a1, u2, ours("who are you?"), user("three")])));
	assert.deepEqual(inShort(plan).slice(0, 2), ["rebuild", undefined]);
});

for (const [name, messages] of [
	["an empty message", [user("")]],
	["a blank message", [user(" \n")]],
	["no message at all", []],
	["nothing after our answer", [u1, a1]],
	["a card's result that no run waits for", [u1, ours("", { cards: ["k"] }), result("k", "x")]],
] satisfies [string, Message[]][]) {
	test(`${name} is refused`, async (t) => {
		const plan = await setUp(t).here.plan(input(messages));
		assert.ok("refused" in plan && plan.refused.kind === "bad-request");
	});
}

test("an empty message does not keep the conversation from others", async (t) => {
	const { here, elsewhere } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	assert.ok("refused" in (await here.plan(input([u1, a1, user(" ")]))));
	assert.equal(planned(await elsewhere.plan(input([u1, a1, u2]))).kind, "continue");
});

test("a store that cannot be written costs the turn nothing", async (t) => {
	const { here, folder } = setUp(t);
	writeFileSync(folder, "a file where the folder should be");
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	assert.equal(planned(await here.plan(input([u1, a1, u2]))).kind, "rebuild");
});

test("two sessions of one process keep apart", async (t) => {
	const { here } = setUp(t);
	const [left, right] = ["left", "right"].map((sessionId) => here.plan(input([u1], { sessionId })));
	const plans = [planned(await (left ?? assert.fail())), planned(await (right ?? assert.fail()))] as const;
	await Promise.all([here.finished(plans[0], ended("c1"), "first"), here.finished(plans[1], ended("c2"), "first")]);
	const next = await Promise.all(["left", "right"].map((sessionId) => here.plan(input([u1, a1, u2], { sessionId }))));
	assert.deepEqual(
		next.map((plan) => planned(plan).conversationId),
		["c1", "c2"],
	);
});

test("old records and files of dead processes are pruned", async (t) => {
	const { here, elsewhere, alive, stagingRoot, folder, clock } = setUp(t);
	await turn(here, [user("look", pixel)], { conversation: "c1" });
	planned(await elsewhere.plan(input([user("look", pixel)], { sessionId: "s2" })));
	alive.delete(200);
	clock.advance(Date.now() + 61 * 86_400_000);
	await here.prune();
	assert.deepEqual(readdirSync(folder), []);
	assert.equal(readdirSync(stagingRoot).length, 1);
});
