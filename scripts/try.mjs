// One prompt through real pi in print mode with this extension: the shortest way to see it work from a clone.
// Uses your agy where there is one, else the stand-in of the tests (and says so). pi's own settings are not touched.
import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const prompt = process.argv.slice(2).join(" ").trim();
if (prompt === "") {
	process.stderr.write('Give a prompt: npm run try -- "Explain this repository in two sentences"\n');
	process.exit(2);
}

const runnable = (path) => {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
};
const candidates = [
	process.env.AGY_BIN,
	...(process.env.PATH ?? "").split(delimiter).map((folder) => folder && join(folder, "agy")),
	join(homedir(), ".local", "bin", "agy"),
].filter(Boolean);
const agy = candidates.find(runnable);

const scratch = mkdtempSync(join(tmpdir(), "pi-antigravity-try-"));
const environment = { ...process.env, PI_CODING_AGENT_DIR: join(scratch, "pi"), PI_SKIP_VERSION_CHECK: "1" };
if (agy) {
	environment.AGY_BIN = agy;
	process.stderr.write(`Using ${agy}\n`);
} else {
	environment.AGY_BIN = join(root, "tests", "fake-agy", "agy");
	environment.HOME = join(scratch, "home");
	environment.PI_OFFLINE = "1";
	process.stderr.write(
		"agy was not found (AGY_BIN, PATH, ~/.local/bin): using the stand-in of the tests, not a real model.\n",
	);
}

const pi = join(root, "node_modules", "@earendil-works", "pi-coding-agent", "dist", "bundle", "cli.js");
const child = spawn(
	process.execPath,
	[pi, "-ne", "-e", root, "--no-session", "--provider", "antigravity", "--model", "gemini-3.8-flash", "-p", prompt],
	{ env: environment, stdio: ["ignore", "inherit", "inherit"] },
);
child.on("exit", (code, signal) => {
	rmSync(scratch, { recursive: true, force: true });
	process.exitCode = signal ? 1 : (code ?? 1);
});
