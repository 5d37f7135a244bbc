import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { FollowedConversation, WriterProcess } from "./support.ts";

for (const synchronous of ["FULL", "NORMAL"] as const) {
	for (const fileEvents of [true, false]) {
		const how = `synchronous=${synchronous}, ${fileEvents ? "file events" : "polling"}`;
		test(`each commit is seen before agy makes the next, the last one too (${how})`, async (t) => {
			const folder = temporaryFolder(t);
			const writer = new WriterProcess(t);
			const conversation = new FollowedConversation(folder, "c", { fileEvents });
			conversation.onRow = () => writer.proceed();
			conversation.tail.start();
			const rows = 60;
			const path = join(folder, "c.db");
			const job = { path, synchronous, first: 0, rows, size: 600, maxGapMs: 0, handshakeEvery: 1 };
			assert.deepEqual((await writer.run(job)).errors, []);
			assert.deepEqual(
				[...conversation.seen],
				Array.from({ length: rows }, (_, idx) => idx),
			);
			conversation.tail.close();
		});
	}
}

test("a reader that follows 4,000 commits does not keep the log from being folded in", async (t) => {
	const folder = temporaryFolder(t);
	const writer = new WriterProcess(t);
	const conversation = new FollowedConversation(folder, "c");
	// Else a reader that the system stops in the middle of a look would be in the way for as long.
	const handshakeEvery = 100;
	conversation.onRow = (idx) => {
		if ((idx + 1) % handshakeEvery === 0) writer.proceed();
	};
	conversation.tail.start();
	const rows = 4_000;
	const path = join(folder, "c.db");
	const report = await writer.run({
		path,
		synchronous: "NORMAL",
		first: 0,
		rows,
		size: 3_000,
		maxGapMs: 0,
		handshakeEvery,
	});
	await conversation.sees(rows - 1);
	assert.deepEqual(report.errors, []);
	assert.equal(conversation.seen.size, rows);
	// SQLite folds the log in at 1,000 pages, 4 MB, and later where a reader was just looking; one that stays in its way
	// would let it grow to some 50 MB here.
	assert.ok(report.walBytes < 25 * 1024 * 1024, `${report.walBytes} bytes`);
	conversation.tail.close();
});
