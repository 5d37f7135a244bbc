import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { DONE, GENERATING, Writer } from "../../unit/tail/support.ts";

const bin = fileURLToPath(new URL("../../../node_modules/.bin", import.meta.url));
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` };
const bun = spawnSync("bun", ["--version"], { env, encoding: "utf8" });
const skip = bun.status === 0 ? false : "there is no bun on this machine";

function follow(t: TestContext, ...args: string[]) {
	const script = fileURLToPath(new URL("bun-follow.ts", import.meta.url));
	const child = spawn("bun", [script, ...args], { env, stdio: ["pipe", "pipe", "inherit"] });
	t.after(() => child.kill("SIGKILL"));
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	return {
		next: async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? "null"),
		end: () => child.stdin.end(),
	};
}

test("a new conversation is followed under Bun as it grows", { skip }, async (t) => {
	const folder = temporaryFolder(t);
	const { next, end } = follow(t, folder, "new", "c");
	assert.match(JSON.stringify(await next()), /"(bun|node):sqlite"/);
	assert.deepEqual(await next(), { id: "c", baseline: { maxStep: -1, maxExecutor: -1, maxGeneration: -1 } });
	const writer = new Writer(t, join(folder, "c.db"));
	writer.step(0, GENERATING, "Hé");
	assert.deepEqual(await next(), { id: "c", idx: 0, status: GENERATING, text: "Hé" });
	writer.step(0, GENERATING, "Héllo");
	assert.deepEqual(await next(), { id: "c", idx: 0, status: GENERATING, text: "Héllo" });
	writer.step(0, DONE, "Héllo");
	assert.deepEqual(await next(), { id: "c", idx: 0, status: DONE, text: "Héllo" });
	writer.database.insertBlob("executor_metadata", 0, Buffer.from("end"));
	assert.deepEqual(await next(), { id: "c", executor: 0, bytes: 3 });
	end();
	assert.deepEqual(await next(), { id: "c", drained: true });
});

test("resuming and its faults are the same under Bun", { skip }, async (t) => {
	const folder = temporaryFolder(t);
	const writer = new Writer(t, join(folder, "old.db"));
	writer.finishedSteps(0, 4);
	writeFileSync(join(folder, "text.db"), "not a database ".repeat(500));
	writeFileSync(join(folder, "empty.db"), "");
	const { next } = follow(t, folder, "resume", "none", "text", "empty", "old");
	await next();
	const refused = [await next(), await next(), await next()].map((line) => JSON.stringify(line));
	assert.match(refused[0] ?? "", /"refused":"missing"/);
	assert.match(refused[1] ?? "", /"refused":"unreadable".*not an SQLite database/);
	assert.match(refused[2] ?? "", /"refused":"no-schema".*no such table: steps/);
	assert.deepEqual(await next(), { id: "old", baseline: { maxStep: 4, maxExecutor: -1, maxGeneration: -1 } });
	writer.step(5, DONE, "new");
	assert.deepEqual(await next(), { id: "old", idx: 5, status: DONE, text: "new" });
});
