import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const pi = join(root, "node_modules", "@earendil-works", "pi-coding-agent");
const env = {
	...process.env,
	PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH ?? ""}`,
	PI_OFFLINE: "1",
};
const bun = spawnSync("bun", ["--version"], { env, encoding: "utf8" });
const skip = bun.status === 0 ? false : "there is no bun on this machine";

test("pi's stand-alone binary streams an answer from agy's database with this extension", { skip }, (t) => {
	const folder = temporaryFolder(t);
	const binary = join(folder, "pi");
	const entries = ["bun/cli.js", "utils/image-resize-worker.js", "extensions/codemode/worker.js"];
	const flags = ["--compile", "--no-compile-autoload-bunfig", "--no-compile-autoload-dotenv"];
	const sources = entries.map((entry) => join(pi, "dist", entry));
	execFileSync("bun", ["build", ...flags, "--compile-autoload-package-json", ...sources, "--outfile", binary], {
		env,
		stdio: "pipe",
	});
	// What pi's own build puts beside the binary, as far as it is needed here.
	cpSync(join(pi, "package.json"), join(folder, "package.json"));
	cpSync(join(pi, "dist", "modes", "interactive", "theme"), join(folder, "theme"), { recursive: true });

	const found = join(folder, "found.json");
	const probe = join(folder, "probe.ts");
	writeFileSync(
		probe,
		`import { writeFileSync } from "node:fs";
		import { loadSqlite } from ${JSON.stringify(join(root, "src", "tail", "load-sqlite.ts"))};
		export default async () => {
			const { engine } = await loadSqlite();
			writeFileSync(${JSON.stringify(found)}, JSON.stringify({ engine, program: process.execPath }));
		};`,
	);
	const agentDir = join(folder, "agent");
	mkdirSync(agentDir);
	const args = [
		"-ne",
		"-e",
		root,
		"-e",
		probe,
		"--no-session",
		"--model",
		"antigravity/gemini-3.8-flash",
		"-p",
		"hello",
	];
	const run = spawnSync(binary, args, {
		cwd: folder,
		env: {
			...env,
			HOME: folder,
			PI_CODING_AGENT_DIR: agentDir,
			AGY_BIN: join(root, "tests", "fake-agy", "agy"),
			FAKE_AGY_NODE: process.execPath,
			FAKE_AGY_SCENARIO: "database-only-text",
		},
		encoding: "utf8",
	});
	assert.equal(run.stderr, "");
	assert.equal(run.stdout, "Only in the database.\n");
	assert.equal(run.status, 0);
	const { engine, program } = JSON.parse(readFileSync(found, "utf8")) as { engine: string; program: string };
	assert.match(engine, /^(bun|node):sqlite$/);
	assert.equal(program, binary, "scripts cannot be run with process.execPath there");
});
