import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hasDatabase } from "../../../../src/run/binding/conversation-folder.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

test("whether a conversation's database is there and looks like one", (t) => {
	const folder = temporaryFolder(t);
	const start = "SQLite format 3\0and more";
	for (const [id, content, log, expected] of [
		["whole", start, undefined, true],
		["new", "", "log", true],
		["empty", "", undefined, false],
		["empty-log", "", "", false],
		["other", "something else entirely", "log", false],
		["short", "SQLite", undefined, false],
		["missing", undefined, "log", false],
	] as const) {
		if (content !== undefined) writeFileSync(join(folder, `${id}.db`), content);
		if (log !== undefined) writeFileSync(join(folder, `${id}.db-wal`), log);
		assert.equal(hasDatabase(folder, id), expected, id);
	}
	mkdirSync(join(folder, "folder.db"));
	assert.equal(hasDatabase(folder, "folder"), false);
});
