import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { fetchModels } from "../../../src/models/fetch.ts";
import { type AskFailure, askAgy } from "../../../src/run/agy/ask-agy.ts";
import { systemProcesses } from "../../../src/run/process/process-table.ts";
import { PATIENCE_MS } from "../../support/patience.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { stubAgy } from "./stub-agy.ts";

const LIMITS = { timeoutMs: PATIENCE_MS, maxBytes: 64 * 1024 };
const fetched = [{ accepts: "gemini-3.8-flash-high", label: "Gemini 3.8 Flash (High)" }];
const json = `{"status":"SUCCESS","command":{"data":{"models":[{"id":"gemini-3.8-flash-high","label":"Gemini 3.8 Flash (High)"}]}}}`;

test("asks for JSON with the flag before the sub-command", async (t) => {
	const agy = stubAgy(t, `[ "$*" = "--output-format json models" ] || exit 9; echo '${json}'`);
	assert.deepEqual(await fetchModels(agy, LIMITS), { ok: true, models: fetched });
});

test("asks for text where this agy rejects the flag", async (t) => {
	const agy = stubAgy(
		t,
		`if [ "$1" = models ]; then printf 'gemini-3.8-flash-high\\tGemini 3.8 Flash (High)\\n'; else
		echo 'flags provided but not defined: -output-format' >&2; exit 2; fi`,
	);
	assert.deepEqual(await fetchModels(agy, LIMITS), { ok: true, models: fetched });
});

test("agy's stdin is closed, its environment is the one given, and its updater is off", async (t) => {
	const agy = stubAgy(t, `cat >/dev/null; [ -z "$HOME" ] || exit 7; echo "gemini-$AGY_CLI_DISABLE_AUTO_UPDATE-1"`);
	const answer = await askAgy(agy, ["models"], LIMITS);
	assert.deepEqual(answer, { ok: true, exitCode: 0, stdout: "gemini-true-1\n", stderr: "" });
});

const failures: Record<string, { body: string; failure: AskFailure }> = {
	"signed out": {
		body: "echo 'Error: Please sign in to view available models. Launch the CLI without arguments to sign in.' >&2; exit 1",
		failure: { kind: "not-signed-in" },
	},
	"signed out with exit code 0, as agy 1.1.13 did": {
		body: "echo 'Error: Please sign in to view available models.' >&2",
		failure: { kind: "not-signed-in" },
	},
	"sign-in expired": {
		body: "echo 'Authentication expired. Please log back in.'; exit 1",
		failure: { kind: "not-signed-in" },
	},
	"waiting for somebody to sign in": {
		body: "echo 'Authentication required. Please visit the URL' >&2; echo 'Waiting for authentication (timeout 60s)...' >&2; sleep 600",
		failure: { kind: "not-signed-in" },
	},
	offline: {
		body: "echo 'Error: dial tcp: lookup cloudcode-pa.googleapis.com: no such host' >&2; exit 1",
		failure: { kind: "no-network" },
	},
	"an empty answer": { body: "exit 0", failure: { kind: "not-understood" } },
	"another program": { body: "exit 42", failure: { kind: "exit", code: 42 } },
	"endless output": { body: "yes gemini", failure: { kind: "too-much-output" } },
};

for (const [name, { body, failure }] of Object.entries(failures)) {
	test(`no list: ${name}`, async (t) => {
		assert.deepEqual(await fetchModels(stubAgy(t, body), LIMITS), { ok: false, failure });
	});
}

test("a binary that is not there, and one that is no program", async (t) => {
	const folder = temporaryFolder(t);
	const gone = join(folder, "agy");
	assert.deepEqual(await fetchModels({ path: gone, env: {} }, LIMITS), {
		ok: false,
		failure: { kind: "not-installed", searched: [gone] },
	});
	const noProgram = await fetchModels({ path: folder, env: {} }, LIMITS);
	assert.equal(!noProgram.ok && noProgram.failure.kind, "cannot-start");
});

test("an agy that hangs is killed with everything in its group when the time is up", async (t) => {
	const agy = stubAgy(t, "sleep 600 & wait");
	const mark = `HANGING=${randomUUID()}`;
	const env = { ...agy.env, ...Object.fromEntries([mark.split("=")]) };
	const answer = await askAgy({ ...agy, env }, ["models"], { ...LIMITS, timeoutMs: 300 });
	assert.deepEqual(answer, { ok: false, failure: { kind: "timed-out", seconds: 0.3 } });
	// A killed process goes a moment after the signal.
	const table = systemProcesses();
	while ((await table.withEnvironment(mark)).length > 0) await setImmediate();
});

test("cancelling ends the question at once", async (t) => {
	const folder = temporaryFolder(t);
	const cancel = new AbortController();
	const watcher = watch(folder);
	const started = once(watcher, "change");
	const answer = askAgy(stubAgy(t, `: > ${folder}/started; sleep 600`), [], { ...LIMITS, signal: cancel.signal });
	await started;
	watcher.close();
	cancel.abort();
	assert.deepEqual(await answer, { ok: false, failure: { kind: "cancelled" } });
	const late = await askAgy({ path: "/nowhere", env: {} }, [], { ...LIMITS, signal: cancel.signal });
	assert.deepEqual(late, { ok: false, failure: { kind: "cancelled" } });
});

test("a grandchild that keeps the pipe does not keep the answer back", async (t) => {
	const agy = stubAgy(t, "(setsid sleep 5 &) ; echo gemini-3.8-flash-high");
	assert.deepEqual(await askAgy(agy, [], LIMITS), {
		ok: true,
		exitCode: 0,
		stdout: "gemini-3.8-flash-high\n",
		stderr: "",
	});
});
