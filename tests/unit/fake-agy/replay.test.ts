import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { decode } from "../../support/agy-proto.ts";
import { copyRealDatabase, realConversations, skipWithoutFixtures } from "../../support/fixtures.ts";
import { fakeHome } from "../../support/scenario.ts";
import { commitLog, runAgy } from "./run-agy.ts";

const TABLES = ["trajectory_meta", "steps", "gen_metadata", "executor_metadata", "trajectory_metadata_blob"];

for (const conversation of realConversations()) {
	test(`${conversation}: played turn by turn, the rows end up identical to the recording`, async (t) => {
		const recording = copyRealDatabase(t, conversation);
		const home = fakeHome(t, { replay: recording });
		const turns = rowsOf(recording, "SELECT count(*) AS n FROM steps WHERE step_type = 14")[0]?.n;
		for (let turn = 0; turn < Number(turns); turn++) {
			const resume = turn === 0 ? [] : [`--conversation=${conversation}`];
			const run = await runAgy(home, [...resume, "--output-format=stream-json", "--print=next"]);
			assert.equal(run.code, 0, run.stderr);
			assert.equal(run.result?.conversation_id, conversation);
		}
		for (const table of TABLES) {
			const sql = `SELECT * FROM ${table} ORDER BY 1`;
			assert.deepEqual(rowsOf(join(home.conversations, `${conversation}.db`), sql), rowsOf(recording, sql), table);
		}
	});
}

test("planner rows grow, thinking before text, and every other row goes through its recorded states", {
	skip: skipWithoutFixtures,
}, async (t) => {
	const [conversation = ""] = realConversations();
	const recording = copyRealDatabase(t, conversation);
	const home = fakeHome(t, { replay: recording });
	await runAgy(home, ["--print=first"], { FAKE_AGY_COMMIT_LOG: join(home.dir, "commits") });
	const commits = commitLog(join(home.dir, "commits"));
	for (const row of rowsOf(recording, "SELECT idx, step_payload AS data FROM steps WHERE idx < 5")) {
		assert.ok(row.data instanceof Uint8Array);
		const recorded = JSON.stringify(decode("Step", row.data), (_, value) =>
			typeof value === "bigint" ? String(value) : value,
		);
		const states = [...recorded.matchAll(/"updatedStatus":(\d+)/g)].map(([, status]) => Number(status));
		const seen = commits
			.filter((commit) => commit.table === "steps" && commit.idx === row.idx)
			.map(({ status }) => status);
		assert.deepEqual([...new Set(seen)], states, `row ${row.idx}`);
	}
	const order = commits.map(({ table }) => table);
	assert.ok(order.indexOf("gen_metadata") < order.indexOf("executor_metadata"));
	assert.equal(order.at(-1), "executor_metadata");
	const planner = commits.filter(({ idx, table }) => idx === 3 && table === "steps").map(({ bytes }) => bytes ?? 0);
	assert.ok(planner.length > 4, "the planner row is written in several versions");
	assert.deepEqual(
		planner,
		planner.toSorted((a, b) => a - b),
		"and only grows",
	);
});

test("more turns than were recorded end with an error that says so", { skip: skipWithoutFixtures }, async (t) => {
	const conversation = "d8770413-f96b-4800-8cac-92c25da98594";
	const home = fakeHome(t, { replay: copyRealDatabase(t, conversation) });
	await runAgy(home, ["--print=one"]);
	const second = await runAgy(home, [`--conversation=${conversation}`, "--print=two"]);
	assert.equal(second.code, 70);
	assert.match(second.stderr, /recording has 1 turn\(s\), this is turn 2/);
});

function rowsOf(file: string, sql: string) {
	const db = new DatabaseSync(file);
	try {
		return db.prepare(sql).all();
	} finally {
		db.close();
	}
}
