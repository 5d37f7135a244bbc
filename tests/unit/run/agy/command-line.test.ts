import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunRequest } from "../../../../src/engine/engine.ts";
import { featuresOf, parseVersion } from "../../../../src/run/agy/agy-features.ts";
import { buildCommandLine, type CommandLineInput, goDuration } from "../../../../src/run/agy/command-line.ts";
import { runRequest } from "../../../support/run-request.ts";

const request = runRequest({ cwd: "/w" });

interface Change {
	readonly request?: Partial<RunRequest>;
	readonly settings?: Partial<CommandLineInput["settings"]>;
	readonly version?: string | undefined;
	readonly input?: Partial<CommandLineInput>;
}

function build(change: Change = {}) {
	const version = "version" in change ? change.version : "1.3.3";
	return buildCommandLine({
		request: { ...request, ...change.request },
		settings: { extraArgs: "", sandbox: false, promptVia: "argv", ...change.settings },
		features: featuresOf(version === undefined ? undefined : parseVersion(version)),
		executable: "/usr/bin/agy",
		realCwd: "/real/w",
		realAddDirs: [],
		printTimeoutMs: 7_500_000,
		platform: "linux",
		...change.input,
	});
}

function ok(change: Change = {}) {
	const line = build(change);
	assert.ok(line.kind === "ok");
	return line;
}

function refusal(change: Change) {
	const line = build(change);
	assert.ok(line.kind === "refused");
	return line.failure;
}

/** The value that follows a flag. */
const valueAfter = (argv: readonly string[], flag: string) =>
	argv.includes(flag) ? argv[argv.indexOf(flag) + 1] : undefined;

test("a new turn on a current agy", () => {
	assert.deepEqual(
		ok({ request: { model: { slug: "gemini-3.8-flash-high", base: "gemini-3.8-flash", effort: "high" } } }),
		{
			kind: "ok",
			argv: [
				...["--add-dir", "/real/w", "--output-format", "stream-json", "--model", "gemini-3.8-flash-high"],
				...["--mode", "accept-edits", "--dangerously-skip-permissions", "--print-timeout", "7500s", "--print=hello"],
			],
			stdin: undefined,
			output: "stream-json",
			loggedArgv: [
				...["--add-dir", "/real/w", "--output-format", "stream-json", "--model", "gemini-3.8-flash-high"],
				...["--mode", "accept-edits", "--dangerously-skip-permissions", "--print-timeout", "7500s", "--print=…"],
			],
			warnings: [],
		},
	);
});

test("the prompt is the last argument and attached, whatever it begins with", () => {
	for (const prompt of ["-", "--model x", "/usage", "=a", "two\nlines", "π"]) {
		const { argv } = ok({
			request: { prompt, resume: { conversationId: "c1" } },
			settings: { extraArgs: "--log-file /l" },
		});
		assert.equal(argv.at(-1), `--print=${prompt}`);
		assert.deepEqual(argv.slice(-3, -1), ["--log-file", "/l"]);
		assert.equal(valueAfter(argv, "--conversation"), "c1");
		assert.equal(argv.includes("--continue"), false);
	}
});

test("every folder is named on every turn, each once", () => {
	const { argv } = ok({
		request: { resume: { conversationId: "c1" } },
		input: { realAddDirs: ["/staged", "/real/w"] },
	});
	const folders = argv.filter((_, index) => argv[index - 1] === "--add-dir");
	assert.deepEqual(folders, ["/real/w", "/staged"]);
});

test("on stdin there is no prompt flag at all", () => {
	const line = ok({ settings: { promptVia: "stdin" } });
	assert.equal(line.stdin, "hello");
	assert.equal(
		line.argv.some((arg) => /^--?p/.test(arg) && !arg.startsWith("--print-timeout")),
		false,
	);
});

test("an agy that cannot read stdin gets the prompt as an argument, and that is said", () => {
	const line = ok({ settings: { promptVia: "stdin" }, version: "1.1.0" });
	assert.equal(line.argv.at(-1), "--print=hello");
	assert.match(line.warnings.join(), /1\.1\.0 cannot read the prompt from stdin/);
});

test("a prompt too long for an argument goes to stdin, or is refused", () => {
	const limit = 131_072 - "--print=".length - 1;
	const fitting = "é".repeat(limit / 2);
	assert.equal(ok({ request: { prompt: fitting.slice(0, Math.floor(limit / 2)) } }).stdin, undefined);
	const prompt = `${fitting}é`;
	assert.equal(ok({ request: { prompt } }).stdin, prompt);
	assert.equal(ok({ request: { prompt: "a\0b" } }).stdin, "a\0b");
	const failure = refusal({ request: { prompt }, version: "1.1.0" });
	assert.ok(failure.kind === "bad-request");
	assert.match(failure.problem, /does not fit/);
});

test("on Windows the whole line counts, and a shim never carries the prompt", () => {
	const windows = { platform: "win32", executable: "C:\\agy.exe" } as const;
	assert.equal(ok({ request: { prompt: "x".repeat(32_000) }, input: windows }).stdin, undefined);
	const quoted = '"'.repeat(17_000);
	assert.equal(ok({ request: { prompt: quoted }, input: windows }).stdin, quoted);
	assert.equal(ok({ input: { ...windows, executable: "C:\\agy.cmd" } }).stdin, "hello");
});

test("a bare slug takes its effort with it", () => {
	const model = { slug: "gemini-3.8-flash", base: "gemini-3.8-flash", effort: "low" } as const;
	const { argv } = ok({ request: { model } });
	assert.equal(valueAfter(argv, "--model"), "gemini-3.8-flash");
	assert.equal(valueAfter(argv, "--effort"), "low");
	const withoutTiers = ok({ request: { model: { slug: "claude-sonnet-4-6" } } }).argv;
	assert.equal(valueAfter(withoutTiers, "--model"), "claude-sonnet-4-6");
	assert.equal(withoutTiers.includes("--effort"), false);
});

test("an agy without slugs is told labels only", () => {
	const slug = ok({ request: { model: { slug: "gemini-3.1-pro-high" } }, version: "1.1.4" });
	assert.equal(slug.argv.includes("--model"), false);
	assert.match(slug.warnings.join(), /cannot be told to use gemini-3\.1-pro-high/);
	const label = ok({ request: { model: { slug: "Gemini 3.1 Pro (High)" } }, version: "1.1.4" });
	assert.equal(valueAfter(label.argv, "--model"), "Gemini 3.1 Pro (High)");
});

test("an agy of unknown version gets no flag that an old one would reject", () => {
	const line = ok({
		version: undefined,
		request: { literalPrompt: true, mode: "plan", model: { slug: "gemini-3.1-pro-high" } },
		settings: { promptVia: "stdin" },
	});
	assert.deepEqual(line.argv, [
		...["--add-dir", "/real/w", "--dangerously-skip-permissions", "--print-timeout", "7500s", "--print=hello"],
	]);
	assert.equal(line.output, "text");
	assert.equal(line.warnings.length, 3);
});

test("permissions are skipped only when asked, and never for words", () => {
	const skips = (change: Change) => ok(change).argv.includes("--dangerously-skip-permissions");
	assert.equal(skips({}), true);
	assert.equal(skips({ request: { permissions: "deny" } }), false);
	assert.equal(skips({ request: { purpose: "words-only" } }), false);
	assert.equal(skips({ request: { purpose: "delegation" } }), true);
});

test("extra arguments cannot give tools to a call for words", () => {
	const extraArgs =
		"--agent mine --log-file x -dangerously-skip-permissions --mode=plan --dangerously-skip-permissions=true";
	const { argv } = ok({ request: { purpose: "words-only" }, settings: { extraArgs } });
	assert.deepEqual(argv.slice(argv.indexOf("--print-timeout") + 2), ["--log-file", "x", "--print=hello"]);
	assert.ok(ok({ settings: { extraArgs } }).argv.includes("-dangerously-skip-permissions"));
});

test("the sandbox beside skipped permissions is no boundary, and that is said", () => {
	const both = ok({ settings: { sandbox: true } });
	assert.ok(both.argv.includes("--sandbox"));
	assert.match(both.warnings.join(), /no boundary/);
	assert.deepEqual(ok({ settings: { sandbox: true }, request: { permissions: "deny" } }).warnings, []);
});

test("the agent without tools is named together with its folder", () => {
	const { argv } = ok({
		request: { purpose: "words-only" },
		input: { agent: { name: "words", directory: "/tmp/agent" } },
	});
	assert.equal(valueAfter(argv, "--agent"), "words");
	assert.ok(argv.filter((_, index) => argv[index - 1] === "--add-dir").includes("/tmp/agent"));
});

test("a literal prompt switches agy's commands off, except where that would cost plan mode", () => {
	const literal = (change: Change) => ok(change).argv.includes("--disable-slash-commands");
	assert.equal(literal({ request: { literalPrompt: true } }), true);
	assert.equal(literal({}), false);
	assert.equal(literal({ request: { literalPrompt: true, mode: "plan" } }), false);
	assert.equal(literal({ request: { literalPrompt: true }, version: "1.1.8" }), false);
	assert.equal(literal({ request: { literalPrompt: true, mode: "plan" }, version: "1.1.9" }), true);
});

test("what cannot be run is refused", () => {
	assert.deepEqual(refusal({ version: "1.0.15" }), { kind: "too-old", version: "1.0.15", floor: "1.0.16" });
	assert.equal(refusal({ request: { prompt: " \n" } }).kind, "bad-request");
	assert.equal(refusal({ settings: { extraArgs: "a | b" } }).kind, "bad-request");
});

test("durations are whole seconds of Go's, never zero", () => {
	assert.equal(goDuration(90_000), "90s");
	assert.equal(goDuration(1_001), "2s");
	assert.equal(goDuration(0), "1s");
});
