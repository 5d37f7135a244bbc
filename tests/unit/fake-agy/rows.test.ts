import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { DDL } from "../../fake-agy/database.ts";
import { decode, encode, type Plain, unknownFields } from "../../support/agy-proto.ts";
import { type FakeHome, fakeHome, type Scenario } from "../../support/scenario.ts";
import { commitLog, runAgy, startAgy } from "./run-agy.ts";

const OLD = "1.1.10";
const SKIP = "--dangerously-skip-permissions";

test("the database is agy's: tables, user_version, WAL, and a WAL that is left behind", async (t) => {
	const home = fakeHome(t, { steps: [{ say: "Hi." }] });
	await runAgy(home, ["--print=hi"]);
	const file = databaseOf(home);
	assert.ok(statSync(`${file}-wal`).size > 0);
	assert.ok(existsSync(`${file}-shm`));
	const db = new DatabaseSync(file, { readOnly: true });
	const schema = db.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").all();
	assert.deepEqual(schema.map(({ sql }) => sql).sort(), DDL.toSorted());
	assert.equal(db.prepare("PRAGMA user_version").get()?.user_version, 1);
	assert.equal(db.prepare("PRAGMA journal_mode").get()?.journal_mode, "wal");
	db.close();
});

test("commit by commit: thinking, text, calls, the tool's row, DONE, the tool, the generation, the execution", async (t) => {
	const home = fakeHome(t, {
		steps: [
			{ think: "Hm." },
			{ say: ["Run", " it."] },
			{ run: { command: "ls", output: ["a\n", "b\n"] } },
			{ say: "Done." },
		],
	});
	const commits = await commitsOf(home, OLD);
	assert.deepEqual(commits, [
		"trajectory_meta",
		"trajectory_metadata_blob",
		"0: 14 in 3",
		...["1: 98 in 1", "1: 98 in 2", "1: 98 in 3"],
		...["2: 90 in 1", "2: 90 in 2", "2: 90 in 3"],
		...["3: 15 in 8", "3: 15 in 8", "3: 15 in 8", "3: 15 in 8"],
		"4: 21 in 1",
		"3: 15 in 3",
		...["4: 21 in 2", "4: 21 in 2", "4: 21 in 3"],
		"gen_metadata 0",
		...["5: 15 in 8", "5: 15 in 3"],
		...["gen_metadata 0", "gen_metadata 1"],
		"executor_metadata 0",
	]);
});

test("from 1.1.18 on a row is there before its payload", async (t) => {
	const home = fakeHome(t, { steps: [{ say: "Hi." }] });
	const args = { FAKE_AGY_COMMIT_LOG: join(home.dir, "commits"), FAKE_AGY_VERSION: "1.1.18" };
	await runAgy(home, ["--print=hi"], args);
	const planner = commitLog(join(home.dir, "commits")).filter((commit) => commit.type === 15);
	assert.deepEqual(
		planner.map(({ status }) => status),
		[8, 8, 3],
	);
	assert.equal(planner[0]?.bytes, 0);
	assert.ok((planner[1]?.bytes ?? 0) > 0);
});

test("while the planner row is GENERATING it has text but no usage; a reader sees each version", async (t) => {
	const home = fakeHome(t);
	const [first, second] = [home.gate("thought"), home.gate("said")];
	home.play({
		steps: [{ think: "Hm." }, { waitFor: first.file }, { say: "Hel" }, { waitFor: second.file }, { say: "lo." }],
	});
	const agy = startAgy(home, ["--print=hi"], { FAKE_AGY_VERSION: OLD });
	await first.reached();
	const db = new DatabaseSync(databaseOf(home), { readOnly: true });
	const planner = () =>
		decodeStep(db.prepare("SELECT step_payload FROM steps WHERE step_type = 15").get()?.step_payload);
	assert.deepEqual(pick(planner().plannerResponse, "thinking", "response"), { thinking: "Hm.", response: undefined });
	first.open();
	await second.reached();
	const growing = planner();
	assert.deepEqual(pick(growing.plannerResponse, "response", "modifiedResponse"), {
		response: "Hel",
		modifiedResponse: "Hel",
	});
	assert.deepEqual(pick(growing, "status"), { status: 8 });
	assert.deepEqual(pick(growing.metadata, "modelUsage", "completedAt"), {
		modelUsage: undefined,
		completedAt: undefined,
	});
	second.open();
	await agy.done;
	const done = planner();
	assert.deepEqual(pick(done.plannerResponse, "response", "stopReason"), { response: "Hello.", stopReason: 2 });
	const { inputTokens, outputTokens, thinkingOutputTokens, responseOutputTokens } = plain(
		plain(done.metadata).modelUsage,
	);
	assert.equal(Number(outputTokens), Number(thinkingOutputTokens) + Number(responseOutputTokens));
	assert.equal(inputTokens, 1200n);
	db.close();
});

test("the columns beside the payload repeat its fields", async (t) => {
	const home = fakeHome(t, {
		steps: [
			{ run: { command: "ls", permission: true } },
			{ run: { command: "no", error: "not there" } },
			{ run: { command: "slow", background: "slow" } },
			{ finish: "slow" },
		],
	});
	await runAgy(home, [SKIP, "--print=hi"]);
	const rows = rowsOf(home);
	for (const row of rows) assert.deepEqual(row.metadata, encode("CortexStepMetadata", plain(row.step.metadata)));
	const has = (column: keyof (typeof rows)[number]) => rows.filter((row) => row[column] !== null).map(({ idx }) => idx);
	assert.deepEqual([has("permissions"), has("error_details"), has("task_details")], [[2], [4], [6]]);
	assert.deepEqual(rows[2]?.permissions, encode("TrajectoryPermissions", plain(rows[2]?.step.permissions)));
	assert.deepEqual(rows[4]?.error_details, encode("CortexErrorDetails", plain(rows[4]?.step.error)));
	assert.deepEqual(rows[6]?.task_details, encode("TaskDetails", plain(rows[6]?.step.taskDetails)));
	assert.deepEqual(
		rows[6]?.render_info,
		encode("StepRenderInfo", plain(plain(plain(rows[6]?.step.generic).result).stepRenderInfo)),
	);
});

test("the newest generation carries the whole prompt, older ones lose it", async (t) => {
	const home = fakeHome(t, { database: { promptBytes: 5000 }, steps: [{ run: { command: "ls" } }, { say: "Done." }] });
	await runAgy(home, [SKIP, "--print=hi"]);
	const db = new DatabaseSync(databaseOf(home), { readOnly: true });
	const sizes = db.prepare("SELECT size, length(data) AS length FROM gen_metadata ORDER BY idx").all();
	assert.equal(sizes.length, 2);
	for (const { size, length } of sizes) assert.equal(size, length);
	assert.ok(Number(sizes[0]?.size) < 1000 && Number(sizes[1]?.size) > 5000);
	const data = db.prepare("SELECT data FROM executor_metadata").get()?.data;
	assert.ok(data instanceof Uint8Array);
	assert.deepEqual(
		pick(decode("ExecutorMetadata", data), "terminationReason", "lastStepIdx", "numGeneratorInvocations"),
		{
			terminationReason: 4,
			lastStepIdx: 3,
			numGeneratorInvocations: 2,
		},
	);
	db.close();
});

/** The tool row of each scenario that is about one: its type and field before 1.2, and what must be in it. */
const TOOLS: [scenario: string, type: number, field: string, content: Plain][] = [
	[
		"command",
		21,
		"runCommand",
		{ commandLine: "npm test", combinedOutput: { full: "> test\nok 1 - adds\nok 2 - subtracts\n" } },
	],
	["command-failed", 21, "runCommand", { exitCode: 1 }],
	["edit", 5, "codeAction", {}],
	["new-file", 5, "codeAction", { description: "Say hello" }],
	["delete", 5, "codeAction", {}],
	["view", 8, "viewFile", { content: "# Title\n\nText.\n", numLines: 4, numBytes: 15 }],
	["list", 9, "listDirectory", {}],
	["grep", 7, "grepSearch", { totalResults: 2, rawOutput: "src/a.ts:3:// TODO: one\nsrc/b.ts:14:// TODO: two" }],
	["find", 25, "find", { totalResults: 2 }],
	["mcp", 38, "mcpTool", { serverName: "tracker", resultString: "#1 First\n#2 Second" }],
	["web", 33, "searchWeb", { summary: "WAL is a journal mode." }],
	["url", 31, "readUrlContent", { url: "https://sqlite.org/wal.html" }],
	["image", 91, "generateImage", { imageName: "lighthouse" }],
	["question", 138, "askQuestion", {}],
];

describe("each tool is a row of its own before 1.2, and a GENERIC row around it since", { concurrency: 2 }, () => {
	for (const [scenario, type, field, content] of TOOLS) {
		test(scenario, async (t) => {
			const home = fakeHome(t, scenario);
			await runAgy(home, [SKIP, "--print=hi"], { FAKE_AGY_VERSION: OLD });
			const row = rowsOf(home).find(({ step }) => step[field] !== undefined);
			assert.equal(row?.step_type, type);
			assertHolds(plain(row?.step[field]), content);
			const newer = fakeHome(t, scenario);
			await runAgy(newer, [SKIP, "--print=hi"]);
			const generic = rowsOf(newer).find(({ step_type }) => step_type === 132);
			const wrapped = wrappedStep(generic?.step);
			assert.equal(wrapped.type, type);
			assertHolds(plain(wrapped[field]), content);
		});
	}
});

test("an edit's diff covers the whole file, line by line, without line ends", async (t) => {
	const home = fakeHome(t, { steps: [{ edit: { file: "a", before: "one\n\ntwo\n", after: "one\n\nTWO\nthree\n" } }] });
	await runAgy(home, [SKIP, "--print=hi"], { FAKE_AGY_VERSION: OLD });
	const action = plain(rowsOf(home).find(({ step_type }) => step_type === 5)?.step.codeAction);
	const edit = plain(plain(action.actionResult).edit);
	assert.deepEqual(plain(plain(edit.diff).unifiedDiff).lines, [
		{ text: "one", type: 3 },
		{ type: 3 },
		{ text: "two", type: 2 },
		{ text: "TWO", type: 1 },
		{ text: "three", type: 1 },
	]);
	assert.equal(edit.originalContent, "one\n\ntwo\n");
	assert.equal(edit.absoluteUri, `file://${home.cwd}/a`);
});

test("statuses of tools: permission, failure, cancellation, background", async (t) => {
	const transitions = async (scenario: Scenario | string, version: string) => {
		const home = fakeHome(t, scenario, version);
		await runAgy(home, [SKIP, "--print=hi"]);
		const tool = rowsOf(home).find(({ step }) => plain(step.metadata).toolCall !== undefined);
		const list = plain(plain(tool?.step.metadata).internalMetadata).statusTransitions;
		return (Array.isArray(list) ? list : []).map((entry) => plain(entry).updatedStatus);
	};
	assert.deepEqual(await transitions("view", OLD), [1, 2, 3]);
	assert.deepEqual(await transitions("permission-granted", OLD), [1, 9, 2, 3]);
	assert.deepEqual(await transitions("permission-granted", "1.3.3"), [1, 2, 9, 2, 3]);
	assert.deepEqual(await transitions("command-canceled", OLD), [1, 9, 2, 6]);
	assert.deepEqual(await transitions("command-error", OLD), [1, 2, 7]);
	assert.deepEqual(await transitions("hook-denied", OLD), [1, 7]);
});

test("a command in the background ends after later rows, and reports by a system message", async (t) => {
	const home = fakeHome(t, "command-background", OLD);
	const commits = await commitsOf(home, OLD);
	assert.ok(commits.indexOf("4: 21 in 3") > commits.indexOf("8: 9 in 3"));
	const message = plain(rowsOf(home).find(({ step_type }) => step_type === 101)?.step.systemMessage);
	assert.match(String(plain(message.agentMessage).sender), /\/task-1$/);
});

test("a subagent has a database of its own that names its parent", async (t) => {
	const home = fakeHome(t, "subagent", OLD);
	await runAgy(home, [SKIP, "--output-format=json", "--print=hi"]);
	const files = databasesOf(home);
	assert.equal(files.length, 2);
	const parents = files.map((file) => {
		const db = new DatabaseSync(file, { readOnly: true });
		const data = db.prepare("SELECT data FROM trajectory_metadata_blob").get()?.data;
		db.close();
		assert.ok(data instanceof Uint8Array);
		return decode("CortexTrajectoryMetadata", data).parentConversationId;
	});
	const parent = home.invocations()[0]?.conversation;
	assert.deepEqual(
		parents.filter((id) => id !== undefined),
		[parent],
	);
});

test("a rewind frees row numbers, and later rows have another trajectory", async (t) => {
	const home = fakeHome(t, "rewind", OLD);
	const first = await runAgy(home, ["--output-format=json", "--print=one"]);
	const id = JSON.parse(first.stdout).conversation_id;
	await runAgy(home, [`--conversation=${id}`, "--print=two"]);
	const rows = rowsOf(home);
	const trajectories = rows.map(({ step }) => plain(plain(step.metadata).sourceTrajectoryStepInfo).trajectoryId);
	assert.deepEqual(
		rows.map(({ idx, step_type }) => [idx, step_type]),
		[
			[0, 14],
			[1, 15],
		],
	);
	assert.notEqual(trajectories[0], trajectories[1]);
});

test("a failed generation is an empty DONE row with its reason, then an error, then another try", async (t) => {
	const home = fakeHome(t, "model-error", OLD);
	await runAgy(home, ["--print=hi"]);
	const rows = rowsOf(home).filter(({ step_type }) => step_type === 15 || step_type === 17);
	assert.deepEqual(
		rows.map(({ step_type, status }) => [step_type, status]),
		[
			[15, 3],
			[17, 3],
			[15, 3],
		],
	);
	assert.deepEqual(pick(rows[0]?.step.plannerResponse, "stopReason", "response"), {
		stopReason: 18,
		response: undefined,
	});
	assert.deepEqual(pick(plain(rows[1]?.step.errorMessage).error, "errorCode"), { errorCode: 503 });
});

test("a step of an unknown type has an unknown field", async (t) => {
	const home = fakeHome(t, "unknown");
	await runAgy(home, [SKIP, "--print=hi"]);
	const row = rowsOf(home).find(({ step_type }) => step_type === 250);
	assert.deepEqual(unknownFields("Step", row?.step_payload ?? new Uint8Array()), ["#900"]);
	assert.equal(plain(plain(row?.step.metadata).toolCall).name, "tool_of_the_future");
});

function databasesOf(home: FakeHome): string[] {
	return readdirSync(home.conversations)
		.filter((file) => file.endsWith(".db"))
		.map((file) => join(home.conversations, file));
}

function databaseOf(home: FakeHome): string {
	const conversation = home.invocations()[0]?.conversation;
	return join(home.conversations, `${conversation}.db`);
}

async function commitsOf(home: FakeHome, version: string): Promise<string[]> {
	const file = join(home.dir, "commits");
	await runAgy(home, [SKIP, "--print=hi"], { FAKE_AGY_COMMIT_LOG: file, FAKE_AGY_VERSION: version });
	return commitLog(file).map(({ table, idx, type, status }) =>
		table === "steps" ? `${idx}: ${type} in ${status}` : idx === undefined ? table : `${table} ${idx}`,
	);
}

interface Row {
	idx: number;
	step_type: number;
	status: number;
	metadata: Uint8Array;
	error_details: Uint8Array | null;
	permissions: Uint8Array | null;
	task_details: Uint8Array | null;
	render_info: Uint8Array | null;
	step_payload: Uint8Array;
	step: Plain;
}

function rowsOf(home: FakeHome): Row[] {
	const db = new DatabaseSync(databaseOf(home), { readOnly: true });
	const rows = db.prepare("SELECT * FROM steps ORDER BY idx").all();
	db.close();
	return rows.map((row) => ({ ...row, step: decodeStep(row.step_payload) }) as unknown as Row);
}

function decodeStep(payload: unknown): Plain {
	assert.ok(payload instanceof Uint8Array);
	return decode("Step", payload);
}

function wrappedStep(step: Plain | undefined): Plain {
	const any = plain(plain(plain(step?.generic).result).payload);
	return decodeStep(any.value);
}

function plain(value: unknown): Plain {
	return typeof value === "object" && value !== null ? (value as Plain) : {};
}

function pick(message: unknown, ...names: string[]): Plain {
	return Object.fromEntries(names.map((name) => [name, plain(message)[name]]));
}

function assertHolds(message: Plain, content: Plain): void {
	assert.deepEqual(pick(message, ...Object.keys(content)), content);
}
