import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Outcome } from "../../../src/engine/events.ts";
import { ours, pixel, system, theirs, user } from "./messages.ts";
import { ended, input, planned, setUp, turn } from "./planner-setup.ts";

const u1 = user("one");
const a1 = ours("first");
const u2 = user("two");

test("instructions are given once, and again only when they change", async (t) => {
	const { here } = setUp(t);
	const kind = system({ addendum: "Be kind." });
	const first = await turn(here, [kind, u1], { conversation: "c1", answer: "first" });
	assert.match(first.request.prompt, /Be kind\.\n<\/instructions>\n\nThe user's message:\n\none$/);
	const second = await turn(here, [kind, u1, a1, u2], { conversation: "c1", answer: "second" });
	assert.equal(second.request.prompt, "two");
	const stern = system({ addendum: "Be stern." });
	const third = planned(await here.plan(input([stern, u1, a1, u2, ours("second"), user("three")])));
	assert.match(third.request.prompt, /These replace the earlier ones:\n<instructions>\nBe stern\./);
});

test("instructions whose turn did not reach agy are given again", async (t) => {
	const { here } = setUp(t);
	await turn(here, [u1], { conversation: "c1", answer: "first" });
	const messages = [system({ addendum: "Be kind." }), u1, a1, u2];
	const outcome: Outcome = { kind: "failed", failure: { kind: "no-network" } };
	await turn(here, messages, { conversation: "c1", outcome, progress: { promptSeen: false } });
	assert.match(planned(await here.plan(input(messages))).request.prompt, /Be kind/);
});

test("images are files that agy may read, and go with the session", async (t) => {
	const { here, stagingRoot } = setUp(t);
	const plan = planned(await here.plan(input([user("what is this?", pixel)])));
	const path = /- (\/.*\.png)$/.exec(plan.request.prompt)?.[1] ?? assert.fail(plan.request.prompt);
	assert.deepEqual(plan.request.addDirs, [dirname(path)]);
	assert.deepEqual(readFileSync(path), Buffer.from(pixel.data, "base64"));
	await here.finished(plan, ended("c1"), "a pixel");
	const next = planned(await here.plan(input([user("what is this?", pixel), ours("a pixel"), u2])));
	assert.deepEqual([next.request.prompt, next.request.addDirs], ["two", [dirname(path)]]);
	await here.sessionEnded("s1");
	assert.deepEqual(readdirSync(stagingRoot), []);
});

test("images of a digest are there too", async (t) => {
	const { here } = setUp(t);
	const plan = planned(await here.plan(input([user("look", pixel), theirs("I see"), u2])));
	const path = /\[image: (.*\.png)\]/.exec(plan.request.prompt)?.[1] ?? assert.fail(plan.request.prompt);
	assert.ok(existsSync(path));
});

test("a long message goes into a private file in a folder that agy may read", async (t) => {
	const { here } = setUp(t);
	const long = `/not a command\n${"x".repeat(25_000)}`;
	const plan = planned(await here.plan(input([user(long)])));
	const path = /in the file (\/\S+)\. Read/.exec(plan.request.prompt)?.[1] ?? assert.fail(plan.request.prompt);
	assert.equal(readFileSync(path, "utf8"), long);
	if (process.platform !== "win32") assert.equal(statSync(path).mode & 0o777, 0o600);
	assert.deepEqual(plan.request.addDirs, [dirname(path)]);
});

test("files named with @ are given by their absolute path", async (t) => {
	const { here, cwd } = setUp(t);
	writeFileSync(join(cwd, "a.ts"), "");
	const plan = planned(await here.plan(input([user("read @a.ts and @b.ts")], { cwd })));
	assert.equal(
		plan.request.prompt,
		`read @a.ts and @b.ts\n\nFiles and folders named in this message:\n- ${join(cwd, "a.ts")}`,
	);
});

test("a digest that was cut is said", async (t) => {
	const { here } = setUp(t, { digestBytes: 1_000 });
	const many = Array.from({ length: 20 }, (_, index) => [user(`q${index}`), theirs("x".repeat(100))]).flat();
	const plan = planned(await here.plan(input([...many, u2])));
	const leftOut = /the oldest (\d+) entries are left out/.exec(plan.request.prompt)?.[1];
	assert.deepEqual(plan.notices, [
		`Antigravity is not told all that it missed: the oldest ${leftOut} entries are left out. The setting \`digestBytes\` says how much it is told.`,
	]);
	const roomy = setUp(t).here;
	assert.deepEqual(planned(await roomy.plan(input([...many, u2]))).notices, []);
});

test("a folder that cannot be written refuses what needs it, and nothing else", async (t) => {
	const { here, stagingRoot } = setUp(t);
	rmSync(stagingRoot, { recursive: true });
	const plan = await here.plan(input([user("look", pixel)]));
	assert.ok("refused" in plan && plan.refused.kind === "bad-request");
	assert.equal(planned(await here.plan(input([u1]))).request.prompt, "one");
	mkdirSync(stagingRoot);
	planned(await here.plan(input([user("look", pixel)])));
});
