import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ModelRuntime } from "@earendil-works/pi-coding-agent";
import type { Failure } from "../../src/engine/failure.ts";
import { createAntigravityProvider } from "../../src/provider/provider.ts";
import { model } from "../support/pi-model.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const interaction = { notify() {}, prompt: async () => assert.fail("nothing is to be asked") };

function provider(problem?: Failure) {
	return createAntigravityProvider({
		catalogue: {
			models: () => [model],
			restore() {},
			refresh: async () => assert.fail("no need to ask agy"),
		},
		findAgyProblem: () => problem,
		hidesWithoutAgy: () => true,
		now: () => 0,
		run: async () => assert.fail("no turn"),
	});
}

/** pi's models as they are at a start of pi with this folder. */
function startPi(folder: string): Promise<ModelRuntime> {
	return ModelRuntime.create({ authPath: join(folder, "auth.json"), modelsPath: null });
}

test("after a login, which asks nothing and keeps no key, pi counts on the models at once", async (t) => {
	const folder = temporaryFolder(t);
	const first = await startPi(folder);
	first.registerNativeProvider(provider());
	assert.equal(first.hasConfiguredAuth("antigravity"), false, "else there was nothing to mend");
	assert.deepEqual(await first.login("antigravity", "api_key", interaction), { type: "api_key" });
	const next = await startPi(folder);
	next.registerNativeProvider(provider());
	assert.equal(next.hasConfiguredAuth("antigravity"), true);
	assert.ok(next.getAvailableSnapshot().some((each) => each.provider === "antigravity"));
	assert.deepEqual((await next.getAuth("antigravity"))?.auth, {});
});

test("without agy a login says what is missing, and one of before shows no models", async (t) => {
	const folder = temporaryFolder(t);
	const before = await startPi(folder);
	before.registerNativeProvider(provider());
	await before.login("antigravity", "api_key", interaction);
	const pi = await startPi(folder);
	pi.registerNativeProvider(provider({ kind: "not-installed", searched: [] }));
	await assert.rejects(pi.login("antigravity", "api_key", interaction), /agy command was not found/);
	await pi.refresh({ allowNetwork: false });
	assert.equal(pi.hasConfiguredAuth("antigravity"), false);
});
