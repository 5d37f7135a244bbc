import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { decodeStep } from "../../src/decode/step.ts";
import { copyRealDatabase, realConversations, skipWithoutFixtures } from "../support/fixtures.ts";
import { fakeHome } from "../support/scenario.ts";
import { noticeCodes, ofType, textOf } from "../unit/ledger/make.ts";
import { all, ask, endOf, engineIn } from "./engine.ts";

/** The answer of each turn, read from the finished database. */
function answersIn(path: string): string[] {
	const database = new DatabaseSync(path);
	const rows = database.prepare("SELECT idx, step_type, status, step_payload FROM steps ORDER BY idx").all();
	database.close();
	const answers: string[] = [];
	for (const { idx, step_type, status, step_payload } of rows) {
		const payload = step_payload instanceof Uint8Array ? step_payload : new Uint8Array();
		const { body } = decodeStep({ idx: Number(idx), stepType: Number(step_type), status: Number(status), payload });
		if (body.kind === "user-input") answers.push("");
		if (body.kind === "planner") answers.push((answers.pop() ?? "") + body.text);
	}
	return answers;
}

for (const version of ["1.3.3", "1.1.7"]) {
	test(`real conversations, replayed turn by turn, give the text they end with (agy ${version})`, {
		skip: skipWithoutFixtures,
	}, async (t) => {
		for (const conversation of realConversations()) {
			const path = copyRealDatabase(t, conversation);
			const answers = answersIn(path);
			assert.ok(answers.every((answer) => answer !== ""));
			const home = fakeHome(t, { replay: path }, version);
			const engine = engineIn(t, home);
			let resume: { conversationId: string } | undefined;
			for (const answer of answers) {
				const run = engine.start(ask(home, resume === undefined ? {} : { resume }));
				const events = await all(run);
				assert.equal(textOf(events), answer);
				assert.deepEqual(endOf(events).outcome, { kind: "answered" });
				assert.deepEqual(noticeCodes(events), []);
				assert.equal(ofType(events, "usage").filter((event) => event.isAnswer).length, 1);
				const conversationId = endOf(events).progress.conversationId ?? "";
				assert.ok(resume === undefined || resume.conversationId === conversationId);
				resume = { conversationId };
				await run.settled;
			}
		}
	});
}
