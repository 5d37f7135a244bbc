import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { only, PiRpc, PiScreen, parseEvents, piHome, runPi, skipWithoutTmux } from "../support/pi.ts";
import { FAKE_AGY } from "../support/scenario.ts";

const EXTENSION = fileURLToPath(new URL("../../extensions/index.ts", import.meta.url));
const MODEL = ["--model", "antigravity/gemini-3.8-flash"];
const noTmux = await skipWithoutTmux();

function home(t: TestContext, env: Record<string, string> = {}) {
	return piHome(t, { env: { AGY_BIN: FAKE_AGY, FAKE_AGY_NODE: process.execPath, ...env } });
}

function withoutAgy(t: TestContext) {
	return piHome(t);
}

const settingsOf = (agentDir: string): unknown =>
	JSON.parse(readFileSync(join(agentDir, "antigravity", "config.json"), "utf8"));

test("pi -p prints what /agy has to say on stdout, and nothing else", async (t) => {
	const { stdout, stderr, code } = await runPi(home(t), [...only(EXTENSION), ...MODEL, "-p", "/agy status"]);
	assert.match(stdout, /^agy {11}1\.3\.3 .*\npi {12}1\.6\.0\n/);
	assert.deepEqual([stderr, code], ["", 0]);
});

test("pi -p: a change is saved and counts for the next pi", async (t) => {
	const pi = home(t);
	const { stdout } = await runPi(pi, [...only(EXTENSION), "-p", "/agy mode plan"]);
	assert.equal(stdout, "mode is now plan. This takes effect on the next turn.\n");
	assert.deepEqual(settingsOf(pi.agentDir), { mode: "plan" });
	const shown = await runPi(pi, [...only(EXTENSION), "-p", "/agy mode"]);
	assert.match(shown.stdout, /^mode is plan \(from: file\)/);
});

test("pi -p: quota and doctor ask agy, and an unknown word gets a suggestion", async (t) => {
	const pi = home(t);
	const { stdout } = await runPi(pi, [...only(EXTENSION), "-p", "/agy quota", "/agy doctor", "/agy stauts"]);
	assert.match(stdout, /^Gemini Models\n {2}weekly +[█░]{20} .* left, resets /);
	assert.match(stdout, /✓ sign-in: agy is signed in\n/);
	assert.match(stdout, /Did you mean \/agy status\?\n$/);
});

test("JSON mode: the reply is an entry of the session that no model sees", async (t) => {
	const { stdout } = await runPi(home(t), [...only(EXTENSION), "--mode", "json", "/agy display off"]);
	const [entry] = parseEvents(stdout).filter((event) => event.type === "entry_appended");
	assert.deepEqual((entry?.entry as { data: unknown } | undefined)?.data, {
		level: "info",
		lines: ["display is now off. This takes effect on the next turn."],
	});
});

test("RPC mode: the reply is a notification", async (t) => {
	const rpc = new PiRpc(home(t), only(EXTENSION));
	const { disposition } = await rpc.request({ type: "prompt", message: "/agy permissions deny" });
	assert.equal(disposition, "handled");
	const notice = await rpc.next((event) => event.type === "extension_ui_request" && event.method === "notify", 0);
	assert.equal(notice.message, "permissions is now deny. This takes effect on the next turn.");
});

test("without agy everything answers, says what is missing, and shows no stack trace", async (t) => {
	const pi = withoutAgy(t);
	const commands = ["status", "doctor", "models refresh", "quota", "conversation", "logs", "help"];
	const { stdout, stderr, code } = await runPi(pi, [...only(EXTENSION), "-p", ...commands.map((c) => `/agy ${c}`)]);
	assert.match(stdout, /^agy +not found/);
	assert.match(stdout, /✗ agy: not found\n {4}→ Install Google's Antigravity CLI/);
	assert.match(stdout, /\nagy was not found \(looked in \d+ places; `\/agy doctor --verbose` lists them\)\. Install/);
	assert.doesNotMatch(stdout, /\n\s+at |undefined|\[object/);
	assert.deepEqual([stderr, code], ["", 0]);
});

test("a signed-out agy is told with what to do, and the built-in models stay", async (t) => {
	for (const scenario of ["signed-out", "sign-in-prompt"]) {
		const pi = home(t, { FAKE_AGY_SCENARIO: scenario });
		const { stdout, stderr } = await runPi(pi, [
			...only(EXTENSION),
			"-p",
			"/agy models refresh",
			"/agy doctor",
			"/agy quota",
		]);
		assert.match(stdout, /^agy is not signed in\. Run `agy` .*\nThe list stays as it was:\n7 models, built in/);
		assert.match(stdout, /✗ sign-in: agy is not signed in\./);
		assert.match(stdout, /agy is not signed in\. Run `agy` in a terminal once and sign in\.\n$/);
		assert.equal(stderr, "");
	}
});

test("an agy too old for /usage is told in one line", async (t) => {
	const { stdout } = await runPi(home(t, { FAKE_AGY_VERSION: "1.1.8" }), [...only(EXTENSION), "-p", "/agy quota"]);
	assert.equal(stdout, "This needs agy 1.1.11 or later; 1.1.8 is installed. Run `agy update`.\n");
});

test("a settings file that is broken stops nothing, and the doctor names what is wrong", async (t) => {
	const pi = home(t);
	mkdirSync(join(pi.agentDir, "antigravity"));
	writeFileSync(join(pi.agentDir, "antigravity", "config.json"), '{"mode":"yolo","display":"off"}');
	const { stdout } = await runPi(pi, [...only(EXTENSION), "-p", "/agy status", "/agy doctor"]);
	assert.match(stdout, /mode +accept-edits\n/);
	assert.match(stdout, /display +off\n/);
	assert.match(stdout, /! settings: mode: /);
	const screen = new PiRpc(pi, [...only(EXTENSION), ...MODEL]);
	const told = await screen.next((event) => event.method === "notify", 0);
	assert.match(
		String(told.message),
		/An antigravity setting is wrong: mode: must be accept-edits or plan, but is "yolo"; accept-edits is used \(\/.*config\.json\)\.$/,
	);
});

test("the screen: /agy opens the settings, and a change there is saved", { skip: noTmux }, async (t) => {
	const pi = home(t);
	const screen = await PiScreen.open(pi, [...only(EXTENSION), ...MODEL]);
	await screen.shows(/gemini-3\.8-flash/);
	await screen.submit("/agy");
	await screen.shows(/Antigravity settings[\s\S]*permissions/);
	await screen.shows(/→ mode/);
	await screen.press("Enter");
	await screen.shows(/mode +plan/);
	await screen.press("Escape");
	await screen.shows(/^(?![\s\S]*Antigravity settings)/);
	await screen.submit("/agy mode");
	await screen.shows(/mode is plan \(from: file\)/);
});

test("pi -p: the log is told in words, one line an entry", async (t) => {
	const pi = home(t);
	await runPi(pi, [...only(EXTENSION), ...MODEL, "-p", "hello"]);
	const { stdout } = await runPi(pi, [...only(EXTENSION), "-p", "/agy logs"]);
	const time = "\\d\\d:\\d\\d:\\d\\d";
	assert.match(stdout, new RegExp(`^${time} {12}conversation chosen: fresh\\n`));
	assert.match(
		stdout,
		new RegExp(`\\n${time}  ([\\da-f]{8})  run start: agy 1\\.3\\.3, model gemini-3\\.8-flash-medium\\n`),
	);
	assert.match(
		stdout,
		/run end: answered, conversation [\da-f]{8}, after \d+ m?s\nAll of it: ~\/agent\/antigravity\/logs\/agy-/,
	);
	assert.doesNotMatch(stdout, /[{}"]/);
});

test("the screen: a completed sub-command is ready for its argument", { skip: noTmux }, async (t) => {
	const screen = await PiScreen.open(home(t), [...only(EXTENSION), ...MODEL]);
	await screen.shows(/gemini-3\.8-flash/);
	await screen.type("/agy disp");
	await screen.shows(/→ display +\[cards\|inline\|off\] {2}Show or set/);
	await screen.press("Tab");
	await screen.shows(/\/agy display\s+─/);
	await screen.type("i");
	await screen.shows(/\/agy display i\s[\s\S]*→ inline +each tool as a line/);
});

test("the screen: a report stands in the transcript", { skip: noTmux }, async (t) => {
	const screen = await PiScreen.open(home(t), [...only(EXTENSION), ...MODEL]);
	await screen.shows(/gemini-3\.8-flash/);
	await screen.submit("/agy status");
	await screen.shows(/permissions +skip[\s\S]*conversation +none; the next turn starts one/);
});

test("the screen: the first turn asks once what agy may do; the other modes never ask", { skip: noTmux }, async (t) => {
	const pi = home(t);
	await runPi(pi, [...only(EXTENSION), ...MODEL, "-p", "hello"]);
	assert.equal(existsSync(join(pi.agentDir, "antigravity", "config.json")), false);
	const screen = await PiScreen.open(pi, [...only(EXTENSION), ...MODEL]);
	await screen.shows(/gemini-3\.8-flash/);
	const question = /without asking\?[\s\S]*Skip the questions[\s\S]*Deny: agy refuses/;
	await screen.submit("left alone");
	await screen.shows(question);
	await screen.press("Escape");
	await screen.shows(/^(?=[\s\S]*agy was not started)[\s\S]*left alone[\s\S]*aborted/i);
	await screen.submit("hello there");
	await screen.shows(question);
	await screen.press("Down");
	await screen.press("Enter");
	await screen.shows(/You asked:\s+│ left alone\s+hello there\s+With the real/);
	assert.deepEqual(settingsOf(pi.agentDir), { permissions: "deny" });
	await screen.submit("and again");
	await screen.shows(/You asked:\s+│ and again/);
});
