import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { piHome, runPi } from "../support/pi.ts";
import { FAKE_AGY } from "../support/scenario.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NAME = "pi-antigravity-cli";

/** The machine's own way to the package registry: pi runs npm in a home that has none. */
function npmEnvironment(): Record<string, string> {
	const given = Object.entries(process.env).filter(([name]) => /^npm_config_|proxy$|cert/i.test(name));
	return {
		npm_config_userconfig: join(homedir(), ".npmrc"),
		npm_config_cache: join(homedir(), ".npm"),
		...Object.fromEntries(given.map(([name, value]) => [name, value ?? ""])),
	};
}

test("the packed tarball installs into pi, answers a prompt, and can be removed again", async (t) => {
	const home = piHome(t, { env: { ...npmEnvironment(), AGY_BIN: FAKE_AGY } });
	execFileSync("npm", ["pack", "--silent", "--pack-destination", home.dir], { cwd: ROOT });
	const tarball = readdirSync(home.dir).find((name) => name.endsWith(".tgz"));
	assert.ok(tarball, "npm pack left no tarball");

	const installed = await runPi(home, ["install", `npm:${NAME}@file:${join(home.dir, tarball)}`]);
	assert.equal(installed.code, 0, installed.stderr);
	assert.doesNotMatch(
		installed.stdout + installed.stderr,
		/peerDependencies/,
		"pi warns of how the package is declared",
	);

	const listed = await runPi(home, ["--list-models", "antigravity"]);
	assert.match(listed.stdout, /antigravity\s+gemini-3\.8-flash/);
	assert.doesNotMatch(listed.stderr, /warning|error/i);

	const answered = await runPi(home, ["--model", "antigravity/gemini-3.8-flash", "-p", "Are you there, tarball?"]);
	assert.equal(answered.code, 0, answered.stderr);
	assert.match(answered.stdout, /Are you there, tarball\?/);

	const removed = await runPi(home, ["remove", `npm:${NAME}`]);
	assert.equal(removed.code, 0, removed.stderr);
	const after = await runPi(home, ["--list-models", "antigravity"]);
	assert.doesNotMatch(after.stdout, /gemini-3\.8-flash/);
});

test("the tarball holds what runs and what people read, and nothing of the tests", () => {
	const [packed] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: ROOT, encoding: "utf8" }));
	const files: string[] = packed.files.map((file: { path: string }) => file.path);
	for (const name of ["extensions/index.ts", "README.md", "LICENSE", "NOTICE", "CHANGELOG.md", "docs/reference.md"]) {
		assert.ok(files.includes(name), `${name} is missing`);
	}
	assert.deepEqual(
		files.filter((path) => !/^(extensions|src|docs)\/|^[A-Z]+(\.md)?$|^package\.json$/.test(path)),
		[],
	);
});
