import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Finished, piHome } from "../support/pi.ts";
import { FAKE_AGY } from "../support/scenario.ts";

const SCRIPT = fileURLToPath(new URL("../../scripts/try.mjs", import.meta.url));

/** Runs what `npm run try` runs, on a machine of its own. */
function tryIt(t: TestContext, args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
	const home = piHome(t);
	// The stand-in's launcher and pi need a few programs of the system; none of its folders holds an agy.
	const PATH = "/usr/local/bin:/usr/bin:/bin";
	return new Promise((resolve) => {
		const options = { cwd: home.cwd, env: { PATH, HOME: join(home.dir, "empty"), TERM: "dumb", ...env } };
		execFile(process.execPath, [SCRIPT, ...args], options, (error, stdout, stderr) => {
			resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code ?? 1) });
		});
	});
}

test("without an agy the stand-in answers, and stderr says that it is one", async (t) => {
	const { stdout, stderr, code } = await tryIt(t, ["Is anybody", "there?"]);
	assert.equal(code, 0, stderr);
	assert.match(stdout, /Is anybody there\?/);
	assert.match(stderr, /stand-in/);
});

test("an agy that is named is used", async (t) => {
	const { stdout, stderr, code } = await tryIt(t, ["Hello?"], { AGY_BIN: FAKE_AGY });
	assert.equal(code, 0, stderr);
	assert.match(stdout, /Hello\?/);
	assert.ok(stderr.startsWith(`Using ${FAKE_AGY}`), stderr);
});

test("without a prompt it says how it is called", async (t) => {
	const { stderr, code } = await tryIt(t, []);
	assert.equal(code, 2);
	assert.match(stderr, /npm run try -- "/);
});
