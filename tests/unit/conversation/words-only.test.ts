import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Message } from "@earendil-works/pi-ai";
import type { Planned, WordsPlan } from "../../../src/conversation/plan.ts";
import { createStaging } from "../../../src/conversation/staging.ts";
import { planWords } from "../../../src/conversation/words-only.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { context, ours, pixel, system, theirs, user } from "./messages.ts";

function setUp(t: TestContext) {
	const root = temporaryFolder(t);
	const plan = (...messages: Message[]) =>
		planWords({ context: context(...messages), model: { id: "m", family: "gemini" } }, () => createStaging(root, 7));
	return { root, plan };
}

function planned(plan: Planned<WordsPlan>): WordsPlan {
	assert.ok(!("refused" in plan));
	return plan;
}

test("a summary: the system prompt and the request, never with permissions, never resumed", async (t) => {
	const { plan, root } = setUp(t);
	const { request, discard } = planned(await plan(system({}, "You summarise."), user("Summarise: a b c")));
	assert.deepEqual(request, {
		prompt: "You summarise.\n\nSummarise: a b c",
		cwd: join(root, readdirSync(root)[0] ?? ""),
		addDirs: [],
		mode: "accept-edits",
		permissions: "deny",
		purpose: "words-only",
		literalPrompt: true,
	});
	await discard();
	assert.deepEqual(readdirSync(root), []);
});

test("a longer transcript is told with its roles, our answers as the others'", async (t) => {
	const { request } = planned(await setUp(t).plan(user("a"), ours("b"), theirs("c"), user("d")));
	assert.equal(
		request.prompt,
		"[User]\na\n\n[Assistant, antigravity/gemini-3.8-flash]\nb\n\n[Assistant, faux/faux-1]\nc\n\n[User]\nd",
	);
});

test("a leading slash is not for agy", async (t) => {
	assert.equal(planned(await setUp(t).plan(user("/x"))).request.prompt, "The request:\n\n/x");
});

test("a long one goes into a file that agy itself puts before the model, and the file goes when it is over", async (t) => {
	const { plan, root } = setUp(t);
	const long = "y".repeat(30_000);
	const { request, discard } = planned(await plan(user(long)));
	const [, name, path] =
		/^Answer the request in the file @(\S+) \(its full path: (\/\S+)\)\.$/.exec(request.prompt) ?? [];
	assert.equal(path, join(request.cwd, name ?? ""));
	assert.equal(readFileSync(path, "utf8"), long);
	assert.equal(request.literalPrompt, false);
	await discard();
	assert.deepEqual(readdirSync(root), []);
});

test("images are staged and removed", async (t) => {
	const { plan, root } = setUp(t);
	const { request, discard } = planned(await plan(user("look", pixel)));
	assert.ok(existsSync(/\[image: (.*)\]/.exec(request.prompt)?.[1] ?? ""));
	await discard();
	assert.deepEqual(readdirSync(root), []);
});

test("nothing to say is refused", async (t) => {
	const { plan } = setUp(t);
	for (const messages of [[], [user("")], [system({}, "You summarise."), user("  ")]]) {
		assert.ok("refused" in (await plan(...messages)));
	}
});
