import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { only, type PiEvent, PiRpc, piHome, runPi } from "../support/pi.ts";
import { agyHome, EXTENSION, MODEL, say } from "./agy-home.ts";

const quiet = { steps: [] };
const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const RIVAL = fileURLToPath(new URL("agy-rival.ts", import.meta.url));

test("the doctor reads the newest conversation as a turn would, and counts what it does not know", async (t) => {
	const { rpc: open, play } = agyHome(t, "command");
	const rpc = open();
	await rpc.prompt("one");
	const known = await say(rpc, "/agy doctor");
	assert.match(known.message, /✓ agy's conversations: read \d+ steps of the newest/);
	assert.equal(known.level, "info");
	play("unknown");
	await say(rpc, "/agy conversation new");
	await rpc.prompt("two");
	assert.match(
		(await say(rpc, "/agy doctor")).message,
		/! agy's conversations: 1 of \d+ steps of the newest are of an unknown kind/,
	);
});

test("a conversation that is no database is a problem with its path", async (t) => {
	const { agy, rpc: open } = agyHome(t, quiet);
	mkdirSync(agy.conversations, { recursive: true });
	writeFileSync(join(agy.conversations, "broken.db"), "not a database, though long enough to be looked at");
	const { message } = await say(open(), "/agy doctor --verbose");
	assert.match(message, /✗ agy's conversations: the newest cannot be read: [^\n]+\n {4}→ [^\n]+\n {4}\/.*broken\.db/);
	assert.doesNotMatch(message, /\n\s+at /);
});

test("an agy that lacks something, one below the floor, and a file that is no agy", async (t) => {
	const old = agyHome(t, quiet, { version: "1.0.15" });
	const lesser = agyHome(t, quiet, { version: "1.1.7" });
	assert.match((await say(lesser.rpc(), "/agy doctor")).message, /! agy: 1\.1\.7 works, but lacks stream-json/);
	assert.match(
		(await say(old.rpc(), "/agy doctor")).message,
		/✗ agy: 1\.0\.15 is too old\n {4}→ Run `agy update`: 1\.0\.16 or later/,
	);
	const other = agyHome(t, quiet);
	const noAgy = join(other.agy.dir, "agy");
	writeFileSync(noAgy, "#!/bin/sh\necho hello\n");
	chmodSync(noAgy, 0o755);
	const home = { ...other.pi, env: { ...other.pi.env, AGY_BIN: noAgy } };
	const { stdout } = await runPi(home, [...only(EXTENSION), ...MODEL, "-p", "/agy status", "/agy doctor"]);
	assert.match(stdout, /^agy +[~/]\S*\/agy, which does not say its version; see \/agy doctor\n/);
	assert.match(stdout, /! agy: \/.*\/agy does not say its version: it is older than 1\.0\.16, [^\n]+\n {4}→ /);
});

test("without agy, in an empty home", async (t) => {
	const pi = piHome(t);
	const { stdout, stderr } = await runPi(pi, [
		...only(EXTENSION),
		...MODEL,
		"-p",
		"/agy doctor --verbose",
		"/agy conversation use x",
	]);
	assert.match(stdout, /^✗ agy: not found\n {4}→ Install .*\n(?: {4}\/.*\/agy\n)+✓ write access/);
	assert.match(
		stdout,
		/\nThere is no conversation x\. The ids are .* in ~\/\.gemini\/antigravity-cli\/conversations\.\n$/,
	);
	assert.equal(stderr, "");
});

test("a prompt without agy says what is missing, before pi speaks of a key", async (t) => {
	const rpc = new PiRpc(piHome(t), [...only(EXTENSION), ...MODEL]);
	await assert.rejects(rpc.request({ type: "prompt", message: "hello" }), /No API key found/);
	const told = rpc.events.filter((event) => event.type === "extension_ui_request" && event.method === "notify");
	assert.equal(told.length, 2, "once at the start, once at the prompt");
	assert.match(String(told[1]?.message), /^The agy command was not found .* Install Google's Antigravity CLI/);
});

test("file events that are switched off are told", async (t) => {
	const { rpc } = agyHome(t, quiet, { env: { AGY_FILE_EVENTS: "false" } });
	assert.match((await say(rpc(), "/agy doctor")).message, /✓ file events: switched off/);
});

test("another extension that claims the provider and the command is named, whichever comes first", async (t) => {
	const { pi } = agyHome(t, quiet);
	for (const [extensions, ours] of [
		[[RIVAL, EXTENSION], "agy:2"],
		[[EXTENSION, RIVAL], "agy:1"],
	] as const) {
		const { stdout } = await runPi(pi, [...only(...extensions), ...MODEL, "-p", `/${ours} doctor`]);
		assert.match(stdout, /✗ other extensions: also claiming [^\n]*\/agy:[12] of \/.*agy-rival\.ts/, ours);
	}
	const { stdout } = await runPi(pi, [...only(RIVAL, EXTENSION), ...MODEL, "-p", "/agy:2 doctor"]);
	assert.doesNotMatch(stdout, /of \/.*extensions\/index\.ts/);
});

test("where pi renamed /agy, its interface says once who else has it and what to type", async (t) => {
	// The wrong setting shows when the warnings of a start have been given.
	const { pi } = agyHome(t, quiet, { env: { AGY_MODE: "yolo" } });
	for (const [extensions, ours, rivals] of [
		[[RIVAL, EXTENSION], "agy:2", "agy:1"],
		[[EXTENSION, RIVAL], "agy:1", "agy:2"],
		[[EXTENSION], "agy", undefined],
	] as const) {
		const rpc = new PiRpc(pi, [...only(...extensions), ...MODEL]);
		const isNotice = (event: PiEvent) => event.type === "extension_ui_request" && event.method === "notify";
		await rpc.next((event) => isNotice(event) && String(event.message).includes("setting is wrong"), 0);
		await rpc.request({ type: "prompt", message: `/${ours} mode` });
		const notices = rpc.events.filter(isNotice);
		const told = notices.map(({ message }) => String(message)).filter((text) => text.startsWith("/agy is also"));
		assert.equal(told.length, rivals === undefined ? 0 : 1);
		if (rivals === undefined) continue;
		assert.match(told[0] ?? "", new RegExp(`^/agy is also a command of \\S+/agy-rival\\.ts \\(/${rivals}\\)`));
		assert.match(told[0] ?? "", new RegExp(`Type \`/${ours} doctor\``));
	}
});

test("two copies of this package keep pi from starting, in the words that the README explains", async (t) => {
	const { pi } = agyHome(t, quiet);
	const copy = join(pi.agentDir, "copy.ts");
	writeFileSync(copy, `export { default } from ${JSON.stringify(EXTENSION)};\n`);
	const { stderr, code } = await runPi(pi, [...only(EXTENSION, copy), ...MODEL, "-p", "hello"]);
	assert.equal(code, 1);
	const [words = ""] = /Tool "agy_step" conflicts with/.exec(stderr) ?? [];
	assert.ok(words !== "" && README.includes(words), stderr);
});
