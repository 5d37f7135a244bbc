import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { systemProcesses } from "../../src/run/process/process-table.ts";
import { type PiEvent, PiRpc, PiScreen, runPi, skipWithoutTmux } from "../support/pi.ts";
import { ask, askHome, OTHER_TOOL, resultsIn, script } from "./ask-home.ts";

/** A zombie that nobody reaps does not count. */
async function isAlive(pid: number | undefined): Promise<boolean> {
	return pid === undefined || (await systemProcesses().startTime(pid)) !== undefined;
}

test("a delegation reports its answer, its work and its usage to the model that asked", async (t) => {
	const home = askHome(t, "showcase");
	const rpc = new PiRpc(home.pi, home.args());
	const events = await rpc.prompt(script([ask("fix it", { model: "flash high" })]));
	const [result] = resultsIn(events);
	assert.equal(result?.isError, false);
	assert.match(result?.text ?? "", /^`sum` adds now, and the test passes\./);
	assert.match(result?.text ?? "", /Files changed:\n- src\/sum\.js \+1 -1\n- CHANGELOG\.md \(created\) \+3/);
	assert.match(result?.text ?? "", /Commands run:\n- npm test \(exit 0\)/);
	assert.match(result?.text ?? "", /\[gemini-3\.8-flash high · accept-edits · .* · conversationId [\w-]+\]$/);
	assert.equal(result?.details?.outcome, "answered");
	assert.ok((result?.usage?.input ?? 0) > 0 && (result?.usage?.output ?? 0) > 0);
	assert.ok(events.some((event) => event.type === "tool_execution_update"));
	const [run] = home.runs();
	assert.deepEqual([run?.conversation, run?.prompt], [result?.details?.conversationId, "fix it"]);
	const { tokens } = (await rpc.request({ type: "get_session_stats" })) as { tokens: { input: number } };
	assert.ok(tokens.input >= (result?.usage?.input ?? 0), "pi's totals count what agy used");
});

test("it works in print mode, and agy is gone with pi", async (t) => {
	const home = askHome(t, "edit");
	const { stdout, code } = await runPi(home.pi, home.args("-p", script([ask("fix it")])));
	assert.deepEqual([stdout.trim(), code], ["All done.", 0]);
	assert.equal(await isAlive(home.runs()[0]?.pid), false);
});

test("it can be called from a codemode script", async (t) => {
	const home = askHome(t, { steps: [{ say: "From the script." }] }, { before: ["builtin:codemode"] });
	const code = 'return await tools.AskAntigravity({ prompt: "look" });';
	const { stdout } = await runPi(
		home.pi,
		home.args("--tools", "codemode,AskAntigravity", "--mode", "json", script([{ name: "codemode", args: { code } }])),
	);
	const [result] = resultsIn(stdout.split("\n").flatMap((line): PiEvent[] => (line === "" ? [] : [JSON.parse(line)])));
	assert.match(result?.text ?? "", /From the script\./);
});

test("pi's prompt mentions it in few words", async (t) => {
	const home = askHome(t, "edit");
	const log = join(home.pi.dir, "caller.log");
	const pi = { ...home.pi, env: { ...home.pi.env, CALLER_LOG: log } };
	await runPi(pi, home.args("-p", "[]"));
	assert.match(readFileSync(log, "utf8"), /- AskAntigravity: Hand a self-contained task to Google's Antigravity agent/);
});

describe("a conversation", () => {
	test("is continued by its id, with its model, and a new one without", async (t) => {
		const home = askHome(t, { turns: [[{ say: "First." }], [{ say: "Second." }]] });
		const { results } = await home.play(
			[ask("one", { model: "flash low" })],
			[ask("two", { conversationId: "{{conversation}}" })],
			[ask("three")],
		);
		assert.match(results[1]?.text ?? "", /^Second\.\n\n\[gemini-3\.8-flash low/);
		const [first, second, third] = home.runs();
		assert.deepEqual([second?.conversation, second?.resumed], [first?.conversation, true]);
		assert.notEqual(third?.conversation, first?.conversation);
	});

	test("of the session's own turns cannot be continued", async (t) => {
		const home = askHome(t, { turns: [[{ say: "A turn." }]] });
		const rpc = new PiRpc(home.pi, home.args());
		await rpc.request({ type: "set_model", provider: "antigravity", modelId: "gemini-3.8-flash" });
		await rpc.prompt("hello");
		const own = home.runs()[0]?.conversation;
		assert.ok(own);
		await rpc.request({ type: "set_model", provider: "faux", modelId: "caller" });
		const [result] = resultsIn(await rpc.prompt(script([ask("two", { conversationId: own })])));
		assert.deepEqual([result?.isError, home.runs().length], [true, 1]);
		assert.match(result?.text ?? "", /No earlier delegation has the conversation/);
	});

	test("cannot be continued by its id any more once a session uses it", async (t) => {
		const home = askHome(t, { turns: [[{ say: "Delegated." }]] });
		const rpc = new PiRpc(home.pi, home.args());
		await rpc.prompt(script([ask("one")]));
		await rpc.request({ type: "prompt", message: `/agy conversation use ${home.runs()[0]?.conversation}` });
		const [result] = resultsIn(await rpc.prompt(script([ask("two", { conversationId: "{{conversation}}" })])));
		assert.match(result?.text ?? "", /No earlier delegation has the conversation/);
	});
});

describe("a failure", () => {
	test("is told with its remedy and the work that was done before it", async (t) => {
		const message = "Individual quota reached. Resets in 3h38m47s.";
		const home = askHome(t, {
			steps: [
				{ run: { command: "npm test", output: ["ok\n"] } },
				{ error: { message, status: "RESOURCE_EXHAUSTED", code: 429, retryable: false } },
			],
		});
		const [result] = (await home.play([ask("look")])).results;
		assert.deepEqual([result?.isError, result?.details?.outcome], [true, "failed"]);
		assert.match(result?.text ?? "", /^The Antigravity quota .*is used up; resets in 3 h 3\d min .*another pool/);
		assert.match(result?.text ?? "", /Commands run:\n- npm test \(exit 0\)/);
	});

	test("of a permission names what was not allowed", async (t) => {
		const home = askHome(t, "permission-denied", { env: { AGY_SKIP_PERMISSIONS: "0" } });
		const { results } = await home.play([ask("clean up")]);
		assert.match(results[0]?.text ?? "", /Not allowed:\n- agy had no permission to run rm -rf build\./);
		assert.equal(home.runs()[0]?.argv.includes("--dangerously-skip-permissions"), false);
	});
});

describe("agy is not started", () => {
	test("for an unknown model or a directory that is not there", async (t) => {
		const home = askHome(t, "edit");
		const { results } = await home.play([
			ask("a", { model: "flash 9" }),
			ask("b", { cwd: "/no/such/place" }),
			ask("c", { model: "gemini-9.9-flash" }),
		]);
		assert.deepEqual(
			results.map(({ isError }) => isError),
			[true, true, true],
		);
		assert.match(
			results[0]?.text ?? "",
			/agy does not know the model flash 9\. (Did you mean .+\? )?Choose one of: .*claude/,
		);
		assert.match(results[1]?.text ?? "", /\/no\/such\/place does not exist/);
		assert.match(results[2]?.text ?? "", /agy does not know the model gemini-9\.9-flash\./);
		assert.deepEqual(home.runs(), []);
	});

	test("by a pi that agy has started", async (t) => {
		const home = askHome(t, "edit", { env: { PI_ANTIGRAVITY_RUN: "7:b.1:r-1" } });
		const { results } = await home.play([ask("look")]);
		assert.match(results[0]?.text ?? "", /started by agy/);
		assert.deepEqual(home.runs(), []);
	});
});

test("the setting turns it off", async (t) => {
	const home = askHome(t, "edit", { env: { AGY_ASK_ANTIGRAVITY: "off" } });
	const { results } = await home.play([ask("look")]);
	assert.match(results[0]?.text ?? "", /AskAntigravity not found/);
});

test("the setting counts from the next turn on", async (t) => {
	const home = askHome(t, { steps: [{ say: "Looked." }] });
	const file = join(home.pi.agentDir, "antigravity", "config.json");
	mkdirSync(dirname(file), { recursive: true });
	const rpc = new PiRpc(home.pi, home.args());
	const outcome = async (askAntigravity: boolean) => {
		writeFileSync(file, JSON.stringify({ askAntigravity }));
		return resultsIn(await rpc.prompt(script([ask("look")])))[0]?.text.split("\n")[0];
	};
	const notFound = "Tool AskAntigravity not found";
	const outcomes = [];
	for (const on of [false, true, false, true]) outcomes.push(await outcome(on));
	assert.deepEqual(outcomes, [notFound, "Looked.", notFound, "Looked."]);
});

for (const order of ["before", "after"] as const) {
	test(`it steps back for another extension's tool, loaded ${order} ours, with one warning`, async (t) => {
		const home = askHome(t, "edit", { [order]: [OTHER_TOOL] });
		const rpc = new PiRpc(home.pi, home.args());
		const [result] = resultsIn(await rpc.prompt(script([ask("look")])));
		assert.equal(result?.text, "the other one");
		const warnings = rpc.events.filter(
			(event) => event.type === "extension_ui_request" && event.method === "notify" && event.notifyType === "warning",
		);
		assert.equal(warnings.length, 1);
		assert.match(JSON.stringify(warnings[0]), /ask-other-tool\.ts already offers AskAntigravity/);
	});
}

describe("on the screen", async () => {
	const skip = await skipWithoutTmux();

	test("what agy may do is asked first; the card is folded, and expands to agy's steps with their diffs", {
		skip,
	}, async (t) => {
		const home = askHome(t, "showcase");
		const screen = await PiScreen.open(home.pi, home.args(), { columns: 100, rows: 70 });
		await screen.shows(/caller/);
		await screen.submit(script([ask("left alone")]));
		const question = /What may it do on this machine without asking\?/;
		await screen.shows(question);
		await screen.press("Escape");
		await screen.shows(/The user has not said yet what agy may do[\s\S]*All done\./);
		await screen.submit(script([ask("fix it")]));
		await screen.shows(question);
		assert.deepEqual(home.runs(), []);
		await screen.press("Enter");
		const folded = await screen.shows(/All done\.[\s\S]*All done\./);
		assert.match(folded, /AskAntigravity\s+fix it/);
		assert.match(folded, /gemini-3\.8-flash medium · accept-edits · \d+ s/);
		assert.match(folded, /2 files changed \+4 -1 · 1 command run/);
		await screen.press("C-o");
		const expanded = await screen.shows(/✓ edit src\/sum\.js/);
		assert.match(expanded, /return a \+ b;/);
		assert.ok(existsSync(home.agy.conversations));
	});
});
