import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { LocateAgy } from "../../../src/models/catalogue.ts";
import { QuotaFooter } from "../../../src/quota/quota-footer.ts";
import { createQuotaReader } from "../../../src/quota/quota-reader.ts";
import { formatQuota, formatReset } from "../../../src/quota/quota-text.ts";
import { parseUsage } from "../../../src/quota/usage.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { stubAgy } from "../models/stub-agy.ts";

const NOW = Date.UTC(2026, 10, 20, 14, 27);
const HOUR = 60 * 60 * 1000;
const here = { now: NOW, timeZone: "Europe/Berlin" };
const usage = (groups: unknown) =>
	JSON.stringify({
		conversation_id: "",
		status: "SUCCESS",
		num_turns: 0,
		command: { name: "usage", data: { groups } },
	});
const answer = usage([
	{
		name: "Gemini Models",
		buckets: [
			{ id: "gemini-weekly", window: "weekly", remaining_fraction: 1, reset_time: "2026-11-26T08:00:00Z" },
			{ id: "gemini-5h", window: "5h", remaining_fraction: 0.62, reset_time: "2026-11-20T16:40:00Z" },
		],
	},
	{ name: "Claude and GPT models", buckets: [{ id: "c-5h", window: "5h", remaining_fraction: 0.001 }] },
]);

test("both pools are shown with bars and with reset times of the user's time zone", () => {
	assert.deepEqual(formatQuota(parseUsage(answer), here), [
		"Gemini Models",
		"  weekly  ████████████████████ 100 % left, resets Thu 26 Nov, 09:00 (in 5 d 17 h)",
		"  5h      ████████████░░░░░░░░  62 % left, resets 17:40 (in 2 h 13 min)",
		"Claude and GPT models",
		"  5h      ░░░░░░░░░░░░░░░░░░░░   1 % left",
	]);
	assert.equal(formatReset(NOW - 1, here), "now");
});

test("windows and pools that come later are shown as agy names them", () => {
	const pools = parseUsage(
		usage([
			{
				name: "Imagen",
				limit: 3,
				buckets: [{ window: "monthly", remaining_fraction: 0.5, colour: "blue" }, { id: "x-day" }],
			},
		]),
	);
	assert.deepEqual(pools, [{ name: "Imagen", windows: [{ window: "monthly", remaining: 0.5 }, { window: "x-day" }] }]);
	assert.match(formatQuota(pools, here).join("\n"), /x-day {4}left: not told/);
});

test("what has another shape is left out", () => {
	const odd = [
		null,
		{ name: "", buckets: [] },
		{ name: "A", buckets: "none" },
		{ name: "B", buckets: [7, {}, { window: "5h", remaining_fraction: 7, reset_time: "soon" }] },
	];
	assert.deepEqual(parseUsage(usage(odd)), [{ name: "B", windows: [{ window: "5h" }] }]);
	for (const text of ["", "{", "[]", '{"command":{}}', usage({}), "Gemini Models\t5h\t1"]) {
		assert.deepEqual(parseUsage(text), [], text);
	}
});

function reader(t: TestContext, version: string | undefined, body = "cat $(dirname $0)/answer") {
	const folder = temporaryFolder(t);
	const clock = new FakeClock(NOW);
	const command = stubAgy(t, `echo "$*" >> ${folder}/runs; ${body}`);
	const locateAgy: LocateAgy = async () => ({ ok: true, command, ...(version !== undefined && { version }) });
	const runs = () => readFileSync(join(folder, "runs"), "utf8").trim().split("\n");
	return { clock, runs, quota: createQuotaReader(locateAgy, clock) };
}

test("an answer is kept for five minutes", async (t) => {
	const { quota, clock, runs } = reader(t, "1.1.11", `echo '${answer}'`);
	let asked = 0;
	const read = () => quota.read(() => asked++);
	const first = await read();
	assert.equal(first.ok && first.pools.length, 2);
	clock.advance(5 * 60 * 1000 - 1);
	assert.equal(await read(), first);
	assert.deepEqual(runs(), ["-p /usage --output-format json"]);
	assert.equal(asked, 1);
	clock.advance(1);
	assert.notEqual(await read(), first);
	assert.deepEqual([runs().length, asked], [2, 2]);
});

test("an answer counts for all sessions of the process", async (t) => {
	const clock = new FakeClock(NOW);
	const command = stubAgy(t, `echo '${answer}'`);
	const memory = {};
	const [one, other] = [true, false].map((found) => {
		const failure = { kind: "not-installed", searched: [] } as const;
		return createQuotaReader(
			async () => (found ? { ok: true, command, version: "1.3.3" } : { ok: false, failure }),
			clock,
			memory,
		);
	});
	const first = await one?.read();
	assert.equal(await other?.read(), first);
});

test("an agy that would take /usage for a prompt is not asked", async (t) => {
	for (const version of ["1.1.10", "1.1.9", "1.0.16", undefined]) {
		const { quota, runs } = reader(t, version, `echo '${answer}'`);
		const read = await quota.read();
		assert.equal(!read.ok && read.failure.kind, "too-old");
		assert.throws(runs, /ENOENT/);
	}
});

test("a failure is told, not kept", async (t) => {
	const { quota, runs } = reader(t, "1.3.3", "echo 'Error: authentication required.' >&2; exit 1");
	assert.deepEqual(await quota.read(), { ok: false, failure: { kind: "not-signed-in" } });
	await quota.read();
	assert.equal(runs().length, 2);
});

function footer() {
	const clock = new FakeClock(NOW);
	const shown: (string | undefined)[] = [];
	return {
		clock,
		shown,
		footer: new QuotaFooter({ clock, show: (text) => shown.push(text), timeZone: "Europe/Berlin" }),
	};
}

test("the footer says until when a quota is used up, and takes it back by itself", () => {
	const { clock, shown, footer: line } = footer();
	line.selected("gemini");
	line.failed("gemini", NOW + 2 * HOUR);
	assert.deepEqual(shown, ["agy: quota used up, resets 17:27"]);
	clock.advance(2 * HOUR - 1);
	assert.equal(shown.length, 1);
	clock.advance(1);
	assert.deepEqual(shown, ["agy: quota used up, resets 17:27", undefined]);
	assert.equal(clock.pending, 0);
});

test("the footer is silent while a model of another pool, or not one of ours, is selected", () => {
	const { shown, footer: line, clock } = footer();
	line.failed("claude", NOW + HOUR);
	line.selected("gemini");
	assert.deepEqual(shown, []);
	line.selected("gpt-oss");
	assert.equal(shown.length, 1);
	line.selected(undefined);
	assert.equal(shown.at(-1), undefined);
	line.selected("claude");
	assert.equal(shown.length, 3);
	line.close();
	assert.equal(shown.at(-1), undefined);
	assert.equal(clock.pending, 0);
});

test("an answer says that the quota is back; a failure without a time says nothing", () => {
	const { shown, footer: line } = footer();
	line.selected("gemini");
	line.failed("gemini", undefined);
	line.failed("gemini", NOW - 1);
	assert.deepEqual(shown, []);
	line.failed("gemini", NOW + HOUR);
	line.answered("claude");
	assert.equal(shown.length, 1);
	line.answered("gemini");
	assert.equal(shown.at(-1), undefined);
});

test("a reset far away does not fire at once", () => {
	const { clock, shown, footer: line } = footer();
	line.selected("gemini");
	line.failed("gemini", NOW + 60 * 24 * HOUR);
	clock.advance(30 * 24 * HOUR);
	assert.match(shown.at(-1) ?? "", /resets Tue 19 Jan/);
	clock.advance(30 * 24 * HOUR);
	assert.equal(shown.at(-1), undefined);
});
