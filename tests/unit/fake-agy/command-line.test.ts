import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fakeHome } from "../../support/scenario.ts";
import { runAgy } from "./run-agy.ts";

const hello = { steps: [{ think: "Hm." }, { say: ["Hel", "lo."] }] };

describe("output formats", { concurrency: 2 }, () => {
	test("stream-json: init, a line per step with the conversation id, one result", async (t) => {
		const home = fakeHome(t, hello);
		const run = await runAgy(home, ["--model=gemini-3.8-flash-low", "--output-format=stream-json", "--print=hi"]);
		assert.equal(run.code, 0);
		const [init, ...rest] = run.events;
		assert.equal(init?.event, "init");
		assert.equal(init?.init?.model, "Gemini 3.8 Flash (Low)");
		assert.equal(init?.init?.permission_mode, "request-review");
		const id = init?.conversation_id;
		const steps = rest.flatMap((event) => event.step_update ?? []);
		assert.ok(steps.every((step) => step.conversation_id === id));
		assert.deepEqual(
			steps.map((step) => [step.step_index, step.step_type, step.state, step.text_delta]),
			[
				[0, "user_input", "DONE", undefined],
				[1, "agent_response", "ACTIVE", "Hel"],
				[1, "agent_response", "ACTIVE", "lo."],
				[1, "agent_response", "DONE", "\n"],
			],
		);
		assert.equal(run.events.filter((event) => event.event === "result").length, 1);
		assert.equal(run.result?.response, "Hello.\n");
		assert.equal(run.result?.status, "SUCCESS");
		assert.equal(run.result?.conversation_id, id);
	});

	test("json: one envelope; text: the answer alone", async (t) => {
		const home = fakeHome(t, hello);
		const json = await runAgy(home, ["--output-format", "json", "-p", "hi"]);
		assert.equal(JSON.parse(json.stdout).response, "Hello.\n");
		const text = await runAgy(home, ["-p", "hi"]);
		assert.equal(text.stdout, "Hello.\n");
	});

	test("old versions: no output formats before 1.1.8, nothing into a pipe before 1.0.15", async (t) => {
		const home = fakeHome(t, hello);
		const old = await runAgy(home, ["--output-format", "json", "-p", "hi"], { FAKE_AGY_VERSION: "1.1.7" });
		assert.equal(old.code, 2);
		assert.match(old.stderr, /not defined: -output-format[\s\S]*Usage of agy/);
		const mute = await runAgy(home, ["-p", "hi"], { FAKE_AGY_VERSION: "1.0.14" }, "");
		assert.deepEqual([mute.code, mute.stdout], [0, ""]);
	});

	test("a selection that is refused prints a result and nothing else", async (t) => {
		const home = fakeHome(t, hello);
		const run = await runAgy(home, ["--model=nope", "--output-format=stream-json", "--print=hi"]);
		assert.equal(run.code, 1);
		assert.match(run.stderr, /^error: invalid model selection \(--model "nope" --effort ""\)[\s\S]*Available models:/);
		assert.deepEqual(
			run.events.map(({ event }) => event),
			["result"],
		);
		assert.deepEqual([run.result?.status, run.result?.conversation_id], ["ERROR", ""]);
	});
});

describe("prompts", { concurrency: 2 }, () => {
	test("by flag, by stdin, and as stream-json: each reaches the record as it came", async (t) => {
		const home = fakeHome(t, { steps: [{ say: "<{{prompt}}>" }] });
		await runAgy(home, ['--print=-dash "quoted" 🎉']);
		await runAgy(home, [], {}, "from\nstdin");
		const lines = [
			{ event: "user", message: { content: "one" } },
			{ event: "user", message: { content: [{ type: "text", text: "two" }] } },
		];
		const args = ["--input-format=stream-json", "--output-format=stream-json"];
		const stream = await runAgy(home, args, {}, lines.map((line) => JSON.stringify(line)).join("\n"));
		assert.deepEqual(
			home.invocations().map(({ prompt, promptVia, stdin }) => [prompt, promptVia, stdin]),
			[
				['-dash "quoted" 🎉', "flag", "null"],
				["from\nstdin", "stdin", "pipe"],
				["one", "stream-json", "pipe"],
				["two", "stream-json", "pipe"],
			],
		);
		const results = stream.events.filter((event) => event.event === "result");
		assert.deepEqual(
			results.map(({ result }) => [result?.response, result?.num_turns]),
			[
				["<one>\n", 1],
				["<two>\n", 2],
			],
		);
	});

	test("none, and an empty one, are errors", async (t) => {
		const home = fakeHome(t, hello);
		const none = await runAgy(home, []);
		assert.deepEqual([none.code, none.stderr.includes("could not open TTY")], [1, true]);
		const empty = await runAgy(home, ["--print="]);
		assert.deepEqual([empty.code, empty.stderr], [1, "error: empty prompt\n"]);
	});

	test("malformed stream input ends with an error, an unknown event only with a warning", async (t) => {
		const home = fakeHome(t, hello);
		const args = ["--input-format=stream-json", "--output-format=stream-json"];
		const malformed = await runAgy(home, args, {}, "{nope\n");
		assert.deepEqual([malformed.code, malformed.events.map(({ event }) => event)], [1, ["init", "result"]]);
		const unknown = await runAgy(home, args, {}, '{"event":"nothing"}\n');
		assert.deepEqual([unknown.code, unknown.events.map(({ event }) => event)], [0, ["init"]]);
		assert.match(unknown.stderr, /unknown event "nothing"/);
	});

	test("25,000 bytes are dropped in silence, and the conversation is dead from then on", async (t) => {
		const home = fakeHome(t, hello);
		const long = await runAgy(home, ["--output-format=json", `--print=${"x".repeat(25_000)}`]);
		const { status, response, usage, conversation_id: id } = JSON.parse(long.stdout);
		assert.deepEqual([status, response, usage.total_tokens], ["SUCCESS", "", 0]);
		const after = await runAgy(home, ["--output-format=json", `--conversation=${id}`, "--print=hi"]);
		assert.equal(JSON.parse(after.stdout).response, "");
		const shorter = await runAgy(home, ["--output-format=json", `--print=${"x".repeat(24_999)}`]);
		assert.equal(JSON.parse(shorter.stdout).response, "Hello.\n");
	});

	test("@file adds the file, !command runs it, unless slash commands are off", async (t) => {
		const home = fakeHome(t, { steps: [{ say: "Read." }] });
		writeFileSync(join(home.cwd, "notes.txt"), "the notes");
		const commands = async (args: string[]) => {
			const run = await runAgy(home, ["--dangerously-skip-permissions", "--output-format=stream-json", ...args]);
			return run.events.flatMap((event) =>
				event.step_update?.tool_name === undefined ? [] : [event.step_update.tool_name],
			);
		};
		assert.deepEqual(await commands(["--print=!ls"]), ["run_command", "run_command"]);
		assert.deepEqual(await commands(["--disable-slash-commands", "--print=!ls"]), []);
		assert.deepEqual(await commands(["--print=see @notes.txt"]), []);
	});
});

describe("subcommands and answers without a turn", { concurrency: 2 }, () => {
	test("--version prints the bare version", async (t) => {
		const run = await runAgy(fakeHome(t, hello, "1.2.10"), ["--version"]);
		assert.deepEqual([run.code, run.stdout], [0, "1.2.10\n"]);
	});

	test("models: the format flag goes before the subcommand", async (t) => {
		const home = fakeHome(t, hello);
		const json = await runAgy(home, ["--output-format", "json", "models"]);
		assert.deepEqual(JSON.parse(json.stdout).command.data.models[0], {
			id: "gemini-3.8-flash-high",
			label: "Gemini 3.8 Flash (High)",
		});
		const wrong = await runAgy(home, ["models", "--output-format", "json"]);
		assert.deepEqual([wrong.code, wrong.stderr.split("\n")[0]], [2, "flags provided but not defined: -output-format"]);
		const signedOut = await runAgy(home, ["models"], { FAKE_AGY_SCENARIO: "signed-out" });
		assert.deepEqual([signedOut.code, signedOut.stdout], [1, ""]);
		assert.match(signedOut.stderr, /^Error: Please sign in to view available models\./);
	});

	test("/usage answers with both pools and makes no conversation", async (t) => {
		const home = fakeHome(t, hello);
		const run = await runAgy(home, ["-p", "/usage", "--output-format", "json"]);
		const answer = JSON.parse(run.stdout);
		assert.deepEqual([answer.conversation_id, answer.num_turns, answer.command.name], ["", 0, "usage"]);
		assert.deepEqual(
			answer.command.data.groups.map((group: { buckets: { window: string }[] }) => group.buckets.map((b) => b.window)),
			[
				["weekly", "5h"],
				["weekly", "5h"],
			],
		);
		assert.equal(home.invocations()[0]?.conversation, null);
	});

	test("unknown flags, stray arguments and bare numbers for a duration: usage and exit code 2", async (t) => {
		const home = fakeHome(t, hello);
		for (const args of [["--made-up"], ["-p", "hi", "stray"], ["--print-timeout=90", "--print=hi"], ["-p"]]) {
			const run = await runAgy(home, args);
			assert.equal(run.code, 2, args.join(" "));
			assert.match(run.stderr, /Usage of agy:/);
		}
		const old = await runAgy(home, ["-p", "hi", "stray"], { FAKE_AGY_VERSION: "1.1.17" });
		assert.equal(old.code, 0);
	});
});

test("the record holds what could steer agy, and only the names of other variables", async (t) => {
	const home = fakeHome(t, hello);
	const env = { AGY_CLI_DISABLE_AUTO_UPDATE: "true", PI_SECRET: "p", OPENAI_API_KEY: "secret" };
	await runAgy(home, ["--add-dir=/abs", "--add-dir=relative", "--print=hi"], env);
	const [record] = home.invocations();
	assert.deepEqual(record?.argv, ["--add-dir=/abs", "--add-dir=relative", "--print=hi"]);
	assert.equal(record?.env.AGY_CLI_DISABLE_AUTO_UPDATE, "true");
	assert.equal(record?.env.PI_SECRET, "p");
	assert.ok(record?.otherEnv.includes("OPENAI_API_KEY"));
	assert.ok(!JSON.stringify(record).includes('"secret"'));
	assert.match(record?.conversation ?? "", /^[0-9a-f-]{36}$/);
});

test("a mistake in a scenario is the stand-in's own failure, never an answer", async (t) => {
	for (const steps of [[{ sai: "typo" }], [{ repeat: { times: 1, steps: [{ sai: "typo" }] } }]]) {
		const home = fakeHome(t);
		writeFileSync(join(home.dir, "typo.json"), JSON.stringify({ steps }));
		home.play(join(home.dir, "typo.json"));
		const run = await runAgy(home, ["--print=hi"]);
		assert.equal(run.code, 70);
		assert.match(run.stderr, /^the stand-in itself failed: .*not (one|a step) the stand-in knows/);
	}
});
